package buildingblock_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
)

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
