// Package courier carries files of servers from host to host. Nova does that by logging in at the other host; here it
// asks the courier of its own host by a socket, and that one asks the other by TLS, at which both say who they are. It
// takes orders about folders of servers and about nothing else, so there is no account, no shell and no key to keep.
package courier

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// Port is where couriers call each other.
const Port = 16515

// Config is what a courier knows.
type Config struct {
	// Folder has the folders of servers.
	Folder string
	// Socket is where Nova asks.
	Socket string
	// Address is where other couriers ask.
	Address string
	// Port of all couriers; it is another one in tests only.
	Port int
	// TLS is the folder of ca.crt, server.crt and server.key, read again for each connection.
	TLS string
}

// Run serves until ctx ends.
func Run(ctx context.Context, args []string) error {
	c := Config{}
	f := flag.NewFlagSet("courier", flag.ContinueOnError)
	f.StringVar(&c.Folder, "folder", "/var/lib/nova/instances", "folder that has the folders of servers")
	f.StringVar(&c.Socket, "socket", "", "socket at which Nova asks")
	f.StringVar(&c.Address, "address", "", "address at which other couriers ask")
	f.IntVar(&c.Port, "port", Port, "port of all couriers")
	f.StringVar(&c.TLS, "tls", "", "folder of the certificates by which couriers know each other")
	if err := f.Parse(args); err != nil {
		return fmt.Errorf("reading flags: %w", err)
	}
	if c.Socket == "" || c.Address == "" || c.TLS == "" {
		return errors.New("--socket, --address and --tls are needed")
	}
	return c.serve(ctx)
}

func (c Config) serve(ctx context.Context) error {
	root, err := os.OpenRoot(c.Folder)
	if err != nil {
		return fmt.Errorf("opening the folders of servers: %w", err)
	}
	defer func() { _ = root.Close() }()
	certificates := &agent.Certificates{Dir: c.TLS}
	remote, err := tls.Listen("tcp", net.JoinHostPort(c.Address, strconv.Itoa(c.Port)), certificates.Server())
	if err != nil {
		return fmt.Errorf("listening for couriers: %w", err)
	}
	// That of a courier before.
	if err := os.Remove(c.Socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("removing the socket: %w", err), remote.Close())
	}
	local, err := net.Listen("unix", c.Socket)
	if err != nil {
		return errors.Join(fmt.Errorf("listening for Nova: %w", err), remote.Close())
	}
	// A disk takes as long as it takes.
	store := &http.Server{Handler: shelf{root}.handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	desk := &http.Server{Handler: desk{c, root, certificates}.handler(), ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 2)
	go func() { failed <- store.Serve(remote) }()
	go func() { failed <- desk.Serve(local) }()
	select {
	case <-ctx.Done():
		return errors.Join(store.Close(), desk.Close())
	case err := <-failed:
		return errors.Join(fmt.Errorf("serving: %w", err), store.Close(), desk.Close())
	}
}
