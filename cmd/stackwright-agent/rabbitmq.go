package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/rabbitmq"
)

func runRabbitMQ(ctx context.Context, args []string) error {
	c := rabbitmq.Config{Pod: os.Getenv("POD_NAME")}
	f := flag.NewFlagSet("rabbitmq", flag.ContinueOnError)
	c.Flags(f)
	listen := f.String("listen", "", "address to listen on, all when empty")
	if err := f.Parse(args); err != nil {
		return fmt.Errorf("reading flags: %w", err)
	}
	if c.Pod == "" || c.Domain == "" {
		return fmt.Errorf("POD_NAME and --domain are needed; got %q and %q", c.Pod, c.Domain)
	}
	a, err := rabbitmq.New(c)
	if err != nil {
		return fmt.Errorf("preparing the member: %w", err)
	}
	s := &agent.Server{Dir: c.AgentDir, Addr: fmt.Sprintf("%s:%d", *listen, agent.Port),
		HealthAddr: fmt.Sprintf("%s:%d", *listen, agent.HealthPort), Handler: a.Handler(), Ready: a.Ready, Live: a.Live}
	return serve(ctx, s, a.Run)
}
