package bus_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"stackwright.dev/stackwright/internal/openstack/bus"
	"stackwright.dev/stackwright/internal/openstack/bus/broker"
)

func start(t *testing.T, c *tls.Config, exchanges ...string) *broker.Broker {
	t.Helper()
	b, err := broker.Listen("127.0.0.1:0", c, exchanges...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func connect(t *testing.T, c bus.Config) bus.Line {
	t.Helper()
	line, err := bus.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(line.Close)
	return line
}

func TestConnect(t *testing.T) {
	b := start(t, nil, "keystone")
	line := connect(t, bus.Config{URL: b.URL()})
	for exchange, want := range map[string]bool{"keystone": true, "nova": false} {
		if there, err := line.Bind(exchange, []string{"notifications.*"}); err != nil || there != want {
			t.Errorf("binding to %s: %t, %v", exchange, there, err)
		}
	}
	// More than what is fetched ahead, and one in several frames.
	const n = 100
	for i := range n {
		b.Notify("keystone", "identity.user.updated", map[string]any{"filling": strings.Repeat("x", i*2000)})
	}
	for range n {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		body, err := line.Next(ctx)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := bus.Decode(body); !ok || e.Type != "identity.user.updated" {
			t.Fatalf("got %.200s", body)
		}
	}
	b.Drop()
	if _, err := line.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "is lost") {
		t.Errorf("after the connection is lost: %v", err)
	}
}

// What a broker refuses is said, without the password.
func TestConnectRefused(t *testing.T) {
	b := start(t, nil)
	for name, c := range map[string]struct{ url, want string }{
		"password": {"rabbit://nova:hunter2@" + b.Address() + "/openstack", "ACCESS_REFUSED"},
		"vhost":    {strings.Replace(b.URL(), "/openstack", "/other", 1), "vhost other"},
		"nobody":   {"rabbit://nova:hunter2@127.0.0.1:1/openstack", "connection refused"},
		"no TLS":   {strings.Replace(b.URL(), "rabbit:", "amqps:", 1), "TLS"},
	} {
		_, err := bus.Connect(t.Context(), bus.Config{URL: c.url})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
}

// A bus at an address of the operator's own machine is not connected to, and a listener tells that it is refused.
func TestOutside(t *testing.T) {
	b := start(t, nil, "keystone")
	states := make(chan bus.State, 1)
	l := &bus.Listener{Dial: bus.Outside, Config: bus.Config{URL: b.URL() + "\n" + b.URL()},
		Changed: func(s bus.State) {
			select {
			case states <- s:
			default: // it is told of each attempt
			}
		}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go l.Run(ctx)
	want := "the loopback address 127.0.0.1 of the bus at " + b.Address() + " is the operator's own; give one that is " +
		"reachable from the cluster"
	if s := <-states; !s.Refused || s.Connected || s.Problem != want {
		t.Errorf("the state is %+v, want that %q", s, want)
	}
	_, err := bus.Outside(t.Context(), bus.Config{
		URL: "rabbit://nova:hunter2@127.0.0.1:1,nova:hunter2@[fe80::1]:1/openstack"})
	if err == nil || !strings.Contains(err.Error(), "is the operator's own") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("several hosts: %v", err)
	}
}

func TestConnectEncrypted(t *testing.T) {
	config, ca := certificate(t)
	b := start(t, config, "keystone")
	if _, err := bus.Connect(t.Context(), bus.Config{URL: strings.Replace(b.URL(), "rabbit:", "amqps:", 1)}); err == nil {
		t.Error("a certificate of an unknown CA is taken")
	}
	line := connect(t, bus.Config{URL: b.URL(), CA: ca})
	if there, err := line.Bind("keystone", []string{"notifications.*"}); err != nil || !there {
		t.Errorf("binding: %t, %v", there, err)
	}
}

// certificate is a CA that signs itself and stands for 127.0.0.1.
func certificate(t *testing.T) (*tls.Config, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}},
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
}

// A broker that announces more than is sane is left.
func TestConnectGuards(t *testing.T) {
	b := start(t, nil, "keystone")
	line := connect(t, bus.Config{URL: b.URL()})
	if _, err := line.Bind("keystone", []string{"notifications.*"}); err != nil {
		t.Fatal(err)
	}
	b.Publish("keystone", "notifications.info", make([]byte, 17<<20))
	if body, err := line.Next(t.Context()); err == nil {
		t.Errorf("a message of %d MiB was taken", len(body)>>20)
	}
}
