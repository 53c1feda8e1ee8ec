package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/mariadb"
)

func runMariaDB(ctx context.Context, args []string) error {
	c := mariadb.Config{Pod: os.Getenv("POD_NAME"), IP: os.Getenv("POD_IP")}
	f := flag.NewFlagSet("mariadb", flag.ContinueOnError)
	f.StringVar(&c.Domain, "domain", "",
		"headless service that resolves to all members, such as galera-pods.openstack.svc")
	f.StringVar(&c.Root, "volume", "/var/lib/mysql", "persistent volume")
	f.StringVar(&c.ConfigFile, "config", "/etc/stackwright/mariadb/my.cnf", "configuration of mariadbd")
	f.StringVar(&c.RunDir, "run", "/run/mysqld", "writable folder for the socket and temporary files")
	f.StringVar(&c.AgentDir, "agent-tls", "/etc/stackwright/agent", "the agent's certificates")
	f.StringVar(&c.TLSDir, "tls", "", "certificates of mariadbd, watched for renewal")
	listen := f.String("listen", "", "address to listen on, all when empty")
	if err := f.Parse(args); err != nil {
		return fmt.Errorf("reading flags: %w", err)
	}
	if c.Pod == "" || c.IP == "" || c.Domain == "" {
		return fmt.Errorf("POD_NAME, POD_IP and --domain are needed; got %q, %q and %q", c.Pod, c.IP, c.Domain)
	}
	a, err := mariadb.New(c)
	if err != nil {
		return fmt.Errorf("preparing the member: %w", err)
	}
	s := &agent.Server{Dir: c.AgentDir, Addr: fmt.Sprintf("%s:%d", *listen, agent.Port),
		HealthAddr: fmt.Sprintf("%s:%d", *listen, agent.HealthPort), Handler: a.Handler(), Ready: a.Ready, Live: a.Live}
	return serve(ctx, s, a.Run)
}
