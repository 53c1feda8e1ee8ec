package buildingblock

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"sigs.k8s.io/controller-runtime/pkg/client"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// where is all of a cell that objects in its cloud know.
func where(obj client.Object) string {
	c, ok := obj.(*servicev1.NovaCell)
	if !ok {
		return ""
	}
	return cmp.Or(c.Spec.Identity.Cloud, c.Spec.Identity.Keystone)
}

// aggregates puts the hosts into the block's own and into those that it names. Nova takes hosts that have
// registered in a cell, mapped or not.
func aggregates(s *scope) ([]client.Object, error) {
	b := s.Owner()
	// A block that is made again over a database of Nova that was kept finds its aggregate there.
	common := openstackv1.ResourceSpec{CloudRef: &openstackv1.CloudReference{Name: where(s.Get(refCell))}, Policy: "adopt"}
	own := &openstackv1.HostAggregate{ObjectMeta: meta(b, b.Name, ""), Spec: openstackv1.HostAggregateSpec{
		ResourceSpec: common, Resource: &openstackv1.HostAggregateResource{}}}
	if zone := b.Spec.Placement.AvailabilityZone; zone != "" {
		own.Spec.Resource.AvailabilityZone = &zone
	}
	out := []client.Object{own}
	for _, name := range append([]string{b.Name}, b.Spec.Placement.Aggregates...) {
		for _, host := range members(s) {
			out = append(out, &openstackv1.AggregateHost{ObjectMeta: meta(b, member(b, name, host), ""),
				Spec: openstackv1.AggregateHostSpec{ResourceSpec: common, Resource: &openstackv1.AggregateHostResource{
					AggregateRef: openstackv1.Reference{Name: name}, Host: host}}})
		}
	}
	return out, nil
}

// member names the object that puts a host into an aggregate. Names of hosts and aggregates are long.
func member(b object, aggregate, host string) string {
	sum := sha256.Sum256([]byte(aggregate + "\x00" + host))
	return b.Name + "-" + hex.EncodeToString(sum[:6])
}
