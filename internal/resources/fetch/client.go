// Package fetch reads data from addresses that other people choose, without being led to places that only the machine
// it runs on can reach.
package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"
)

const (
	// patience is how long a server may send nothing.
	patience = time.Minute
	// redirects are followed that often.
	redirects   = 5
	dialTimeout = 10 * time.Second
)

// Limit is as much data as is read at most, packed and unpacked, of a Source that has no limit of its own.
const Limit = 64 << 30

// A server that sends less than leastBytes while it is waited for it for as long as the window is given up: it would
// keep others from their turn for days. The time in which the data is not taken does not count.
const (
	window     = 10 * time.Minute
	leastBytes = 60 << 20
)

// Check refuses addresses: it is called with the one to which a connection is about to be made.
type Check func(network, address string) error

// Dial opens a connection. It calls check when the name is resolved, before anything is sent.
type Dial func(ctx context.Context, network, address string, check Check) (net.Conn, error)

// Client reads data. The zero value uses the network, and as much memory as there is.
type Client struct {
	Dial   Dial
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Room is where all clients of a process unpack.
	Room *Room
}

// dial resolves and connects in one go, so that no name can lead to another address than the one that was checked.
func dial(ctx context.Context, network, address string, check Check) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout, Control: func(network, address string, _ syscall.RawConn) error {
		return check(network, address)
	}}
	return d.DialContext(ctx, network, address)
}

func (c Client) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if c.Lookup != nil {
		return c.Lookup(ctx, host)
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// Check refuses an address that somebody else is about to be asked to read from. What its name leads to then is not
// known, and may be something else.
func (c Client) Check(ctx context.Context, address string, g Guard) error {
	u, err := parse(address)
	if err != nil {
		return err
	}
	host := u.Hostname()
	if a, err := netip.ParseAddr(host); err == nil {
		return g.check(host, a)
	}
	if g.named(host) {
		return nil
	}
	found, err := c.lookup(ctx, host)
	if err != nil {
		return failed("Looking up %s failed: %s. Correct the address, or wait until the name is known.", host, network(err))
	}
	slices.SortFunc(found, netip.Addr.Compare) // the message is the same in each run
	for _, a := range found {
		if err := g.check(host, a); err != nil {
			return err
		}
	}
	return nil
}

// parse reads an address of data.
func parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, refused("InvalidSource", "The address of the data is no URL with http or https and a host. Correct it.")
	}
	return u, nil
}

// Private tells whether an address has credentials of its own.
func Private(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.User != nil
}

// shown is an address without what may be secret in it: user, password, and the signature in a query.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// agent is a client for one reading. Connections are not shared: another reading may not be allowed to have them.
func (c Client) agent(g Guard) *http.Client {
	connect := c.Dial
	if connect == nil {
		connect = dial
	}
	t := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return connect(ctx, network, address, g.of(address))
		},
		// A proxy would resolve names where nobody checks them. Unpacking would change what the sum is over.
		Proxy: nil, DisableCompression: true, DisableKeepAlives: true,
		TLSHandshakeTimeout: dialTimeout, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	return &http.Client{Transport: t, CheckRedirect: follow}
}

// of checks the addresses to which the host of an address with a port leads.
func (g Guard) of(hostPort string) Check {
	return func(_, address string) error {
		host, _, err := net.SplitHostPort(hostPort)
		if err != nil {
			host = hostPort
		}
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return refused("SourceNotAllowed", "%s leads to what is no address of the internet. Name another host.", host)
		}
		return g.check(host, at.Addr())
	}
}

func follow(r *http.Request, via []*http.Request) error {
	last := via[len(via)-1].URL
	switch {
	case len(via) > redirects:
		return failed("%s leads elsewhere more than %d times. Correct the address.", shown(via[0].URL), redirects)
	case r.URL.Scheme != "http" && r.URL.Scheme != "https", last.Scheme == "https" && r.URL.Scheme == "http":
		return refused("SourceNotAllowed", "%s leads from %s to %s. Name an address that does not.", shown(via[0].URL),
			last.Scheme, r.URL.Scheme)
	}
	r.Header.Del("Referer") // it has the query, which may be a signature
	return nil
}

// network is the text of an error without what differs each time, and without addresses of data.
func network(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if d, ok := errors.AsType[*net.DNSError](err); ok {
		return d.Err
	}
	if o, ok := errors.AsType[*net.OpError](err); ok {
		return o.Op + ": " + o.Err.Error()
	}
	return err.Error()
}
