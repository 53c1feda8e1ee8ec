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

// What is declared at once is made at once, and some of it is refused until something else is there to which it does
// not refer, or which somebody makes who has no objects. It waits for that, and is made soon after.
func TestRefusedUntilSomethingElseIsThere(t *testing.T) {
	for _, c := range []struct {
		kind, spec string
		// at is the end of the path of the request that the cloud refuses, with what code and words.
		at   string
		code int
		says string
		want string
	}{
		{"FloatingIP", "{floatingNetworkRef: {id: network}}", "/floatingips", http.StatusBadRequest,
			"Bad floatingip request: Network n does not contain any IPv4 subnet.", "the network has a subnet of IPv4; see "},
		{"Server", "{flavorRef: {id: flavor}, imageRef: {id: image}, networks: [{networkRef: {id: network}}]}", "/servers",
			http.StatusBadRequest, "Network n requires a subnet in order to boot instances on.",
			"the network has a subnet; see "},
		{"Router", "{routes: [{destination: 198.51.100.0/24, nextHop: 192.0.2.9}]}", "/routers/", http.StatusBadRequest,
			"Invalid format for routes: [], the nexthop is not connected with router.",
			"a RouterInterface connects the router "},
		{"Limit", "{projectRef: {id: project}, serviceRef: {id: service}, resourceName: secrets, resourceLimit: 1}",
			"/limits", http.StatusForbidden, "Unable to create a limit that has no corresponding registered limit.",
			"a RegisteredLimit is there "},
	} {
		t.Run(c.kind, func(t *testing.T) {
			refuse := func(_ int, r *http.Request) fake.Fault {
				if r.Method != http.MethodGet && strings.Contains(r.URL.Path, c.at) && !strings.HasSuffix(r.URL.Path, "/tags") {
					return fake.Refused(c.code, c.says)
				}
				return fake.None
			}
			seed := func(cloud *fake.Cloud) {
				for _, kind := range []string{"Network", "Flavor", "Image", "Project", "Service"} {
					cloud.Put(kind, map[string]any{"id": strings.ToLower(kind)})
				}
				cloud.Fault = refuse
			}
			s := stage(t, seed, append(good(namespace("default")), one(c.kind, "default", "web", "resource: "+c.spec))...)
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Pass(5 * time.Minute)
				wantSays(p, c.kind+"/web", "False Waiting Step resource: Waits until "+c.want)
				cloudOf(p).SetFault(nil)
				p.Pass(time.Minute)
				wantSays(p, c.kind+"/web", "True")
			})
		})
	}
}
