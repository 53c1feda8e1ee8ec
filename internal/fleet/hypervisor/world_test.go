package hypervisor_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/fleet/hypervisor"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/internal/service/servicetest"
)

const (
	node1 = "Hypervisor/cloud/node-1"
	block = "BuildingBlock/cloud/rack-a"
)

// scenario is a host that Nova knows, with its Cloud.
func scenario(t *testing.T) kittest.Scenario {
	t.Helper()
	secret := filepath.Join(t.TempDir(), "secret.yaml")
	servicetest.Must(t, os.WriteFile(secret, []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: cloud, namespace: "+
		"cloud}\ndata:\n  clouds.yaml: "+base64.StdEncoding.EncodeToString([]byte(fake.New(nil).CloudsYAML()))+"\n"), 0o600))
	const definitions = "../../../charts/stackwright-operator/crds/"
	return kittest.Scenario{
		Scheme: operator.Scheme(),
		Controllers: func(outside http.RoundTripper) ([]kit.Controller, error) {
			engine := resources.New(kinds.Served(), resources.Sessions(
				openstack.NewPool(openstack.Options{Transport: outside})))
			controllers, err := engine.Controllers(operator.Scheme(), "none but clouds")
			if err != nil {
				return nil, err
			}
			c, err := kit.New(hypervisor.Definition(engine.Guests(hypervisor.Kind)), operator.Scheme())
			return append(controllers, c), err
		},
		CRDs: []string{definitions + "fleet.stackwright.dev_buildingblocks.yaml",
			definitions + "fleet.stackwright.dev_hypervisors.yaml", definitions + "service.stackwright.dev_novas.yaml",
			definitions + "service.stackwright.dev_novacells.yaml", definitions + "openstack.stackwright.dev_clouds.yaml",
			definitions + "openstack.stackwright.dev_clusterclouds.yaml"},
		Files:   []string{"testdata/world.yaml", secret},
		Outside: func() http.RoundTripper { return newHall("node-1") },
	}
}

func hallOf(p *kittest.Play) *hall {
	p.T.Helper()
	h, ok := p.Outside.(*hall)
	if !ok {
		p.T.Fatalf("outside is a %T", p.Outside)
	}
	return h
}

func play(t *testing.T, f func(*kittest.Play, *hall)) {
	t.Helper()
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) { f(p, hallOf(p)) })
}

// says fails unless the host's Ready has that reason and a message with those words.
func says(p *kittest.Play, reason string, words ...string) {
	p.T.Helper()
	c := p.Condition(node1, "Ready")
	for _, w := range words {
		if !strings.Contains(c.Message, w) {
			p.T.Errorf("Ready is %s: %s\nwant %q in it", c.Reason, c.Message, w)
		}
	}
	if c.Reason != reason {
		p.T.Errorf("Ready is %s: %s\nwant reason %s", c.Reason, c.Message, reason)
	}
}

func field[T any](p *kittest.Play, path ...string) (out T) {
	p.T.Helper()
	v, _, err := unstructured.NestedFieldNoCopy(p.Object(node1).Object, append([]string{"status"}, path...)...)
	if out, ok := v.(T); ok || v == nil {
		return out
	}
	p.T.Fatalf("status %v is %v %v", path, v, err)
	return out
}

// leave takes the label from the node, servers lets some be on the host.
func leave(p *kittest.Play)                     { p.Change("Node/node-1", "metadata.labels", nil) }
func servers(h *hall, name string, s ...string) { h.with(name, func(o *host) { o.servers = s }) }

func TestReady(t *testing.T) { kittest.New(t, scenario(t)).Ready(t) }

// At rest nothing is written, whatever Nova is asked.
func TestBudget(t *testing.T) { kittest.New(t, scenario(t)).Budget(t, 20, 0) }

// What Nova and Placement know is in status.
func TestGolden(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		h.with("node-1", func(o *host) {
			o.zone, o.aggregates, o.servers = "north", []string{"ssd", "rack-a"}, []string{"first", "second"}
		})
		p.Pass(2 * time.Minute)
		p.Ready()
		status, _, _ := unstructured.NestedMap(p.Object(node1).Object, "status")
		for _, k := range []string{"conditions", "steps", "observedGeneration"} {
			delete(status, k)
		}
		text, err := yaml.Marshal(status)
		servicetest.Must(t, err)
		kittest.Golden(t, "testdata/minimal.yaml", string(text))
	})
}

