package agent

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Credentials of a caller, PEM.
type Credentials struct{ CA, Cert, Key []byte }

// Config turns credentials into a TLS configuration.
func (c Credentials) Config() (*tls.Config, error) {
	pair, err := tls.X509KeyPair(c.Cert, c.Key)
	if err != nil {
		return nil, fmt.Errorf("reading the agents' client certificate: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(c.CA) {
		return nil, errors.New("reading the agents' CA: no PEM certificate found")
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{pair}, RootCAs: pool}, nil
}

// Client calls agents.
type Client struct {
	http *http.Client
	port string
}

// NewClient returns a client that calls agents at Port. Close it when its credentials are renewed.
func NewClient(c *tls.Config) *Client { return NewClientAt(c, Port) }

// NewClientAt is NewClient for agents on another port.
func NewClientAt(c *tls.Config, port int) *Client {
	dial := &net.Dialer{Timeout: 2 * time.Second}
	return &Client{port: strconv.Itoa(port), http: &http.Client{Transport: &http.Transport{
		TLSClientConfig: c, DialContext: dial.DialContext, TLSHandshakeTimeout: 2 * time.Second,
		MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute,
	}}}
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Call sends an order, such as "PUT /v1/role", to the agent of a host and decodes its answer into out; in and out may
// be nil. A refusal is returned as *Refusal.
func (c *Client) Call(ctx context.Context, host, what string, in, out any) error {
	method, path, _ := strings.Cut(what, " ")
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encoding an order: %w", err)
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, "https://"+net.JoinHostPort(host, c.port)+path, body)
	if err != nil {
		return fmt.Errorf("calling the agent: %w", err)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("calling the agent: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	if err != nil {
		return fmt.Errorf("reading the agent's answer: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		r := &Refusal{Code: res.StatusCode}
		if err := json.Unmarshal(b, r); err != nil || r.Message == "" {
			r.Message = "the agent answered " + res.Status
		}
		return r
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("decoding the agent's answer: %w", err)
	}
	return nil
}
