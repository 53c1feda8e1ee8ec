package main

import (
	"context"

	"stackwright.dev/stackwright/internal/agent/mariadb"
	"stackwright.dev/stackwright/internal/agent/memcached"
	"stackwright.dev/stackwright/internal/agent/ovs"
	"stackwright.dev/stackwright/internal/agent/ovsdb"
	"stackwright.dev/stackwright/internal/agent/rabbitmq"
)

func runMariaDB(ctx context.Context, args []string) error {
	var c mariadb.Config
	open := func() (*mariadb.Agent, error) { return mariadb.New(c) }
	return supervise(ctx, args, &c, open)
}

func runOVSDB(ctx context.Context, args []string) error {
	var c ovsdb.Config
	open := func() (*ovsdb.Agent, error) { return ovsdb.New(c) }
	return supervise(ctx, args, &c, open)
}

func runRabbitMQ(ctx context.Context, args []string) error {
	var c rabbitmq.Config
	open := func() (*rabbitmq.Agent, error) { return rabbitmq.New(c) }
	return supervise(ctx, args, &c, open)
}

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