// A host is ready when it is mapped, reports, and Placement knows what it has; each in turn is waited for, and seen
// within seconds.
func TestComesUpInTurn(t *testing.T) {
	s := scenario(t)
	s.Outside = func() http.RoundTripper { return newHall() }
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		h := hallOf(p)
		says(p, "NotRegistered", "Nova does not know host node-1 yet", "describe buildingblock/rack-a")
		for _, c := range []struct {
			change        func(*host)
			reason, words string
		}{
			{func(o *host) { o.up = true }, "NotMapped", "has not mapped host node-1 into its cell yet"},
			{func(o *host) { o.mapped, o.up = true, false }, "ServiceDown", "does not report"},
			{func(o *host) { o.up = true }, "NoInventory", "Placement does not know yet what host node-1 has"},
		} {
			h.with("node-1", c.change)
			p.Pass(12 * time.Second)
			says(p, c.reason, c.words)
		}
		h.with("node-1", func(o *host) { o.provided, o.generation = true, 1 })
		p.Until(12*time.Second, "Ready", func() bool { return p.Condition(node1, "Ready").Status == "True" })
	})
}

// What is never there is asked for less often after a while.
func TestPatience(t *testing.T) {
	s := scenario(t)
	s.Outside = func() http.RoundTripper { return newHall() }
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Pass(15 * time.Minute)
		hallOf(p).asked()
		p.Pass(10 * time.Minute)
		if n := len(hallOf(p).asked()); n > 4*11 {
			t.Errorf("there were %d requests in 10 minutes", n)
		}
	})
}

// A Nova that takes long to tell of its hosts is not asked all the time, whatever is awaited of them.
func TestABusyNovaIsSpared(t *testing.T) {
	const takes = 10 * time.Second
	s := scenario(t)
	s.Outside = func() http.RoundTripper {
		h := newHall()
		h.takes = takes
		return h
	}
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Pass(time.Minute)
		hallOf(p).asked()
		p.Pass(6 * time.Minute)
		asked := hallOf(p).asked()
		lists := len(slices.DeleteFunc(asked, func(a string) bool { return !strings.Contains(a, "os-hypervisors") }))
		if lists < 6 || lists > 10 {
			t.Errorf("in 6 minutes Nova listed %d times for %s", lists, takes)
		}
	})
}

// However many hosts a cloud has, there are four lists a minute, and three requests more for a host that changes.
func TestFourListsAMinute(t *testing.T) {
	const more = 60
	s := scenario(t)
	names := []string{"node-1"}
	for n := range more {
		names = append(names, fmt.Sprintf("crowd-%d", n))
	}
	s.Outside = func() http.RoundTripper { return newHall(names...) }
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		b := p.Object(block)
		b.SetName("crowd")
		b.SetResourceVersion("")
		b.SetUID("")
		b.Object["spec"] = map[string]any{"cell": "nova-cell1", "driver": "fake",
			"fake": map[string]any{"hosts": int64(more)}}
		p.Create(b)
		for _, name := range names[1:] {
			p.Create(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "fleet.stackwright.dev/v1alpha1",
				"kind": hypervisor.Kind, "metadata": map[string]any{"name": name, "namespace": "cloud"},
				"spec": map[string]any{"block": "crowd", "cell": "nova-cell1", "cloud": "identity"}}})
			p.Pass(time.Second)
		}
		p.Settle()
		p.Ready()
		p.Pass(15 * time.Minute)
		h := hallOf(p)
		h.asked()
		_, writes := p.During(func() { p.Pass(5 * time.Minute) })
		if asked := h.asked(); len(asked) > 4*6 || len(writes) > 0 {
			t.Errorf("at rest there were %d requests in 5 minutes, and %d writes: %v", len(asked), len(writes), asked)
		}
		servers(h, "crowd-7", "first")
		_, writes = p.During(func() { p.Pass(5 * time.Minute) })
		lists := 0
		for _, a := range h.asked() {
			if !strings.Contains(a, "/ID") {
				lists++
			}
		}
		if lists > 4*6 || len(writes) != 1 {
			t.Errorf("a server came, and there were %d lists and these writes: %v", lists, writes)
		}
	})
}

