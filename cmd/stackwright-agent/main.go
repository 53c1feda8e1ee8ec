// Command stackwright-agent is the entry point of the containers of backing services: it supervises the daemon and
// takes the operator's orders.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
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
		"ovs":       runOVS,
		"ovsdb":     runOVSDB,
		"rabbitmq":  runRabbitMQ,
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("say what to run: stackwright-agent mariadb | memcached | ovs | ovsdb | rabbitmq")
	}
	role, ok := roles()[args[0]]
	if !ok {
		return fmt.Errorf("there is no agent for %q; there is one for mariadb, memcached, ovs, ovsdb and rabbitmq", args[0])
	}
	if err := agent.AsInit(); err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	return role(ctx, args[1:])
}

// supervisor is an agent that takes orders.
type supervisor interface {
	Handler() http.Handler
	Ready() error
	Live() error
	Run(ctx context.Context) error
}

// parse reads the flags of a role and returns what follows them.
func parse(role string, args []string, flags func(*flag.FlagSet)) ([]string, error) {
	f := flag.NewFlagSet(role, flag.ContinueOnError)
	flags(f)
	if err := f.Parse(args); err != nil {
		return nil, fmt.Errorf("reading flags: %w", err)
	}
	return f.Args(), nil
}

// config is the configuration of an agent that takes orders. Its certificates are in a folder.
type config interface {
	Flags(f *flag.FlagSet)
	Certificates() string
}

// supervise runs an agent that takes orders.
func supervise[A supervisor](ctx context.Context, args []string, c config, open func() (A, error)) error {
	var listen string
	if _, err := parse("member", args, func(f *flag.FlagSet) {
		c.Flags(f)
		f.StringVar(&listen, "listen", "", "address on which the agent listens, all when empty")
	}); err != nil {
		return err
	}
	a, err := open()
	if err != nil {
		return fmt.Errorf("preparing the member: %w", err)
	}
	s := &agent.Server{Dir: c.Certificates(), Addr: fmt.Sprintf("%s:%d", listen, agent.Port),
		HealthAddr: fmt.Sprintf("%s:%d", listen, agent.HealthPort), Handler: a.Handler(), Ready: a.Ready, Live: a.Live}
	return s.Beside(ctx, a.Run)
}
