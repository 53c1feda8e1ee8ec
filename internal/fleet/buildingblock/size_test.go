package buildingblock_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

// rackOf adds nodes to rack-a until it has that many, all at once.
func rackOf(p *kittest.Play, hosts int) {
	p.T.Helper()
	p.Stop()
	defer p.Start()
	for n := 1; n < hosts; n++ {
		p.Create(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Node",
			"metadata": map[string]any{"name": fmt.Sprintf("more-%d", n), "labels": map[string]any{"example.org/rack": "a"}}}})
	}
}

// many are names of aggregates.
func many(n int) []any {
	var out []any
	for i := range n {
		out = append(out, fmt.Sprintf("aggregate-%d", i))
	}
	return out
}

// A block that has more objects than there is room for in its status could not tell anything: it says so before it
// makes them, and leaves its agents alone.
func TestTooManyHosts(t *testing.T) {
	kittest.New(t, scenario(t, "libvirt", "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Change(rack, "spec.placement", map[string]any{"aggregates": many(16)})
		p.Settle()
		p.Ready()
		rackOf(p, 120)
		p.Settle()
		const want = "120 hosts, 0 of them on their way out, in 16 aggregates of spec.placement.aggregates are more than a " +
			"block can have; make two blocks"
		if c := p.Condition(rack, "Ready"); c.Reason != "TooManyHosts" || !strings.Contains(c.Message, want) {
			t.Errorf("Ready is %s: %s", c.Reason, c.Message)
		}
		if n := inAggregates(p); n != 17 || p.Object(computes) == nil {
			t.Errorf("there are %d memberships, want those of one host in 17 aggregates, and its agents", n)
		}
		p.Change(rack, "spec.placement", nil)
		p.Settle()
		p.Ready()
	})
}

// What a block has beside the objects of its hosts is few, whatever it asks for: there is room in its status for that.
func TestABlocksOwnObjectsAreFew(t *testing.T) {
	patch := "spec: {ovn: network, storage: {rbd: {secret: ceph-nova, pool: vms}}, agents: {libvirt: {config: " +
		"{libvirtd.conf: {max_clients: 4321}}}}}"
	kittest.New(t, scenario(t, "libvirt", patch)).Run(t, func(p *kittest.Play) {
		p.Ready()
		items, _, _ := unstructured.NestedSlice(p.Object(rack).Object, "status", "inventory")
		if n := len(items) - 2; n > 18 {
			t.Errorf("without a Hypervisor and an AggregateHost there are %d objects", n)
		}
	})
}

// Of fake hosts that is known when they are asked for.
func TestTooManyFakeHosts(t *testing.T) {
	kittest.New(t, scenario(t, "fake", "spec: {fake: {hosts: 2}}")).Run(t, func(p *kittest.Play) {
		ask := func(hosts int64, aggregates int) error {
			b := p.Object(crowd)
			servicetest.Must(t, unstructured.SetNestedField(b.Object, hosts, "spec", "fake", "hosts"))
			servicetest.Must(t, unstructured.SetNestedSlice(b.Object, many(aggregates), "spec", "placement", "aggregates"))
			return servicetest.Update(p, b)
		}
		servicetest.Denied(t, ask(500, 3), "is 2000 at most: make two blocks")
		servicetest.Denied(t, ask(112, 16), "is 2000 at most: make two blocks")
		servicetest.Must(t, ask(3, 16))
	})
}