// What changes is seen within two minutes, and late promises of Placement are.
func TestFollows(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		p.Ready()
		servers(h, "node-1", "first")
		p.Pass(2 * time.Minute)
		if n, used := field[int64](p, "servers"), field[string](p, "vcpus", "used"); n != 1 || used != "1" {
			t.Errorf("there are %d servers with %s VCPUs, want 1 and 1", n, used)
		}
		// Nova forgets the server, and Placement its promise a little later.
		h.with("node-1", func(o *host) { o.servers, o.promised = nil, 1 })
		p.Pass(61 * time.Second)
		h.with("node-1", func(o *host) { o.promised = 0 })
		p.Pass(2 * time.Minute)
		if n, used := field[int64](p, "servers"), field[string](p, "vcpus", "used"); n != 0 || used != "0" {
			t.Errorf("there are %d servers with %s VCPUs, want none", n, used)
		}
	})
}

// A host that a person has closed is well, and stays closed.
func TestAPersonClosesAHost(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		h.with("node-1", func(o *host) { o.disabled, o.reason = true, "a fan is broken" })
		p.Pass(2 * time.Minute)
		p.Ready()
		if s, r := field[string](p, "state"), field[string](p, "service", "disabledReason"); s != "disabled" ||
			r != "a fan is broken" || !h.host("node-1").disabled {
			t.Errorf("the host is %s because %q", s, r)
		}
	})
}

// A service that does not answer takes nothing of what is known away.
func TestNovaDoesNotAnswer(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		p.Ready()
		h.breaks(true)
		p.Pass(3 * time.Minute)
		if c := p.Condition(node1, "Ready"); c.Status != "False" || !strings.Contains(c.Message, "os-hypervisors/detail") {
			t.Errorf("Ready is %s: %s", c.Reason, c.Message)
		}
		if n := field[string](p, "vcpus", "total"); n != "16" {
			t.Errorf("there are %s VCPUs, want 16", n)
		}
		if n := len(h.asked()); n > 3*60/5*4 {
			t.Errorf("there were %d requests in 3 minutes", n)
		}
		h.breaks(false)
		p.Until(time.Minute, "Ready", func() bool { return p.Condition(node1, "Ready").Status == "True" })
	})
}

func requested(asked []string, what string) bool { return slices.Contains(asked, what) }

// unchanged checks that all but conditions is known as it was.
func unchanged(p *kittest.Play, before map[string]any) {
	p.T.Helper()
	after := field[map[string]any](p)
	for _, k := range []string{"conditions", "steps"} {
		before[k], after[k] = nil, nil
	}
	if diff := cmp.Diff(before, after); diff != "" {
		p.T.Errorf("what is known has changed: %s", diff)
	}
}

// A cell that does not answer has Nova list no host at all. Those of others are well as long as nova-compute reports;
// of its own nobody tells, and what is known of them stays.
func TestACellDoesNotAnswer(t *testing.T) {
	const why = "describe novacell/nova-cell1"
	for name, c := range map[string]struct {
		down, reason, words string
		restart             bool
	}{
		"that of others":                          {"cell0", "Ready", "", false},
		"that of others, over a restart":          {"cell0", "Ready", "", true},
		"its own":                                 {"cell1", "CellDown", why, false},
		"its own, over a restart of the operator": {"cell1", "CellDown", why, true},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(p *kittest.Play, h *hall) {
				servers(h, "node-1", "web")
				p.Pass(2 * time.Minute)
				p.Ready()
				before := field[map[string]any](p)
				if h.loses(c.down); c.restart {
					p.Restart()
				}
				h.asked()
				p.Pass(3 * time.Minute)
				if n := len(h.asked()); n > 3*60/5*4 {
					t.Errorf("there were %d requests in 3 minutes", n)
				}
				says(p, c.reason, c.words)
				unchanged(p, before)
				h.with("node-1", func(o *host) { o.up = false })
				p.Pass(2 * time.Minute)
				if c.reason == "Ready" {
					says(p, "ServiceDown", "does not report")
				}
				h.with("node-1", func(o *host) { o.up = true })
				h.loses()
				p.Until(time.Minute, "Ready", func() bool { return p.Condition(node1, "Ready").Status == "True" })
			})
		})
	}
}

// Nobody tells whether a new host is mapped while a cell does not answer.
func TestANewHostWhileACellDoesNotAnswer(t *testing.T) {
	s := scenario(t)
	s.Outside = func() http.RoundTripper { return newHall() }
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		h := hallOf(p)
		h.loses("cell0")
		h.with("node-1", func(o *host) { o.up, o.mapped, o.provided, o.generation = true, true, true, 1 })
		p.Pass(2 * time.Minute)
		says(p, "Error", "os-hypervisors/detail")
		h.loses()
		p.Until(time.Minute, "Ready", func() bool { return p.Condition(node1, "Ready").Status == "True" })
	})
}
