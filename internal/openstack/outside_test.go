package openstack

import (
	"context"
	"net"
	"strings"
	"testing"

	"stackwright.dev/stackwright/internal/reach"
)

// A cloud at an address of the operator's own machine is refused before anything is sent, whatever its name is, and
// told as what somebody has to correct.
func TestOwnAddressesAreRefused(t *testing.T) {
	c := newCloud("")
	serve(t, c)
	_, port, _ := strings.Cut(c.host, ":")
	p := NewPool(Options{Outside: true})
	t.Cleanup(p.Close)
	for host, word := range map[string]string{
		"127.0.0.1": "loopback address 127.0.0.1", "localhost": "loopback address ", "[::ffff:127.0.0.1]": "loopback",
		"169.254.169.254": "link-local", "[fe80::1]": "link-local", "0.0.0.0": "reserved", "224.0.0.1": "multicast",
	} {
		c.host = host + ":" + port
		_, err := p.Open(t.Context(), "ns/secret", c.config("alice"))
		wants(t, err, Invalid, "POST auth/tokens of service identity failed: the "+word,
			" of http://"+c.host+" is the operator's own; give one that is reachable from the cluster")
	}
	if n := c.logins("alice"); n != 0 {
		t.Errorf("%d requests were made", n)
	}
	c.host = "127.0.0.1:" + port
	near := NewPool(Options{})
	t.Cleanup(near.Close)
	if _, err := near.Open(t.Context(), "ns/secret", c.config("alice")); err != nil {
		t.Errorf("an operator outside of a cluster does not get through: %v", err)
	}
}

// What a catalog names is refused in the same way, as often as it is asked: nobody answers, so no breaker opens.
func TestOwnAddressesInCatalogs(t *testing.T) {
	c := newCloud("cloud.test")
	c.catalog = func() any {
		return []any{offerOf("identity", "RegionOne", "http://cloud.test/identity"),
			offerOf("compute", "RegionOne", "http://169.254.169.254/latest")}
	}
	guarded := &net.Dialer{Control: reach.Control}
	pipes := connect(t, c)
	p := NewPool(Options{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "cloud.test:") {
			return pipes.dial(ctx, network, address)
		}
		return guarded.DialContext(ctx, network, address)
	}})
	t.Cleanup(p.Close)
	s := open(t, p, c.config("alice"))
	for range 2 * breakAfter {
		_, err := s.Do(t.Context(), Request{Service: "compute", Path: "servers"})
		wants(t, err, Invalid, "the link-local address 169.254.169.254 of http://169.254.169.254 is the operator's own")
	}
}
