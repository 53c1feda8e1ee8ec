// Command stackwright-agent is the entry point of the containers of backing services: it supervises the daemon and
// takes the operator's orders.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/chassis"
	"stackwright.dev/stackwright/internal/agent/courier"
	"stackwright.dev/stackwright/internal/agent/libvirt"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		slog.Error("the agent ends", "error", err)
		os.Exit(1)
	}
}

func roles() map[string]func(context.Context, []string) error {
	return map[string]func(context.Context, []string) error{
		"chassis":   chassis.Run,
		"courier":   courier.Run,
		"leave":     libvirt.Leave,
		"libvirt":   libvirt.Run,
		"mariadb":   runMariaDB,
		"memcached": runMemcached,
		"ovs":       runOVS,
		"ovsdb":     runOVSDB,
		"rabbitmq":  runRabbitMQ,
	}
}

func run(args []string) error {
	known := strings.Join(slices.Sorted(maps.Keys(roles())), ", ")
	if len(args) == 0 {
		return fmt.Errorf("say what to run: stackwright-agent ROLE, which is one of %s", known)
	}
	role, ok := roles()[args[0]]
	if !ok {
		return fmt.Errorf("there is no agent for %q; there is one for %s", args[0], known)
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
