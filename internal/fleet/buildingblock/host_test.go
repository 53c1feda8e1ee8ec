package buildingblock_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

const (
	hostOne  = "Hypervisor/cloud/node-1"
	hostTwo  = "Hypervisor/cloud/node-2"
	computes = "DaemonSet/cloud/rack-a-compute"

	ownAggregate = "HostAggregate/cloud/rack-a"
	// row has both nodes.
	row = "hosts: {nodeSelector: {example.org/rack: null, example.org/row: one}}"
)

// hosting is a host that says so of itself. Its object is held, as its controller does.
func hosting(ready, reason, message, vacancy string) kittest.Behaviour {
	return func(p *kittest.Play, u *unstructured.Unstructured) map[string]any {
		out := kittest.Told(ready, reason, message)(p, u)
		conditions, _ := out["conditions"].([]any)
		first, _ := conditions[0].(map[string]any)
		registered := map[string]any{"type": "Registered"}
		for k, v := range first {
			if k != "type" {
				registered[k] = v
			}
		}
		out["conditions"], out["vacancy"] = append(conditions, registered), vacancy
		return out
	}
}

func occupied(name string) kittest.Behaviour {
	return hosting("False", "ServersOnHost", "1 server is on host "+name+" (web s-0): move or delete them.", "Occupied")
}

// hold keeps an object as its controller does.
func hold(p *kittest.Play, ref string) {
	p.T.Helper()
	p.Change(ref, "metadata.finalizers", []any{"example.org/controller"})
}

func letGo(p *kittest.Play, ref string) {
	p.T.Helper()
	p.Change(ref, "metadata.finalizers", nil)
}

// A block is ready when servers can be scheduled to its hosts, and not before; it says which host lacks what.
func TestReadyMeansSchedulable(t *testing.T) {
	s := scenario(t, "libvirt", "")
	s.Children["Hypervisor"] = hosting("False", "NotMapped",
		"Nova has not mapped host node-1 into its cell yet; wait.", "")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		for _, condition := range []string{"HostsReady", "Ready"} {
			if c := p.Condition(rack, condition); c.Status != "False" || c.Reason != "NotMapped" ||
				!strings.Contains(c.Message, "Nova has not mapped host node-1") {
				t.Errorf("%s is %s %s: %s", condition, c.Status, c.Reason, c.Message)
			}
		}
		p.Behave("Hypervisor", hosting("True", "Ready", "", ""))
		p.Settle()
		p.Ready()
	})
}

// A block with servers is not deleted: object, agents and aggregates stay, and it says what is to be done.
func TestServersKeepTheBlock(t *testing.T) {
	s := scenario(t, "libvirt", "spec: {"+row+"}")
	s.Children["Hypervisor"] = hosting("True", "Ready", "", "")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Remove(rack)
		p.Settle()
		if c := p.Condition(rack, "Ready"); c.Reason != "DeletionHeld" ||
			!strings.Contains(c.Message, "It is not known yet which servers are on host node-1.") ||
			!strings.Contains(c.Message, "abandon=hosts,aggregates") {
			t.Errorf("with nothing known, Ready is %s: %s", c.Reason, c.Message)
		}
		p.Behave("Hypervisor/node-1", hosting("False", "Leaving", "", "Vacant"))
		p.Behave("Hypervisor/node-2", occupied("node-2"))
		p.Settle()
		// Servers that are known are not given up.
		p.Change(rack, `metadata.annotations.kit\.stackwright\.dev/abandon`, "hosts,aggregates")
		p.Settle()
		if c := p.Condition(rack, "Ready"); c.Reason != "DeletionHeld" ||
			!strings.HasPrefix(c.Message, "1 server is on host node-2 (web s-0): move or delete them.") {
			t.Errorf("Ready is %s: %s", c.Reason, c.Message)
		}
		for _, ref := range []string{computes, "DaemonSet/cloud/rack-a-libvirt", hostOne, hostTwo, ownAggregate} {
			if o := p.Object(ref); o == nil || o.GetDeletionTimestamp() != nil {
				t.Errorf("%s is gone", ref)
			}
		}
		p.Behave("Hypervisor/node-2", hosting("False", "Leaving", "", "Vacant"))
		hold(p, hostTwo)
		p.Settle()
		if p.Object(computes) != nil || p.Object(hostTwo) == nil {
			t.Error("the host is taken off the books before its agents")
		}
		letGo(p, hostTwo)
		p.Settle()
		p.Empty()
	})
}

