package resources

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// refGrants are the grants of all namespaces that an object refers into.
const refGrants = "grants"

// abroad are the other namespaces that an object refers into, as keys that stand for all in them.
func (c *controller) abroad(o object) []types.NamespacedName {
	var out []types.NamespacedName
	for _, to := range c.targets(o) {
		if to.Namespace != o.GetNamespace() {
			out = append(out, types.NamespacedName{Namespace: to.Namespace})
		}
	}
	return out
}

// granted tells whether a grant lets one object refer to another, which is in its own namespace or needs one.
func granted(grants []client.Object, from, to node) bool {
	if from.Namespace == to.Namespace {
		return true
	}
	for _, o := range grants {
		g, ok := o.(*openstackv1.ReferenceGrant)
		if ok && g.Namespace == to.Namespace && allows(g.Spec.From, from) && exposes(g.Spec.To, to) {
			return true
		}
	}
	return false
}

func allows(list []openstackv1.ReferenceGrantFrom, n node) bool {
	for _, f := range list {
		if f.Group == openstackv1.GroupVersion.Group && f.Kind == n.kind && f.Namespace == n.Namespace {
			return true
		}
	}
	return false
}

func exposes(list []openstackv1.ReferenceGrantTo, n node) bool {
	for _, t := range list {
		if t.Group == openstackv1.GroupVersion.Group && t.Kind == n.kind && (t.Name == "" || t.Name == n.Name) {
			return true
		}
	}
	return false
}

func generationOf(o client.Object) string { return fmt.Sprint(o.GetUID(), o.GetGeneration()) }

// holds are the objects that must outlive this one: those that it refers to. Who refers into another namespace without
// having been let keeps nothing there.
func (c *controller) holds(o object, allowed func(node) bool) []node {
	var out []node
	for _, to := range c.targets(o) {
		if to.Namespace == o.GetNamespace() || o.Observed().ID != "" || allowed(to) {
			out = append(out, to)
		}
	}
	return out
}

// named returns the id of the resource that an object stands for. Whether an object of another namespace exists is told
// only to those who may refer to it.
func (r *resolver) named(f d.Field, name, namespace string) (string, error) {
	o, me := r.scope.Owner(), r.controller.node(r.scope.Owner())
	to := node{f.Ref, types.NamespacedName{Namespace: cmp.Or(namespace, o.GetNamespace()), Name: name}}
	what, on := to.from(o.GetNamespace()), to.kind+" "+to.Namespace+"/"+to.Name
	var other object
	for _, x := range r.scope.All(f.Ref) {
		if x, ok := x.(object); ok && client.ObjectKeyFromObject(x) == to.NamespacedName {
			other = x
		}
	}
	switch {
	case !granted(r.scope.All(refGrants), me, to):
		return "", &waiting{outcome.Wait("ReferenceGrant in "+to.Namespace, "%s refers to %s, and no ReferenceGrant in "+
			"namespace %s lets a %s of namespace %s do so. Make one there, or change the reference.",
			f.Spec(), what, to.Namespace, me.kind, me.Namespace)}
	case other == nil:
		return "", &waiting{outcome.Wait(on, "%s does not exist. Make it, or change %s.", what, f.Spec())}
	case other.Observed().ID == "" && r.controller.engine.links.reaches(to, me):
		return "", &waiting{outcome.Refuse("Circle", "This object and %s refer to each other, so that neither can be made "+
			"first. Remove one of the references.", what)}
	case other.Observed().ID == "":
		return "", &waiting{outcome.Wait(on, "Waits until %s is made in the cloud; its conditions say why it is not.", what)}
	case f.Usable && r.scope.Cell().ID == "" && r.controller.engine.unusable(other, f.Ref):
		return "", &waiting{outcome.Wait(on, "Waits until %s is usable; it is %s, and its conditions say why.", what,
			other.Observed().State)}
	}
	if theirs, known := recorded(other); known && theirs != r.cloud.key {
		return "", &waiting{outcome.Refuse("OtherCloud", "%s is in %s and this object in %s; resources of two clouds cannot "+
			"refer to each other. Name one cloud in both, across namespaces a ClusterCloud.", what,
			cloudName(theirs, o.GetNamespace()), cloudName(r.cloud.key, o.GetNamespace()))}
	}
	return other.Observed().ID, nil
}

// recorded is the cloud that an object's resource is in.
func recorded(o object) (cloudKey, bool) {
	c := o.Observed().Cloud
	if c == nil {
		return cloudKey{}, false
	}
	return keyTo(c, o.GetNamespace()), true
}

// keyTo is what a reference to a cloud names.
func keyTo(r *openstackv1.CloudReference, namespace string) cloudKey {
	if r.Kind == kindClusterCloud {
		return cloudKey{Name: r.Name}
	}
	return cloudKey{Namespace: namespace, Name: r.Name}
}

func referenceTo(key cloudKey) *openstackv1.CloudReference {
	kind := kindCloud
	if key.Namespace == "" {
		kind = kindClusterCloud
	}
	return &openstackv1.CloudReference{Kind: kind, Name: key.Name}
}
