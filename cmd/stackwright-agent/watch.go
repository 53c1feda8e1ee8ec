package main

import (
	"context"

	"stackwright.dev/stackwright/internal/agent/memcached"
	"stackwright.dev/stackwright/internal/agent/ovs"
)

func runMemcached(ctx context.Context, args []string) error {
	var c memcached.Config
	if _, err := parse("memcached", args, c.Flags); err != nil {
		return err
	}
	return memcached.New(c).Run(ctx)
}

func runOVS(ctx context.Context, args []string) error {
	var c ovs.Config
	daemon, err := parse("ovs", args, c.Flags)
	if err != nil {
		return err
	}
	c.Daemon = daemon
	return ovs.Run(ctx, c)
}
