package hypervisor_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/fleet/hypervisor"
	"stackwright.dev/stackwright/internal/service/servicetest"
)

// A host with servers stays when its node is taken out of the block: it is closed, and says what is to be done. It goes
// when it is empty and its nova-compute has ended.
func TestLeaves(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		servers(h, "node-1", "web", "db")
		leave(p)
		p.Settle()
		p.Remove(node1)
		p.Pass(3 * time.Minute)
		says(p, "DeletionHeld", "2 servers are on host node-1 (db s-1, web s-0): move or delete them.")
		if o := h.host("node-1"); !o.disabled || o.reason != "stackwright: leaves BuildingBlock rack-a" {
			t.Errorf("the host is not closed: %v because %q", o.disabled, o.reason)
		}
		if v := field[string](p, "vacancy"); v != "Occupied" {
			t.Errorf("vacancy is %s", v)
		}
		servers(h, "node-1")
		h.with("node-1", func(o *host) { o.promised = 1 })
		p.Pass(time.Minute)
		says(p, "DeletionHeld", "Placement has promised room on it")
		h.with("node-1", func(o *host) { o.promised = 0 })
		p.Pass(time.Minute)
		says(p, "Deleting", "Waits until nova-compute of host node-1 has ended")
		if requested(h.asked(), "DELETE os-services/ID") {
			t.Error("the service was deleted while nova-compute runs")
		}
		h.with("node-1", func(o *host) { o.up = false })
		p.Settle()
		if p.Object(node1) != nil || h.host("node-1") != nil {
			t.Error("the host is still there")
		}
	})
}

// Servers on a host whose node is gone cannot be moved by it: the host says what can be done with them, and with the
// room that Placement keeps for those that were evacuated.
func TestTheNodeIsGone(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		servers(h, "node-1", "web")
		p.Ready()
		p.Remove("Node/node-1")
		h.with("node-1", func(o *host) { o.up = false })
		p.Pass(time.Minute)
		says(p, "ServersOnHost", "1 server is on host node-1 (web s-0), whose node is gone: move them off with stackwright "+
			"openstack server evacuate SERVER")
		servers(h, "node-1")
		h.with("node-1", func(o *host) { o.promised = 1 })
		p.Pass(time.Minute)
		says(p, "RoomPromised", "and its node is gone", "resource provider allocation unset --provider")
		h.with("node-1", func(o *host) { o.promised = 0 })
		p.Pass(time.Minute)
		p.Remove(node1)
		p.Settle()
		if p.Object(node1) != nil || h.host("node-1") != nil {
			t.Error("the host is still there")
		}
	})
}

// A fake host has no node that could be gone.
func TestAFakeHostHasNoNode(t *testing.T) {
	s := scenario(t)
	s.Outside = func() http.RoundTripper { return newHall("node-1", "crowd-1") }
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		servers(hallOf(p), "crowd-1", "web")
		for _, o := range []struct {
			kind, name string
			spec       map[string]any
		}{
			{"BuildingBlock", "crowd", map[string]any{"cell": "nova-cell1", "driver": "fake",
				"fake": map[string]any{"hosts": int64(1)}}},
			{hypervisor.Kind, "crowd-1", map[string]any{"block": "crowd", "cell": "nova-cell1", "cloud": "identity"}},
		} {
			p.Create(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "fleet.stackwright.dev/v1alpha1",
				"kind": o.kind, "metadata": map[string]any{"name": o.name, "namespace": "cloud"}, "spec": o.spec}})
		}
		p.Pass(2 * time.Minute)
		c := p.Condition("Hypervisor/cloud/crowd-1", "Ready")
		if want := "1 server is on host crowd-1 (web s-0): move or delete them."; c.Message != want &&
			!strings.HasSuffix(c.Message, " "+want) {
			t.Errorf("Ready is %s: %s\nwant %s", c.Reason, c.Message, want)
		}
	})
}

