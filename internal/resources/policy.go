package resources

import (
	"slices"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// The policies of spec.policies.
const (
	policyCreate   = "Create"
	policyUpdate   = "Update"
	policyDelete   = "Delete"
	policyRecreate = "Recreate"
)

// The values of spec.drift.
const (
	driftReport = "Report"
	driftIgnore = "Ignore"
)

// policy is what may be done to a resource.
type policy struct {
	create, update, delete, recreate bool
	// adopt takes over a resource that has the natural key and nobody's marker.
	adopt bool
}

// looks tells whether nothing may be done but to look.
func (p policy) looks() bool { return !p.create && !p.update && !p.delete }

// takes tells whether what is found by its key alone may be had: by who only looks, or is to take it over.
func (p policy) takes() bool { return p.adopt || p.looks() }

// policyOf is what an object of a kind allows; what OpenStack itself makes can only be observed.
func policyOf(k *d.Kind, s *openstackv1.ResourceSpec) policy {
	if k.ReadOnly {
		return policy{}
	}
	if len(s.Policies) > 0 {
		has := func(p string) bool { return slices.Contains(s.Policies, p) }
		return policy{create: has(policyCreate), update: has(policyUpdate), delete: has(policyDelete),
			// What cannot be made again is not deleted to be made again.
			recreate: has(policyRecreate) && has(policyCreate) && s.Import == nil, adopt: s.Policy == "adopt"}
	}
	switch s.Policy {
	case "observe":
		return policy{}
	case "detach":
		return policy{create: true, update: true}
	case "adopt":
		return policy{create: true, update: true, delete: true, adopt: true}
	}
	return policy{create: true, update: true, delete: true}
}
