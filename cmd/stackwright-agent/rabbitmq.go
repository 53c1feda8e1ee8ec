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
	f.StringVar(&c.Domain, "domain", "", "headless service that resolves to all members, such as rabbitmq-members.openstack.svc")
	f.StringVar(&c.Port, "port", "5671", "port of the listener for clients")
	f.StringVar(&c.Root, "volume", "/var/lib/rabbitmq", "persistent volume")
	f.StringVar(&c.ConfigDir, "config", "/etc/stackwright/rabbitmq", "configuration files of the broker")
	f.StringVar(&c.RunDir, "run", "/run/rabbitmq", "writable folder in memory")
	f.StringVar(&c.CookieFile, "cookie", "/etc/stackwright/cookie/cookie", "secret by which members know each other")
	f.StringVar(&c.AgentDir, "agent-tls", "/etc/stackwright/agent", "the agent's certificates")
	f.StringVar(&c.TLSDir, "tls", "/etc/stackwright/tls", "certificates of the broker, watched for renewal")
	f.StringVar(&c.Home, "home", "/usr/lib/rabbitmq", "where RabbitMQ is installed")
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