// A node that another block has already does not become silent: its nova-compute is the same host to Nova. The
// Hypervisor says whose it is.
func TestTheNodeIsAnotherBlocks(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		p.Ready()
		other := p.Object(block)
		other.SetName("rack-b")
		other.SetResourceVersion("")
		other.SetUID("")
		servicetest.Must(t, unstructured.SetNestedStringMap(other.Object, map[string]string{"example.org/rack": "b"}, "spec",
			"hosts", "nodeSelector"))
		p.Create(other)
		p.Change("Node/node-1", "metadata.labels", map[string]any{"example.org/rack": "b"})
		p.Pass(time.Minute)
		p.Remove(node1)
		p.Pass(time.Minute)
		says(p, "Deleting", "which that of BuildingBlock cloud/rack-b keeps up in Nova; take the labels of that block off")
		p.Change("Node/node-1", "metadata.labels", nil)
		p.Pass(time.Minute)
		says(p, "Deleting", "see its pod on that node")
		h.with("node-1", func(o *host) { o.up = false })
		p.Settle()
		if p.Object(node1) != nil || h.host("node-1") != nil {
			t.Error("the host is still there")
		}
	})
}

// A host with many servers names some. Who may not list servers is told by what libvirt knows them.
func TestNamesSomeServers(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		servers(h, "node-1", "a", "b", "c", "d", "e", "f", "g")
		leave(p)
		p.Pass(time.Minute)
		says(p, "ServersOnHost", "7 servers are on host node-1 (a s-0, b s-1, c s-2, d s-3, e s-4, and others)")
		servers(h, "node-1", "a")
		h.nameless = true
		p.Pass(time.Minute)
		says(p, "ServersOnHost", "1 server is on host node-1 (instance-00000001 s-0)")
	})
}

// A server that was about to come when the host was closed is waited for.
func TestAServerComesLate(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		leave(p)
		p.Until(20*time.Second, "closed", func() bool { return h.host("node-1").disabled })
		p.Pass(5 * time.Second)
		if v := field[string](p, "vacancy"); v != "Unknown" {
			t.Errorf("vacancy is %s right after the host was closed", v)
		}
		servers(h, "node-1", "late")
		p.Pass(time.Minute)
		says(p, "ServersOnHost", "1 server is on host node-1 (late s-0)")
		servers(h, "node-1")
		p.Pass(time.Minute)
		if v := field[string](p, "vacancy"); v != "Vacant" {
			t.Errorf("vacancy is %s", v)
		}
	})
}

// An operator that never lives for long lets a host go all the same.
func TestLeavesWithinShortLives(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		leave(p)
		for range 4 {
			p.Pass(5 * time.Second)
			p.Restart()
		}
		p.Pass(time.Second)
		if v := field[string](p, "vacancy"); v != "Vacant" {
			t.Errorf("vacancy is %s", v)
		}
		// What was known of a host that somebody has opened meanwhile is no more.
		p.Stop()
		h.with("node-1", func(o *host) { o.disabled, o.reason = false, "" })
		was := field[string](p, "closedSince")
		p.Start()
		p.Pass(time.Minute)
		if now := field[string](p, "closedSince"); now == was || !h.host("node-1").disabled {
			t.Errorf("it is closed since %s, as before it was opened", now)
		}
	})
}

// A node that gets its labels back is opened again, if it was us who closed it.
func TestComesBack(t *testing.T) {
	for reason, closed := range map[string]bool{"stackwright: leaves BuildingBlock rack-a": false, "a fan": true} {
		t.Run(reason, func(t *testing.T) {
			play(t, func(p *kittest.Play, h *hall) {
				servers(h, "node-1", "web")
				leave(p)
				p.Pass(time.Minute)
				h.with("node-1", func(o *host) { o.reason = reason })
				p.Change("Node/node-1", "metadata.labels", map[string]any{"example.org/rack": "a"})
				p.Pass(2 * time.Minute)
				p.Ready()
				if h.host("node-1").disabled != closed {
					t.Errorf("closed is %v, want %v", !closed, closed)
				}
				if v := field[string](p, "vacancy"); v != "" {
					t.Errorf("vacancy is %s", v)
				}
			})
		})
	}
}

// An object that is deleted by hand takes nothing away from Nova: its block makes it again.
func TestDeletedByHand(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		servers(h, "node-1", "web")
		p.Settle()
		p.Remove(node1)
		p.Settle()
		if o := h.host("node-1"); p.Object(node1) != nil || o == nil || o.disabled {
			t.Errorf("the object is there: %v, and Nova has %v", p.Object(node1) != nil, o)
		}
	})
}

