// Package memcached is the agent in a memcached pod: it supervises the daemon, asks it as a client does for the
// kubelet's probes, which cannot speak its protocol over TLS, and makes it read renewed certificates.
package memcached

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// Config is how memcached runs.
type Config struct {
	// Megabytes for items, connections at a time, and the port.
	Megabytes, Connections, Port int
	// TLSDir has tls.crt, tls.key and ca.crt; empty when TLS is off.
	TLSDir string
	// HealthAddr answers probes.
	HealthAddr string
}

// Flags makes flags of the configuration's fields.
func (c *Config) Flags(f *flag.FlagSet) {
	f.IntVar(&c.Megabytes, "megabytes", 64, "memory for items")
	f.IntVar(&c.Connections, "connections", 4096, "connections at a time")
	f.IntVar(&c.Port, "port", 11211, "port for clients")
	f.StringVar(&c.TLSDir, "tls", "", "folder with tls.crt and tls.key, watched for renewal; empty is without TLS")
	f.StringVar(&c.HealthAddr, "health", fmt.Sprintf(":%d", agent.HealthPort), "address that answers probes")
}

// Agent runs one memcached.
type Agent struct {
	cfg  Config
	down atomic.Pointer[string]
	beat atomic.Int64
}

// New returns the agent of a memcached.
func New(c Config) *Agent {
	a := &Agent{cfg: c}
	a.refuse("memcached has not been asked yet")
	a.beat.Store(time.Now().Unix())
	return a
}

func (a *Agent) refuse(why string) { a.down.Store(&why) }

func (c *Config) args() []string {
	args := []string{"-p", strconv.Itoa(c.Port), "-U", "0", "-m", strconv.Itoa(c.Megabytes),
		"-c", strconv.Itoa(c.Connections)}
	if c.TLSDir == "" {
		return args
	}
	cert, key := filepath.Join(c.TLSDir, "tls.crt"), filepath.Join(c.TLSDir, "tls.key")
	return append(args, "-Z", "-o", "ssl_chain_cert="+cert+",ssl_key="+key)
}

// askEvery is how often memcached is asked, and its certificates are compared with those on disk.
const askEvery = time.Second

// Run keeps memcached going until ctx ends. When memcached ends by itself so does Run: nothing is lost by a new
// container.
func (a *Agent) Run(ctx context.Context) error {
	serving, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() { failed <- a.serveProbes(serving) }()
	p, err := agent.Start("memcached", a.cfg.args(), nil)
	if err != nil {
		return err
	}
	defer p.Reap()
	inUse := a.sum()
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		a.beat.Store(time.Now().Unix())
		select {
		case <-ctx.Done():
			p.Signal(syscall.SIGTERM)
			<-p.Done()
			return nil
		case err := <-failed:
			p.Signal(syscall.SIGTERM)
			return fmt.Errorf("answering probes: %w", err)
		case <-p.Done():
			return fmt.Errorf("memcached ended by itself: %s", strings.Join(append(p.Tail(), fmt.Sprint(p.Err())), "; "))
		case <-tick.C:
			inUse = a.look(ctx, inUse)
		}
	}
}

// look asks memcached whether it answers, and returns the certificates that it uses.
func (a *Agent) look(ctx context.Context, inUse []byte) []byte {
	command := "version"
	now := a.sum()
	renewed := now != nil && !bytes.Equal(now, inUse)
	if renewed {
		command = "refresh_certs"
	}
	answer, err := a.ask(ctx, command)
	switch {
	case err != nil:
		a.refuse(err.Error())
		return inUse
	case renewed && answer != "OK":
		slog.Error("reloading certificates", "answer", answer)
		return inUse
	case renewed:
		slog.Info("reloaded certificates")
	}
	a.down.Store(nil)
	return now
}

// sum is of the certificates on disk.
func (a *Agent) sum() []byte {
	h := sha256.New()
	for _, f := range []string{"tls.crt", "tls.key"} {
		b, err := os.ReadFile(filepath.Join(a.cfg.TLSDir, f))
		if err != nil {
			return nil
		}
		_, _ = h.Write(b)
	}
	return h.Sum(nil)
}

// ask sends one command as a client does and returns the first line of the answer.
func (a *Agent) ask(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(a.cfg.Port)))
	if err != nil {
		return "", fmt.Errorf("connecting to memcached: %w", err)
	}
	defer c.Close()
	deadline, _ := ctx.Deadline()
	_ = c.SetDeadline(deadline)
	if a.cfg.TLSDir != "" {
		// The other end is a child of this process.
		c = tls.Client(c, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12})
	}
	if _, err := c.Write([]byte(command + "\r\n")); err != nil {
		return "", fmt.Errorf("asking memcached: %w", err)
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("reading memcached's answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// Ready is the readiness probe: memcached answers a client.
func (a *Agent) Ready() error {
	if why := a.down.Load(); why != nil {
		return errors.New(*why)
	}
	return nil
}

// Live is the liveness probe: this agent's loop turns. A memcached that ended ends the container at once.
func (a *Agent) Live() error {
	if time.Since(time.Unix(a.beat.Load(), 0)) > 30*time.Second {
		return errors.New("the agent's loop hangs")
	}
	return nil
}

func (a *Agent) serveProbes(ctx context.Context) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", a.cfg.HealthAddr)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /ready", agent.Probe(a.Ready))
	mux.Handle("GET /live", agent.Probe(a.Live))
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
