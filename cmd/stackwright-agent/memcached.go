package main

import (
	"context"
	"flag"
	"fmt"

	"stackwright.dev/stackwright/internal/agent/memcached"
)

func runMemcached(ctx context.Context, args []string) error {
	var c memcached.Config
	f := flag.NewFlagSet("memcached", flag.ContinueOnError)
	c.Flags(f)
	if err := f.Parse(args); err != nil {
		return fmt.Errorf("reading flags: %w", err)
	}
	return memcached.New(c).Run(ctx)
}
