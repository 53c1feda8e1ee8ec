package buildingblock_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

// zone has the block say another zone, or none, and returns what is answered.
func zone(p *kittest.Play, name string) error {
	p.T.Helper()
	b := p.Object(rack)
	unstructured.RemoveNestedField(b.Object, "spec", "placement")
	if name != "" {
		servicetest.Must(p.T, unstructured.SetNestedField(b.Object, name, "spec", "placement", "availabilityZone"))
	}
	return servicetest.Update(p, b)
}

// Nova takes no aggregate out of its zone, so that the block would be in it for ever and not say so.
func TestAZoneIsNotTakenOut(t *testing.T) {
	kittest.New(t, scenario(t, "libvirt", "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		for _, name := range []string{"north", "south"} {
			servicetest.Must(t, zone(p, name))
			p.Settle()
			got, _, _ := unstructured.NestedString(p.Object(ownAggregate).Object, "spec", "resource", "availabilityZone")
			if got != name {
				t.Errorf("the zone of the aggregate is %q, want %s", got, name)
			}
		}
		servicetest.Denied(t, zone(p, ""), "placement.availabilityZone cannot be taken out")
	})
}

// A block that is made again over a database of Nova that was kept takes over what it had there: nobody else could, as
// nobody but the block writes these objects.
func TestWhatNovaHasKeptIsTakenOver(t *testing.T) {
	kittest.New(t, scenario(t, "libvirt", "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		n := 0
		for _, o := range p.Objects() {
			if kind := o.GetKind(); kind != "HostAggregate" && kind != "AggregateHost" {
				continue
			}
			n++
			if policy, _, _ := unstructured.NestedString(o.Object, "spec", "policy"); policy != "adopt" {
				t.Errorf("the policy of %s %s is %q", o.GetKind(), o.GetName(), policy)
			}
		}
		if n != 2 {
			t.Errorf("there are %d objects, want the aggregate and its host", n)
		}
	})
}
