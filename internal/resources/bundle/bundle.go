// Package bundle makes a project with all that is in it out of one object: it writes an object for each part, and the
// engine of these kinds does the rest.
package bundle

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
)

type (
	bundle = openstackv1.ProjectBundle
	scope  = step.Scope[*bundle]
)

// part is a part of a bundle: a step.
type part struct {
	name, condition string
	after           []string
	makes           []string
	// used tells whether a bundle has the part.
	used   func(*openstackv1.ProjectBundleSpec) bool
	render func(*scope) []client.Object
}

// The parts.
const (
	partProject    = "project"
	partQuota      = "quota"
	partNetworks   = "networks"
	partSubnets    = "subnets"
	partRouters    = "routers"
	partInterfaces = "interfaces"
	partGroups     = "groups"
	partRules      = "rules"
	partRoles      = "roles"
)

// parts in the order in which they are made; they are deleted the other way round.
func parts() []part {
	type spec = openstackv1.ProjectBundleSpec
	nets := func(s *spec) bool { return len(s.Networks) > 0 }
	groups := func(s *spec) bool { return len(s.SecurityGroups) > 0 }
	routers := func(s *spec) bool { return len(s.Routers) > 0 }
	return []part{
		{name: partProject, condition: "ProjectReady", makes: []string{"Project"}, render: project,
			used: func(*spec) bool { return true }},
		{name: partQuota, condition: "QuotaReady", after: []string{partProject},
			makes: []string{"ComputeQuota", "NetworkQuota", "VolumeQuota", "Limit"}, render: quota,
			used: func(s *spec) bool {
				return s.Quota.Compute != nil || s.Quota.Network != nil || s.Quota.Volume != nil || len(s.Quota.Limits) > 0
			}},
		{name: partNetworks, condition: "NetworksReady", after: []string{partQuota}, makes: []string{"Network"}, used: nets,
			render: networks},
		{name: partSubnets, condition: "NetworksReady", after: []string{partNetworks}, makes: []string{"Subnet"}, used: nets,
			render: subnets},
		{name: partRouters, condition: "RoutersReady", after: []string{partQuota}, makes: []string{"Router"}, used: routers,
			render: routersOf},
		{name: partInterfaces, condition: "RoutersReady", after: []string{partSubnets, partRouters},
			makes: []string{"RouterInterface"}, used: routers, render: interfaces},
		{name: partGroups, condition: "SecurityGroupsReady", after: []string{partQuota}, makes: []string{"SecurityGroup"},
			used: groups, render: securityGroups},
		{name: partRules, condition: "SecurityGroupsReady", after: []string{partGroups},
			makes: []string{"SecurityGroupRule"}, used: groups, render: rules},
		{name: partRoles, condition: "RolesReady", after: []string{partProject}, makes: []string{"RoleAssignment"},
			used: func(s *spec) bool { return len(s.RoleBindings) > 0 }, render: roles},
	}
}

// Definition is the controller of bundles. served tells whether the cluster has a kind; nil when it has all.
func Definition(served func(kind string) bool) kit.Definition[*bundle] {
	d := kit.Definition[*bundle]{Name: "projectbundle", New: func() *bundle { return &bundle{} }}
	for _, p := range parts() {
		d.Steps = append(d.Steps, p.step(served))
	}
	return d
}

func (p part) step(served func(string) bool) step.Step[*bundle] {
	options := []step.Option[*bundle]{step.After[*bundle](p.after...), step.Condition[*bundle](p.condition),
		step.When(func(b *bundle) bool { return p.used(&b.Spec) })}
	var makes []client.Object
	for _, kind := range p.makes {
		if served == nil || served(kind) {
			makes = append(makes, openstackv1.New(kind))
		}
	}
	return step.Objects(p.name, func(sc *scope) ([]client.Object, error) {
		objects := p.render(sc)
		for _, o := range objects {
			if kind := kindOf(o); served != nil && !served(kind) {
				return nil, outcome.Invalidf("this cluster has no kind %s: install it and restart the operator, or take %s out "+
					"of the bundle", kind, p.name)
			}
		}
		return objects, nil
	}, append(options, step.Makes[*bundle](makes...), step.Adopt[*bundle](step.Never))...)
}
