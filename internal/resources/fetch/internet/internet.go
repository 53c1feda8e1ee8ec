// Package internet is one in memory, for tests: names that lead to addresses, at which handlers answer.
package internet

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"stackwright.dev/stackwright/internal/resources/fetch"
)

// Internet has sites by their names and addresses. It is safe for concurrent use.
type Internet struct {
	mu    sync.Mutex
	names map[string][]netip.Addr
	sites map[string]http.Handler
	dials []string
}

// New returns an internet without sites.
func New() *Internet {
	return &Internet{names: map[string][]netip.Addr{}, sites: map[string]http.Handler{}}
}

// Serve lets a site answer under a name at an address. The last address of a name is the one to which it leads.
func (n *Internet) Serve(name, address string, site http.Handler) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.names[name] = append(n.names[name], netip.MustParseAddr(address))
	n.sites[name] = site
}

// Client reads from the sites.
func (n *Internet) Client() fetch.Client { return fetch.Client{Dial: n.dial, Lookup: n.lookup} }

// Dials are the hosts to which connections were made, in order.
func (n *Internet) Dials() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string{}, n.dials...)
}

func (n *Internet) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	if len(n.names[host]) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return n.names[host], nil
}

func (n *Internet) dial(ctx context.Context, network, address string, check fetch.Check) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	found, err := n.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	if err := check(network, net.JoinHostPort(found[len(found)-1].String(), port)); err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	n.mu.Lock()
	n.dials = append(n.dials, host)
	site := n.sites[host]
	n.mu.Unlock()
	here, there := net.Pipe()
	server := &http.Server{Handler: site}
	go func() { _ = server.Serve(&once{conn: there}) }()
	return here, nil
}

// once accepts one connection.
type once struct {
	conn net.Conn
	done bool
}

func (o *once) Accept() (net.Conn, error) {
	if o.done {
		return nil, io.EOF
	}
	o.done = true
	return o.conn, nil
}

func (o *once) Close() error   { return nil }
func (o *once) Addr() net.Addr { return o.conn.LocalAddr() }