// With the block, its hosts leave.
func TestTheBlockIsDeleted(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		p.Ready()
		p.Change(block, "metadata.finalizers", []any{"example.org/block"})
		p.Remove(block)
		p.Pass(time.Minute)
		if v := field[string](p, "vacancy"); v != "Vacant" || !h.host("node-1").disabled {
			t.Errorf("vacancy is %s", v)
		}
		h.with("node-1", func(o *host) { o.up = false })
		h.mu.Lock()
		h.sticky = true
		h.mu.Unlock()
		p.Remove(node1)
		p.Settle()
		if left := h.host("left by node-1"); p.Object(node1) != nil || left != nil {
			t.Errorf("left are the object: %v, the provider: %v", p.Object(node1) != nil, left)
		}
	})
}

// Whose Nova is deleted for good goes at once; whose Nova does not answer waits, and says how a person gives it up.
func TestNovaIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		gone    []string
		abandon bool
		stays   bool
	}{
		"it does not answer":                    {stays: true},
		"it does not answer, a person gives up": {abandon: true},
		"the cell is gone":                      {gone: []string{"NovaCell/cloud/nova-cell1"}, stays: true},
		"all is gone":                           {gone: []string{"NovaCell/cloud/nova-cell1", "Nova/cloud/nova"}},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(p *kittest.Play, h *hall) {
				p.Ready()
				h.breaks(true)
				for _, o := range c.gone {
					p.Remove(o)
				}
				leave(p)
				p.Pass(time.Minute)
				p.Remove(node1)
				p.Pass(time.Minute)
				if c.abandon {
					says(p, "DeletionHeld", "503", "annotate the object with kit.stackwright.dev/abandon=nova")
					p.Change(node1, `metadata.annotations.kit\.stackwright\.dev/abandon`, "nova")
					p.Settle()
				}
				if there := p.Object(node1) != nil; there != c.stays {
					t.Errorf("the object is there: %v, want %v", there, c.stays)
				}
			})
		})
	}
}

// Of a host that is to leave it is said that nobody tells of servers when Nova does not answer, or when there is no way
// to it, also by an operator that has begun anew, whatever the one before it has seen.
func TestNobodyTells(t *testing.T) {
	for name, silence := range map[string]func(*kittest.Play, *hall){
		"Nova does not answer":  func(_ *kittest.Play, h *hall) { h.breaks(true) },
		"the Cloud has no data": func(p *kittest.Play, _ *hall) { p.Change("Secret/cloud/cloud", "data", nil) },
	} {
		for when, before := range map[string]bool{"servers were seen": true, "it leaves later": false} {
			t.Run(name+", "+when, func(t *testing.T) {
				play(t, func(p *kittest.Play, h *hall) {
					servers(h, "node-1", "web")
					leaves(p, before)
					if v := field[string](p, "vacancy"); (v == "Occupied") != before {
						t.Errorf("before, vacancy is %q", v)
					}
					p.Stop()
					silence(p, h)
					p.Start()
					leaves(p, !before)
					if v, n := field[string](p, "vacancy"), field[int64](p, "servers"); v != "Unknown" || n != 1 {
						t.Errorf("vacancy is %q, and %d servers are known", v, n)
					}
				})
			})
		}
	}
}

