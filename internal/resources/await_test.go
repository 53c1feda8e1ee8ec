package resources_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// unrouted is what Neutron says of a floating IP whose port no router leads to.
func unrouted(_ int, r *http.Request) fake.Fault {
	if r.Method != http.MethodGet && strings.Contains(r.URL.Path, "/floatingips") {
		return fake.Refused(http.StatusNotFound, "External network n is not reachable from subnet s.  Therefore, cannot "+
			"associate Port p with a Floating IP.")
	}
	return fake.None
}

// An address waits for the router that leads to its port, when it is made and when it is given another port: that is no
// mistake of what is declared, and it does not wait for long once the router is there.
func TestFloatingIPAwaitsItsRouter(t *testing.T) {
	declared := "resource: {floatingNetworkRef: {id: public}, portRef: {id: first}}"
	seed := func(c *fake.Cloud) {
		c.Put("Network", map[string]any{"id": "public"})
		for _, id := range []string{"first", "second"} {
			c.Put("Port", map[string]any{"id": id})
		}
		c.Fault = unrouted
	}
	s := stage(t, seed, append(good(namespace("default")), one("FloatingIP", "default", "web", declared))...)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		awaitsRouter(p)
		wantIn(p, "FloatingIP", 1)
		cloudOf(p).SetFault(unrouted)
		p.Change("FloatingIP/web", "spec.resource.portRef.id", "second")
		awaitsRouter(p)
		if got := cloudOf(p).All("FloatingIP")[0]["port_id"]; got != "second" {
			t.Errorf("the address leads to %v", got)
		}
	})
}

// awaitsRouter lets a quarter of an hour go by without a router. It is stalled after ten, as is all that waits.
func awaitsRouter(p *kittest.Play) {
	p.T.Helper()
	p.Pass(5 * time.Minute)
	wantSays(p, "FloatingIP/web", "False Waiting Step resource: Waits until a router ")
	wantSays(p, "FloatingIP/web", "not reachable from subnet s. ")
	if c := p.Condition("FloatingIP/web", "Stalled"); c.Status == "True" {
		p.T.Errorf("it is stalled: %s", c.Message)
	}
	asked := len(cloudOf(p).Requests())
	p.Pass(10 * time.Minute)
	if n := len(cloudOf(p).Requests()) - asked; n > 50 {
		p.T.Errorf("%d requests were sent in ten minutes", n)
	}
	cloudOf(p).SetFault(nil)
	p.Pass(35 * time.Second)
	wantSays(p, "FloatingIP/web", "True")
}

// An external network may get its subnet from somebody who makes no objects: addresses and servers wait for it.
func TestResourcesAwaitSubnetsOfOthers(t *testing.T) {
	const (
		noIPv4 = "Bad floatingip request: Network n does not contain any IPv4 subnet."
		none   = "Network n requires a subnet in order to boot instances on."
	)
	refuse := func(_ int, r *http.Request) fake.Fault {
		switch {
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/floatingips"):
			return fake.Refused(http.StatusBadRequest, noIPv4)
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/servers"):
			return fake.Refused(http.StatusBadRequest, none)
		}
		return fake.None
	}
	seed := func(c *fake.Cloud) {
		c.Put("Network", map[string]any{"id": "public"})
		c.Put("Flavor", map[string]any{"id": "tiny"})
		c.Put("Image", map[string]any{"id": "disk"})
		c.Fault = refuse
	}
	s := stage(t, seed, append(good(namespace("default")),
		one("FloatingIP", "default", "web", "resource: {floatingNetworkRef: {id: public}}"),
		one("Server", "default", "web", "resource: {flavorRef: {id: tiny}, imageRef: {id: disk}, "+
			"networks: [{networkRef: {id: public}}]}"))...)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Pass(5 * time.Minute)
		wantSays(p, "FloatingIP/web", "False Waiting Step resource: Waits until the network has a subnet")
		wantSays(p, "Server/web", "False Waiting Step resource: Waits until the network has a subnet")
		cloudOf(p).SetFault(nil)
		p.Pass(time.Minute)
		wantSays(p, "FloatingIP/web", "True")
		wantSays(p, "Server/web", "True")
	})
}