// A person who gives up hosts before the block is deleted does not give up servers: that counts once Nova was asked and
// did not tell.
func TestGivenUpOnceNovaDoesNotTell(t *testing.T) {
	s := scenario(t, "libvirt", "")
	s.Children["Hypervisor"] = busy(2)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Change(rack, `metadata.annotations.kit\.stackwright\.dev/abandon`, "hosts,aggregates")
		p.Remove(rack)
		p.Settle()
		if c := p.Condition(rack, "Ready"); c.Reason != "DeletionHeld" || p.Object(computes) == nil ||
			!strings.HasPrefix(c.Message, "Nova has not been asked yet which servers are on host node-1; wait") {
			t.Errorf("before Nova is asked Ready is %s: %s", c.Reason, c.Message)
		}
		p.Behave("Hypervisor/node-1", hosting("False", "Unavailable", "service compute does not answer", "Unknown"))
		p.Settle()
		p.Empty()
	})
}

// busy is a host with that many servers.
func busy(n int64) kittest.Behaviour {
	return kittest.With(hosting("True", "Ready", "", ""), map[string]any{"servers": n})
}

// servers is how many the block says that its hosts have.
func servers(p *kittest.Play) int64 {
	p.T.Helper()
	n, _, _ := unstructured.NestedInt64(p.Object(rack).Object, "status", "hosts", "servers")
	return n
}

// A block has the servers of all of its hosts, those that are about to leave it, too, and of no other block's. That
// another number is known costs one write.
func TestServersAreCounted(t *testing.T) {
	s := scenario(t, "libvirt", "spec: {"+row+"}")
	s.Children["Hypervisor"] = hosting("True", "Ready", "", "")
	s.Children["Hypervisor/node-1"] = busy(2)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		other := p.Object(hostOne).DeepCopy()
		other.SetName("node-3")
		other.SetLabels(nil)
		other.SetAnnotations(nil)
		other.SetOwnerReferences(nil)
		other.SetResourceVersion("")
		servicetest.Must(t, unstructured.SetNestedField(other.Object, "rack-b", "spec", "block"))
		p.Create(other)
		p.Settle()
		if n := servers(p); n != 2 {
			t.Errorf("one host has 2 servers, that of the other is not known, and the block says %d", n)
		}
		_, writes := p.During(func() {
			p.Behave("Hypervisor/node-2", busy(1))
			p.Settle()
		})
		writes = slices.DeleteFunc(writes, func(w string) bool { return !strings.Contains(w, "buildingblocks") })
		if n := servers(p); n != 3 || len(writes) != 1 {
			t.Errorf("2 hosts have 3 servers, and the block says %d after it wrote %q", n, writes)
		}
		hold(p, hostTwo)
		p.Behave("Hypervisor/node-2", kittest.With(occupied("node-2"), map[string]any{"servers": int64(4)}))
		p.Change("Node/node-2", "metadata.labels", map[string]any{})
		p.Settle()
		if n := servers(p); n != 6 {
			t.Errorf("with those of a host that leaves there are 6 servers, and the block says %d", n)
		}
		p.Behave("Hypervisor/node-1", busy(0))
		p.Behave("Hypervisor/node-2", kittest.With(hosting("False", "Leaving", "", "Vacant"),
			map[string]any{"servers": int64(0)}))
		p.Settle()
		if n := servers(p); n != 0 {
			t.Errorf("all servers are gone, and the block says %d", n)
		}
	})
}

// Servers that no Nova knows any more do not keep anybody.
func TestForgottenServersAreNotCounted(t *testing.T) {
	s := scenario(t, "libvirt", "")
	s.Children["Hypervisor"] = busy(2)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Remove("NovaCell/cloud/nova-cell1")
		p.Settle()
		if n := servers(p); n != 2 {
			t.Errorf("the cell can be made again, and of 2 servers the block says %d", n)
		}
		p.Remove("Nova/cloud/nova")
		p.Settle()
		if n := servers(p); n != 0 {
			t.Errorf("nobody knows of servers, and the block says %d", n)
		}
	})
}

