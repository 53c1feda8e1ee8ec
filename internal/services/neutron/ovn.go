package neutron

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

// References beside those that every service has.
const (
	refOVN       = "ovn"
	refOVNClient = "ovn-client"
	refChassis   = "chassis"
)

// ring is imported by the program that runs the API, by the name ringModule.
//
//go:embed ring.py
var ring []byte

const ringModule = "stackwright_ring"

// annotationOVN of pods counts how often OVN's databases were formed. A connection that was open never takes one that
// knows less than it has seen (_min_index of Open vSwitch's python/ovs/db/idl.py), so that pods end when one is formed
// anew, and others begin.
const annotationOVN = "service.stackwright.dev/ovn"

func ovnRefs() []ref.Ref[*neutron] {
	return []ref.Ref[*neutron]{
		ref.Local(refOVN, &infrav1.OVN{}, func(n *neutron) string { return n.Spec.OVN },
			ref.WaitFor[*neutron](connected), ref.DigestOf[*neutron](connections)),
		ref.Local(refOVNClient, &corev1.Secret{}, ovnClient, ref.Fields[*neutron](clientKeys()...), ref.Optional[*neutron]()),
		ref.To(refChassis, &infrav1.OVNChassis{}, func(n *neutron) []types.NamespacedName {
			return []types.NamespacedName{{Namespace: n.Namespace}}
		}, ref.DigestOf[*neutron](func(o client.Object) string { return fmt.Sprintln(o.GetName(), mappings(o)) })),
	}
}

// ovnClient names the Secret that OVN's operator makes for clients with all rights on both databases.
func ovnClient(n *neutron) string { return n.Spec.OVN + "-client" }

func clientKeys() []string { return []string{"ca.crt", "tls.crt", "tls.key"} }

// admitted waits for that Secret, without which no pod starts.
func admitted(_ context.Context, s *scope) *outcome.Outcome {
	n, have := s.Owner(), s.Content(refOVNClient)
	if !slices.ContainsFunc(clientKeys(), func(key string) bool { return len(have[key]) == 0 }) {
		return nil
	}
	return outcome.Wait("Secret "+ovnClient(n), "Secret %s, by which OVN %s knows Neutron, is not there yet; its "+
		"operator makes it, see kubectl -n %s describe ovn/%s.", ovnClient(n), n.Spec.OVN, n.Namespace, n.Spec.OVN)
}

func connected(obj client.Object) (bool, string) {
	o, ok := obj.(*infrav1.OVN)
	if ok && o.Status.Northbound.Connection != "" && o.Status.Southbound.Connection != "" {
		return true, ""
	}
	return false, fmt.Sprintf("OVN %s has no addresses yet; see kubectl -n %s describe ovn/%s",
		obj.GetName(), obj.GetNamespace(), obj.GetName())
}

// connections is all of an OVN that a configuration has, and for what pods and a Job are made anew.
func connections(obj client.Object) string {
	if o, ok := obj.(*infrav1.OVN); ok {
		return strings.Join([]string{o.Status.Northbound.Connection, o.Status.Southbound.Connection, formation(o),
			formed(o)}, " ")
	}
	return ""
}

// formed tells apart the databases that there have been under the name of an OVN. Those that are formed for the first
// time are none that anybody has seen.
func formed(o *infrav1.OVN) string {
	return hashOf(o, max(o.Status.Northbound.Epoch, 1), max(o.Status.Southbound.Epoch, 1))
}

// hashOf an OVN, and of how often its databases were formed.
func hashOf(o *infrav1.OVN, epochs ...int64) string {
	return apply.Hash(fmt.Append(nil, o.UID, epochs))
}

func rolls(s *scope) map[string]string {
	if o, ok := s.Get(refOVN).(*infrav1.OVN); ok {
		return map[string]string{annotationOVN: formed(o)}
	}
	return nil
}

// mappings are the OVN of a group of nodes and the physical networks that these are connected to.
func mappings(obj client.Object) []string {
	c, ok := obj.(*infrav1.OVNChassis)
	if !ok || c.DeletionTimestamp != nil {
		return nil
	}
	out := []string{c.Spec.OVN}
	for _, m := range c.Spec.BridgeMappings {
		out = append(out, m.PhysicalNetwork)
	}
	return out
}

func hasPhysicalNetworks(n *neutron) bool { return len(n.Spec.PhysicalNetworks) > 0 }

// connects tells of physical networks that no node is connected to: Neutron makes networks on them, and servers there
// fail later, for want of a node that binds their ports. Nodes may come last, and need not be ours.
func connects(_ context.Context, s *scope) *outcome.Outcome {
	var there, missing []string
	for _, o := range s.All(refChassis) {
		if m := mappings(o); len(m) > 0 && m[0] == s.Owner().Spec.OVN {
			there = append(there, m[1:]...)
		}
	}
	for _, p := range s.Owner().Spec.PhysicalNetworks {
		if !slices.Contains(there, p.Name) {
			missing = append(missing, p.Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	names := strings.Join(missing, ", ")
	return outcome.Wait("bridgeMappings of "+names, "No OVNChassis connects nodes with physical network %s, so ports of "+
		"networks on it cannot be bound; add it to network.bridgeMappings of a BuildingBlock whose nodes reach it.", names)
}
