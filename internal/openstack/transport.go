package openstack

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	dialTimeout = 10 * time.Second
	// idlePerHost is as many connections as the gates of a few services on one host use at once.
	idlePerHost = 32
	idleTimeout = 90 * time.Second
)

// Dial opens a connection.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// transports holds one HTTP transport for each TLS configuration. A transport for each session would leave the
// connections of each rotated credential open.
type transports struct {
	dial Dial
	// instead replaces the network.
	instead http.RoundTripper
	mu      sync.Mutex
	byTLS   map[key]*transport
}

type transport struct {
	*http.Transport
	instead http.RoundTripper
	key     key
	users   int
}

// RoundTrip sends a request.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.instead != nil {
		return t.instead.RoundTrip(r)
	}
	return t.Transport.RoundTrip(r)
}

// take returns the transport for an entry; release gives it back.
func (p *transports) take(e *entry) (*transport, error) {
	k := sum(e.ca, flag(e.insecure))
	p.mu.Lock()
	defer p.mu.Unlock()
	t, ok := p.byTLS[k]
	if !ok {
		config, err := tlsConfig(e)
		if err != nil {
			return nil, err
		}
		t = &transport{key: k, instead: p.instead, Transport: &http.Transport{
			// HTTP/2 would put all requests of a host on one connection, which hang together.
			DialContext: p.dial, TLSClientConfig: config, Proxy: http.ProxyFromEnvironment,
			TLSHandshakeTimeout: dialTimeout, MaxIdleConnsPerHost: idlePerHost, IdleConnTimeout: idleTimeout,
		}}
		p.byTLS[k] = t
	}
	t.users++
	return t, nil
}

func (p *transports) release(t *transport) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(p.byTLS, t.key)
		t.CloseIdleConnections()
	}
}

func tlsConfig(e *entry) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: e.insecure}
	if len(e.ca) == 0 {
		return c, nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(e.ca) {
		return nil, refuse("the CA for cloud %q has no certificate; give it in PEM, from BEGIN CERTIFICATE on", e.name)
	}
	c.RootCAs = roots
	return c, nil
}