// stays are the nodes without labels that have the agent of a set, each by a set of its own.
func stays(p *kittest.Play, set string) []string {
	p.T.Helper()
	var out []string
	for _, o := range p.Objects() {
		if o.GetKind() != "DaemonSet" || !strings.HasPrefix(o.GetName(), set+"-") {
			continue
		}
		terms, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "affinity",
			"nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
		for _, term := range terms {
			m, _ := term.(map[string]any)
			fields, _ := m["matchFields"].([]any)
			for _, f := range fields {
				values, _, _ := unstructured.NestedStringSlice(f.(map[string]any), "values")
				out = append(out, values...)
			}
		}
		apart, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "affinity", "podAntiAffinity",
			"requiredDuringSchedulingIgnoredDuringExecution")
		// From pods of the set of all, and from those of other blocks.
		if selector, _, _ := unstructured.NestedMap(o.Object, "spec", "template", "spec", "nodeSelector"); selector != nil ||
			len(apart) != 2 {
			p.T.Errorf("%s selects %v, and keeps apart from %v", o.GetName(), selector, apart)
		}
	}
	return out
}

// templates are the pods of the block's own sets. Whatever changes in them restarts all pods.
func templates(p *kittest.Play) map[string]any {
	p.T.Helper()
	out := map[string]any{}
	for _, set := range agents {
		out[set] = p.Object("DaemonSet/cloud/" + set).Object["spec"]
	}
	return out
}

var agents = []string{"rack-a-libvirt", "rack-a-compute", "rack-a-metadata"}

// A node that loses its labels keeps its agents, and its place in aggregates, until no server is on it. The agents of
// others go on as they are.
func TestServersKeepTheAgents(t *testing.T) {
	s := scenario(t, "libvirt", "spec: {ovn: network, "+row+"}")
	s.Children["Hypervisor"] = hosting("True", "Ready", "", "")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		before := templates(p)
		hold(p, hostTwo)
		p.Behave("Hypervisor/node-2", occupied("node-2"))
		p.Change("Node/node-2", "metadata.labels", map[string]any{})
		p.Settle()
		if c := p.Condition(rack, "Ready"); c.Reason != "ServersOnHost" || !strings.Contains(c.Message, "on host node-2") {
			t.Errorf("Ready is %s: %s", c.Reason, c.Message)
		}
		chassis, _, _ := unstructured.NestedStringSlice(p.Object("OVNChassis/cloud/rack-a").Object, "spec", "nodes")
		if !slices.Equal(chassis, []string{"node-2"}) {
			t.Errorf("the chassis is kept on %v, want node-2", chassis)
		}
		keptAlone(p, before)
		if h := p.Object(hostTwo); h == nil || h.GetDeletionTimestamp() != nil || inAggregates(p) != 2 {
			t.Errorf("the host is let go, or out of its aggregate: %d are in it", inAggregates(p))
		}
		p.Behave("Hypervisor/node-2", hosting("False", "Leaving", "", "Vacant"))
		p.Settle()
		if got := stays(p, "rack-a-compute"); len(got) > 0 || inAggregates(p) != 1 {
			t.Errorf("agents are kept on %v, and %d hosts are in the aggregate", got, inAggregates(p))
		}
		if h := p.Object(hostTwo); h == nil || h.GetDeletionTimestamp() == nil {
			t.Error("the object of an empty host is not deleted")
		}
		letGo(p, hostTwo)
		p.Settle()
		p.Ready()
	})
}

// keptAlone wants the second node to keep all agents, and those of others to be as before.
func keptAlone(p *kittest.Play, before map[string]any) {
	p.T.Helper()
	for _, set := range agents {
		if got := stays(p, set); !slices.Equal(got, []string{"node-2"}) {
			p.T.Errorf("%s is kept on %v, want node-2", set, got)
		}
	}
	if diff := cmp.Diff(before, templates(p)); diff != "" {
		p.T.Errorf("the agents of others are made anew (-before +after):\n%s", diff)
	}
}

func inAggregates(p *kittest.Play) (n int) {
	for _, o := range p.Objects() {
		if o.GetKind() == "AggregateHost" && o.GetDeletionTimestamp() == nil {
			n++
		}
	}
	return n
}

// The last node of a block leaves as any other does.
func TestTheLastNodeLeaves(t *testing.T) {
	s := scenario(t, "libvirt", "")
	s.Children["Hypervisor"] = hosting("True", "Ready", "", "")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Behave("Hypervisor/node-1", occupied("node-1"))
		p.Change("Node/node-1", "metadata.labels", map[string]any{})
		p.Settle()
		if c := p.Condition(rack, "NodesReady"); c.Reason != "NoNodes" || p.Object(hostOne) == nil {
			t.Errorf("NodesReady is %s: %s", c.Reason, c.Message)
		}
		p.Behave("Hypervisor/node-1", hosting("False", "Leaving", "", "Vacant"))
		p.Settle()
		if p.Object(hostOne) != nil {
			t.Error("the host is still there")
		}
	})
}

