// Package fleet has what kinds of hosts have in common.
package fleet

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	"stackwright.dev/stackwright/internal/nodes"
)

// Forgotten tells whether the Nova that hosts belonged to is deleted for good: its cell is, and there is no Nova in the
// namespace to which another one could belong. Nobody is left to be asked then.
func Forgotten(cell client.Object, novas []client.Object) bool {
	return cell == nil && !slices.ContainsFunc(novas, func(n client.Object) bool { return n != nil })
}

// Selector are the labels of the nodes of a block.
func Selector(b *fleetv1.BuildingBlock) map[string]string {
	out := map[string]string{}
	for k, v := range b.Spec.Hosts.NodeSelector {
		out[k] = string(v)
	}
	return out
}

// Conditions of blocks that tell of the agents by which Nova knows the hosts.
const (
	ConditionCompute = "ComputeReady"
	ConditionFake    = "FakeReady"
)

// Settled tells whether every nova-compute of a block runs with what the block says now.
func Settled(b *fleetv1.BuildingBlock) bool {
	name := ConditionCompute
	if b.Spec.Driver == fleetv1.DriverFake {
		name = ConditionFake
	}
	c := meta.FindStatusCondition(b.Status.Conditions, name)
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == b.Generation
}

// FakeHost names a host of driver fake.
func FakeHost(b *fleetv1.BuildingBlock, n int32) string { return fmt.Sprintf("%s-%d", b.Name, n) }

// Wanted tells whether a host is to be one of a block's. The node is nil when there is none of the host's name.
func Wanted(b *fleetv1.BuildingBlock, host string, node client.Object) bool {
	if b == nil || b.DeletionTimestamp != nil {
		return false
	}
	if b.Spec.Driver == fleetv1.DriverFake {
		for n := range b.Spec.Fake.Hosts {
			if FakeHost(b, n) == host {
				return true
			}
		}
		return false
	}
	return node != nil && len(nodes.Selected([]client.Object{node}, Selector(b))) > 0
}
