// Command stackwright-agent is the entry point of the containers of backing services: it supervises the daemon and
// takes the operator's orders.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"stackwright.dev/stackwright/internal/agent"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		slog.Error("the agent ends", "error", err)
		os.Exit(1)
	}
}

func roles() map[string]func(context.Context, []string) error {
	return map[string]func(context.Context, []string) error{
		"mariadb":   runMariaDB,
		"memcached": runMemcached,
		"rabbitmq":  runRabbitMQ,
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("say what to run: stackwright-agent mariadb | memcached | rabbitmq")
	}
	role, ok := roles()[args[0]]
	if !ok {
		return fmt.Errorf("there is no agent for %q; there is one for mariadb, memcached and rabbitmq", args[0])
	}
	if err := agent.AsInit(); err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	return role(ctx, args[1:])
}

// serve runs the agent's server beside its main loop until the loop ends: probes and orders are answered while the
// daemon is being stopped.
func serve(ctx context.Context, s *agent.Server, loop func(context.Context) error) error {
	serving, cancel := context.WithCancel(context.Background())
	defer cancel()
	looping, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 1)
	go func() {
		failed <- s.Run(serving)
		stop()
	}()
	err := loop(looping)
	cancel()
	return errors.Join(err, <-failed)
}
