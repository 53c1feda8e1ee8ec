package buildingblock

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/fleet"
	"stackwright.dev/stackwright/internal/infra/ovnchassis"
)

// networked tells whether servers on the hosts have networks.
func networked(b object) bool { return onNodes(b) && b.Spec.OVN != "" }

// chassis makes the hosts chassis of the OVN.
func chassis(s *scope) ([]client.Object, error) {
	b := s.Owner()
	agent, asked := b.Spec.Agents.Chassis.Agent, b.Spec.Agents.Chassis.Config
	if _, err := ovnchassis.Options("spec.agents.chassis.config", asked); err != nil {
		return nil, &outcome.Error{Class: outcome.Invalid, Reason: "InvalidConfig", Err: err}
	}
	c := &infrav1.OVNChassis{ObjectMeta: meta(b, b.Name, "chassis"), Spec: infrav1.OVNChassisSpec{
		OVN: b.Spec.OVN, Image: imageOf(s, imageChassis), Resources: agent.Resources, NodeSelector: fleet.Selector(b),
		Nodes:       kept(s),
		Config:      asked,
		Tolerations: b.Spec.Hosts.Tolerations, MaxUnavailable: unavailable(b)}}
	if b.Spec.Network != nil {
		c.Spec.OVNConnection = *b.Spec.Network.DeepCopy()
	}
	return []client.Object{c}, nil
}

// unavailable is how many hosts may have an agent restarting at a time. The default is that of the schema, which
// does not apply where agents are left out.
func unavailable(b object) *intstr.IntOrString {
	if most := b.Spec.Agents.MaxUnavailable; most != nil {
		return most
	}
	return new(intstr.FromString("10%"))
}
