// Package memcached is the agent in a memcached pod: it supervises the daemon, asks it as a client does for the
// kubelet's probes, which cannot speak its protocol over TLS, and makes it read renewed certificates.
package memcached

import (
	"bufio"
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// Config is how memcached runs.
type Config struct {
	// Megabytes for items, connections at a time, and the port.
	Megabytes, Connections, Port int
	// TLSDir has tls.crt, tls.key and ca.crt, which signed those of clients; empty when TLS is off.
	TLSDir string
	// HealthAddr answers probes.
	HealthAddr string
}

// Flags makes flags of the configuration's fields.
func (c *Config) Flags(f *flag.FlagSet) {
	f.IntVar(&c.Megabytes, "megabytes", 64, "memory for items")
	f.IntVar(&c.Connections, "connections", 4096, "connections at a time")
	f.IntVar(&c.Port, "port", 11211, "port for clients")
	f.StringVar(&c.TLSDir, "tls", "", "folder with tls.crt, tls.key and the ca.crt of clients, watched for renewal; "+
		"empty is without TLS")
	f.StringVar(&c.HealthAddr, "health", fmt.Sprintf(":%d", agent.HealthPort), "address that answers probes")
}

// Agent runs one memcached.
type Agent struct {
	cfg Config
	tls agent.Renewal
}

// New returns the agent of a memcached.
func New(c Config) *Agent { return &Agent{cfg: c} }

// Run keeps memcached going until ctx ends.
func (a *Agent) Run(ctx context.Context) error {
	a.tls = agent.Renewal{Files: agent.Within(a.cfg.TLSDir, "tls.crt", "tls.key", "ca.crt"),
		Every: agent.RenewalEvery, Reload: a.reload}
	a.tls.Begin()
	w := &agent.Watch{Path: "memcached", Args: a.cfg.args(), Look: a.look, HealthAddr: a.cfg.HealthAddr}
	return w.Run(ctx)
}

func (c *Config) args() []string {
	args := []string{"-p", strconv.Itoa(c.Port), "-U", "0", "-m", strconv.Itoa(c.Megabytes),
		"-c", strconv.Itoa(c.Connections)}
	if c.TLSDir == "" {
		return args
	}
	// The verify mode 2 wants a certificate of each client.
	return append(args, "-Z", "-o", "ssl_chain_cert="+filepath.Join(c.TLSDir, "tls.crt")+
		",ssl_key="+filepath.Join(c.TLSDir, "tls.key")+
		",ssl_ca_cert="+filepath.Join(c.TLSDir, "ca.crt")+",ssl_verify_mode=2")
}

// look asks memcached whether it answers, and makes it read certificates that were renewed.
func (a *Agent) look(ctx context.Context) error {
	if _, err := a.ask(ctx, "version"); err != nil {
		return err
	}
	a.tls.Look(ctx)
	return nil
}

// reload makes memcached read its certificates.
func (a *Agent) reload(ctx context.Context) error {
	answer, err := a.ask(ctx, "refresh_certs")
	if err == nil && answer != "OK" {
		err = fmt.Errorf("memcached answers %q", answer)
	}
	return err
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
		// The other end is a child of this process, and lets in whom its own authority has signed.
		own, err := tls.LoadX509KeyPair(filepath.Join(a.cfg.TLSDir, "tls.crt"), filepath.Join(a.cfg.TLSDir, "tls.key"))
		if err != nil {
			return "", fmt.Errorf("reading the certificate: %w", err)
		}
		c = tls.Client(c, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12,
			Certificates: []tls.Certificate{own}})
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