// A fake host that has servers is kept, and no other: one that the process runs is not let go of by Nova.
func TestFewerFakeHosts(t *testing.T) {
	s := scenario(t, "fake", "spec: {fake: {hosts: 5}}")
	s.Children["Hypervisor"] = hosting("True", "Ready", "", "Vacant")
	s.Children["Hypervisor/crowd-4"] = occupied("crowd-4")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Change(crowd, "spec.fake.hosts", int64(2))
		p.Settle()
		if n, more := process(p); n != "2" || more != "4" {
			t.Errorf("the process has %s hosts and number %q, want 2 and 4", n, more)
		}
		for name, stays := range map[string]bool{"crowd-1": true, "crowd-2": false, "crowd-3": false, "crowd-4": true} {
			if p.Object("Hypervisor/cloud/"+name) != nil != stays {
				t.Errorf("host %s is there: %v", name, !stays)
			}
		}
		p.Behave("Hypervisor/crowd-4", hosting("False", "Leaving", "", "Vacant"))
		p.Settle()
		if n, more := process(p); n != "2" || more != "" || p.Object("Hypervisor/cloud/crowd-4") != nil {
			t.Errorf("the process has %s hosts and number %q, want 2", n, more)
		}
	})
}

// process is how many hosts the process of a fake block has, and the numbers of those that are kept.
func process(p *kittest.Play) (hosts, more string) {
	p.T.Helper()
	containers, _, _ := unstructured.NestedSlice(p.Object("StatefulSet/cloud/crowd-compute").Object, "spec", "template",
		"spec", "containers")
	c, _ := containers[0].(map[string]any)
	env, _ := c["env"].([]any)
	for _, e := range env {
		m, _ := e.(map[string]any)
		switch v, _ := m["value"].(string); m["name"] {
		case "STACKWRIGHT_FAKE_HOSTS":
			hosts = v
		case "STACKWRIGHT_KEPT_HOSTS":
			more = v
		}
	}
	return hosts, more
}

// A block whose Nova is deleted for good goes without asking it. One whose Nova does not answer waits, and says for
// what and how a person gives it up.
func TestNovaIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		gone []string
		stay bool
	}{
		"it does not answer": {nil, true},
		"the cell is gone":   {[]string{"NovaCell/cloud/nova-cell1"}, true},
		"all is gone":        {[]string{"NovaCell/cloud/nova-cell1", "Nova/cloud/nova"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario(t, "libvirt", "")).Run(t, func(p *kittest.Play) {
				p.Ready()
				p.Behave("HostAggregate", kittest.Told("False", "Unavailable", "service compute does not answer"))
				hold(p, ownAggregate)
				p.Settle()
				for _, o := range c.gone {
					p.Remove(o)
				}
				p.Remove(rack)
				p.Settle()
				if givenUp(p) == c.stay {
					t.Errorf("its aggregate is given up: %v", givenUp(p))
				}
				if c.stay {
					giveUp(p)
				}
				letGo(p, ownAggregate)
				p.Settle()
				if p.Object(rack) != nil {
					t.Error("the block is still there")
				}
			})
		})
	}
}

func givenUp(p *kittest.Play) bool {
	return p.Object(ownAggregate).GetAnnotations()["kit.stackwright.dev/abandon"] == "*"
}

// giveUp does what the block says that a person can do.
func giveUp(p *kittest.Play) {
	p.T.Helper()
	r := p.Condition(rack, "Ready")
	for _, want := range []string{"Waits until HostAggregate rack-a is deleted", "service compute does not answer",
		"annotate the object with kit.stackwright.dev/abandon=aggregates"} {
		if !strings.Contains(r.Message, want) {
			p.T.Errorf("Ready is %s: %s\nwant %q", r.Reason, r.Message, want)
		}
	}
	p.Change(rack, `metadata.annotations.kit\.stackwright\.dev/abandon`, "aggregates")
	p.Settle()
	if !givenUp(p) {
		p.T.Error("a person gives it up, and nothing happens")
	}
}
