// Package agent is what the agents in the pods of backing services share: they are the containers' entry points, they
// supervise a daemon, answer the kubelet's probes, and take orders over mutually authenticated TLS. It knows nothing of
// Kubernetes, so that the binary stays small.
package agent

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// Ports of every agent.
const (
	// Port is where orders are taken.
	Port = 8443
	// HealthPort answers probes, without TLS and without secrets.
	HealthPort = 8080
)

// Roles are the common names of client certificates.
const (
	// Operator may give orders.
	Operator = "operator"
	// Member is another agent of the same cluster; it may ask for the state.
	Member = "member"
)

// Server is an agent's two listeners.
type Server struct {
	// Dir has ca.crt, server.crt and server.key. They are read again for new connections when they change.
	Dir string
	// Addr and HealthAddr are where to listen, such as ":8443" and ":8080".
	Addr, HealthAddr string
	// Handler takes the orders; see Handle.
	Handler http.Handler
	// Ready and Live answer the probes: nil is yes, an error says why not.
	Ready, Live func() error
}

// Run serves until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	certs := &Certificates{Dir: s.Dir}
	orders := &http.Server{Handler: s.Handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute,
		TLSConfig: certs.Server()}
	mux := http.NewServeMux()
	mux.Handle("GET /ready", Probe(s.Ready))
	mux.Handle("GET /live", Probe(s.Live))
	health := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}

	lo, err := net.Listen("tcp", s.Addr)
	if err != nil {
		return fmt.Errorf("listening for orders: %w", err)
	}
	lh, err := net.Listen("tcp", s.HealthAddr)
	if err != nil {
		_ = lo.Close()
		return fmt.Errorf("listening for probes: %w", err)
	}
	failed := make(chan error, 2)
	go func() { failed <- orders.ServeTLS(lo, "", "") }()
	go func() { failed <- health.Serve(lh) }()
	select {
	case <-ctx.Done():
		return errors.Join(orders.Close(), health.Close())
	case err := <-failed:
		return errors.Join(fmt.Errorf("serving: %w", err), orders.Close(), health.Close())
	}
}

// Beside serves beside an agent's main loop until the loop ends: probes and orders are answered while the daemon is
// being stopped.
func (s *Server) Beside(ctx context.Context, loop func(context.Context) error) error {
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

// Probe answers a probe of the kubelet: yes when ask returns nil, and why not otherwise.
func Probe(ask func() error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := ask(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	})
}

// Certificates reads a directory that a kubelet may change at any time.
type Certificates struct {
	// Dir has ca.crt, server.crt and server.key.
	Dir string
}

func (c *Certificates) load() (tls.Certificate, *x509.CertPool, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(c.Dir, "server.crt"), filepath.Join(c.Dir, "server.key"))
	if err != nil {
		return tls.Certificate{}, nil, fmt.Errorf("loading the agent's certificate: %w", err)
	}
	ca, err := os.ReadFile(filepath.Join(c.Dir, "ca.crt"))
	if err != nil {
		return tls.Certificate{}, nil, fmt.Errorf("loading the agent's CA: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return tls.Certificate{}, nil, fmt.Errorf("loading the agent's CA: %s/ca.crt has no PEM certificate", c.Dir)
	}
	return pair, pool, nil
}

// Server returns a TLS configuration with which those are let in who have a certificate of the same CA.
func (c *Certificates) Server() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, GetConfigForClient: c.server}
}

func (c *Certificates) server(*tls.ClientHelloInfo) (*tls.Config, error) {
	pair, pool, err := c.load()
	if err != nil {
		slog.Error("refusing a connection", "error", err)
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{pair},
		ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}, nil
}

// Client returns a TLS configuration with which a member asks other members.
func (c *Certificates) Client() (*tls.Config, error) {
	pair, pool, err := c.load()
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{pair}, RootCAs: pool}, nil
}
