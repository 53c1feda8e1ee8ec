package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
)

// meta names an object after the bundle and what it is in the bundle. Names of parts have no dot, so that no two
// objects of a kind get one name.
func meta(b *bundle, names ...string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: strings.Join(append([]string{b.Name}, names...), "."), Namespace: b.Namespace}
}

// common is what the specs of all objects have in common.
func common(b *bundle) openstackv1.ResourceSpec {
	return openstackv1.ResourceSpec{CloudRef: b.Spec.CloudRef}
}

func to(b *bundle, names ...string) *openstackv1.Reference {
	return &openstackv1.Reference{Name: meta(b, names...).Name}
}

// digest names what has no name: entries of lists that may come in any order.
func digest(v any) string {
	raw, _ := json.Marshal(v) // types of the API can be encoded
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])[:10]
}

// kindOf is the kind of an object of ours: the name of its type.
func kindOf(o client.Object) string {
	name := fmt.Sprintf("%T", o)
	return name[strings.LastIndex(name, ".")+1:]
}

func project(sc *scope) []client.Object {
	b := sc.Owner()
	return []client.Object{&openstackv1.Project{ObjectMeta: meta(b), Spec: openstackv1.ProjectSpec{
		ResourceSpec: common(b), Resource: &b.Spec.Project}}}
}

func quota(sc *scope) []client.Object {
	b := sc.Owner()
	var out []client.Object
	if q := b.Spec.Quota.Compute; q != nil {
		r := *q
		r.ProjectRef = to(b)
		out = append(out, &openstackv1.ComputeQuota{ObjectMeta: meta(b), Spec: openstackv1.ComputeQuotaSpec{
			ResourceSpec: common(b), Resource: &r}})
	}
	if q := b.Spec.Quota.Network; q != nil {
		r := *q
		r.ProjectRef = to(b)
		out = append(out, &openstackv1.NetworkQuota{ObjectMeta: meta(b), Spec: openstackv1.NetworkQuotaSpec{
			ResourceSpec: common(b), Resource: &r}})
	}
	if q := b.Spec.Quota.Volume; q != nil {
		r := *q
		r.ProjectRef = to(b)
		out = append(out, &openstackv1.VolumeQuota{ObjectMeta: meta(b), Spec: openstackv1.VolumeQuotaSpec{
			ResourceSpec: common(b), Resource: &r}})
	}
	for _, l := range b.Spec.Quota.Limits {
		out = append(out, &openstackv1.Limit{ObjectMeta: meta(b, digest([]any{l.ServiceRef, l.ResourceName})),
			Spec: openstackv1.LimitSpec{ResourceSpec: common(b), Resource: &openstackv1.LimitResource{ProjectRef: to(b),
				ServiceRef: l.ServiceRef, ResourceName: l.ResourceName, ResourceLimit: l.ResourceLimit}}})
	}
	return out
}

func networks(sc *scope) []client.Object {
	b := sc.Owner()
	var out []client.Object
	for _, n := range b.Spec.Networks {
		out = append(out, &openstackv1.Network{ObjectMeta: meta(b, n.Name), Spec: openstackv1.NetworkSpec{
			ResourceSpec: common(b), Resource: &openstackv1.NetworkResource{Name: &n.Name, ProjectRef: to(b), MTU: n.MTU,
				DNSDomain: n.DNSDomain}}})
	}
	return out
}

func subnets(sc *scope) []client.Object {
	b := sc.Owner()
	var out []client.Object
	for _, n := range b.Spec.Networks {
		for _, s := range n.Subnets {
			out = append(out, &openstackv1.Subnet{ObjectMeta: meta(b, n.Name, s.Name), Spec: openstackv1.SubnetSpec{
				ResourceSpec: common(b), Resource: &openstackv1.SubnetResource{Name: &s.Name, ProjectRef: to(b),
					NetworkRef: *to(b, n.Name), IPVersion: s.IPVersion, CIDR: &s.CIDR, GatewayIP: s.GatewayIP,
					AllocationPools: s.AllocationPools, DNSNameservers: s.DNSNameservers, EnableDHCP: s.EnableDHCP}}})
		}
	}
	return out
}

func routersOf(sc *scope) []client.Object {
	b := sc.Owner()
	var out []client.Object
	for _, r := range b.Spec.Routers {
		out = append(out, &openstackv1.Router{ObjectMeta: meta(b, r.Name), Spec: openstackv1.RouterSpec{
			ResourceSpec: common(b), Resource: &openstackv1.RouterResource{Name: &r.Name, ProjectRef: to(b),
				ExternalGateway: r.ExternalGateway}}})
	}
	return out
}

func interfaces(sc *scope) []client.Object {
	b := sc.Owner()
	var out []client.Object
	for _, n := range b.Spec.Networks {
		for _, s := range n.Subnets {
			if s.Router == "" {
				continue
			}
			out = append(out, &openstackv1.RouterInterface{ObjectMeta: meta(b, s.Router, n.Name, s.Name),
				Spec: openstackv1.RouterInterfaceSpec{ResourceSpec: common(b), Resource: &openstackv1.RouterInterfaceResource{
					RouterRef: *to(b, s.Router), SubnetRef: to(b, n.Name, s.Name)}}})
		}
	}
	return out
}

func securityGroups(sc *scope) []client.Object {
	b := sc.Owner()
	var out []client.Object
	for _, g := range b.Spec.SecurityGroups {
		out = append(out, &openstackv1.SecurityGroup{ObjectMeta: meta(b, g.Name), Spec: openstackv1.SecurityGroupSpec{
			ResourceSpec: common(b), Resource: &openstackv1.SecurityGroupResource{Name: &g.Name, ProjectRef: to(b),
				Description: g.Description}}})
	}
	return out
}

func rules(sc *scope) []client.Object {
	b := sc.Owner()
	var out []client.Object
	for _, g := range b.Spec.SecurityGroups {
		for _, r := range g.Rules {
			resource := &openstackv1.SecurityGroupRuleResource{ProjectRef: to(b), SecurityGroupRef: *to(b, g.Name),
				Direction: r.Direction, Ethertype: r.Ethertype, Protocol: r.Protocol, PortRange: r.PortRange,
				RemoteIPPrefix: r.RemoteIPPrefix}
			if r.RemoteGroup != "" {
				resource.RemoteGroupRef = to(b, r.RemoteGroup)
			}
			out = append(out, &openstackv1.SecurityGroupRule{ObjectMeta: meta(b, g.Name, digest(r)),
				Spec: openstackv1.SecurityGroupRuleSpec{ResourceSpec: common(b), Resource: resource}})
		}
	}
	return out
}

func roles(sc *scope) []client.Object {
	b := sc.Owner()
	var out []client.Object
	for _, r := range b.Spec.RoleBindings {
		out = append(out, &openstackv1.RoleAssignment{ObjectMeta: meta(b, digest(r)), Spec: openstackv1.RoleAssignmentSpec{
			ResourceSpec: common(b), Resource: &openstackv1.RoleAssignmentResource{RoleRef: r.RoleRef, UserRef: r.UserRef,
				GroupRef: r.GroupRef, ProjectRef: to(b)}}})
	}
	return out
}