// A host whose cell does not answer keeps its agents, whatever was seen of it before. One of another cell may go if
// Nova comes to it before it comes to the cell that does not answer.
func TestLeavesWhileACellDoesNotAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		down    string
		servers []string
		mapped  bool
		vacancy string
	}{
		"its own, with servers":     {"cell1", []string{"web"}, true, "Unknown"},
		"its own, without":          {"cell1", nil, true, "Unknown"},
		"its own, not mapped":       {"cell1", nil, false, "Unknown"},
		"an earlier one":            {"cell0", nil, true, "Unknown"},
		"a later one, with servers": {"cell2", []string{"web"}, true, "Occupied"},
		"a later one, without":      {"cell2", nil, true, "Vacant"},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(p *kittest.Play, h *hall) {
				h.with("node-1", func(o *host) { o.mapped = c.mapped })
				p.Pass(2 * time.Minute)
				h.loses(c.down)
				servers(h, "node-1", c.servers...)
				leave(p)
				p.Pass(2 * time.Minute)
				if v := field[string](p, "vacancy"); v != c.vacancy {
					t.Errorf("vacancy is %s, want %s", v, c.vacancy)
				}
				p.Remove(node1)
				p.Pass(2 * time.Minute)
				if gone := p.Object(node1) == nil; gone {
					t.Error("the object is gone")
				}
				servers(h, "node-1")
				h.with("node-1", func(o *host) { o.up = false })
				h.loses()
				p.Settle()
				if p.Object(node1) != nil || h.host("node-1") != nil {
					t.Error("the host is still there")
				}
			})
		})
	}
}

// A host that was empty when its cell went away is not taken off Nova's books while nobody tells of its nova-compute.
func TestACellGoesAwayWhileAHostLeaves(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		leave(p)
		p.Pass(time.Minute)
		if v := field[string](p, "vacancy"); v != "Vacant" {
			t.Fatalf("vacancy is %s", v)
		}
		h.loses("cell1")
		p.Remove(node1)
		p.Pass(2 * time.Minute)
		if p.Object(node1) == nil || h.host("node-1") == nil || !h.host("node-1").provided {
			t.Fatal("the host is gone")
		}
		says(p, "Deleting", "describe novacell/nova-cell1", "annotate the object with kit.stackwright.dev/abandon=nova")
		h.with("node-1", func(o *host) { o.up = false })
		h.loses()
		p.Settle()
		if p.Object(node1) != nil || h.host("node-1") != nil {
			t.Error("the host is still there")
		}
	})
}

// leaves lets some minutes pass, after which the host may be told to leave.
func leaves(p *kittest.Play, told bool) {
	p.T.Helper()
	p.Pass(time.Minute)
	if told {
		leave(p)
	}
	p.Pass(2 * time.Minute)
}

// A person cannot give up servers that are known.
func TestServersAreNotGivenUp(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		servers(h, "node-1", "web")
		leave(p)
		p.Pass(time.Minute)
		p.Change(node1, `metadata.annotations.kit\.stackwright\.dev/abandon`, "nova")
		p.Remove(node1)
		p.Pass(time.Minute)
		says(p, "DeletionHeld", "1 server is on host node-1")
	})
}

// departure is a host that leaves, from its label to its end.
func departure(p *kittest.Play) {
	h, ok := p.Outside.(*hall)
	if !ok {
		p.T.Fatalf("outside is a %T", p.Outside)
	}
	leave(p)
	p.Settle()
	p.Remove(node1)
	p.Pass(30 * time.Second)
	h.with("node-1", func(o *host) { o.up = false })
}

// A host comes, loses a trait, or leaves, also when the operator is killed at any request.
func TestCrash(t *testing.T) {
	s := scenario(t)
	s.Stride = 4 // its requests are many and alike
	t.Run("traits", func(t *testing.T) { kittest.New(t, s).Crash(t, withdrawal) })
	t.Run("arrival", func(t *testing.T) { kittest.New(t, s).Crash(t, nil) })
	t.Run("departure", func(t *testing.T) {
		s := s
		s.Outside = func() http.RoundTripper { return newHall("node-1") }
		kittest.New(t, s).Crash(t, func(p *kittest.Play) {
			departure(p)
			p.Settle()
			if h := hallOf(p).host("node-1"); h != nil || p.Object(node1) != nil {
				p.T.Errorf("the host is left: %v, the object: %v", h != nil, p.Object(node1) != nil)
			}
		})
	})
}

// A cloud stays as long as a host is in it.
func TestTheCloudStays(t *testing.T) {
	play(t, func(p *kittest.Play, _ *hall) {
		p.Ready()
		p.Remove("Cloud/cloud/identity")
		p.Pass(time.Minute)
		if c := p.Condition("Cloud/cloud/identity", "Ready"); !strings.Contains(c.Message, "Hypervisor node-1") {
			t.Errorf("the Cloud says %s", c.Message)
		}
	})
}
