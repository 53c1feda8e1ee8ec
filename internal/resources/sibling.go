package resources

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// siblingRef is the reference to all objects of a kind that may have to be there first.
func siblingRef(s d.Sibling) string { return "sibling-" + s.Kind }

// siblingRefs are all objects of the kinds that may have to be there first, where what they have in common with an
// object is. Nobody is kept waiting by them once the resource is there.
func (c *controller) siblingRefs() []ref.Ref[object] {
	var out []ref.Ref[object]
	for _, s := range c.kind.After {
		if c.engine.absent[s.Kind] {
			continue
		}
		out = append(out, ref.To(siblingRef(s), c.engine.empty(s.Kind), func(o object) []types.NamespacedName {
			var all []types.NamespacedName
			if o.Observed().ID != "" || declares(o, s.Unless) {
				return nil
			}
			for _, key := range c.common(o, s) {
				if here := (types.NamespacedName{Namespace: key.Namespace}); !slices.Contains(all, here) {
					all = append(all, here)
				}
			}
			return all
		}, ref.DigestOf[object](func(o client.Object) string { return c.engine.idOf(o, s.Kind) })))
	}
	return out
}

// common are the objects of the kind that siblings have in common, that an object refers to by name.
func (c *controller) common(o object, s d.Sibling) []types.NamespacedName {
	return c.keys(o, func(f d.Field) bool { return f.Ref == s.Of })
}

// declares tells whether an object declares a field, which is named with those that it is in: gateway.addresses.
func declares(o object, field string) bool {
	declared, err := body.Map(o.Declared())
	if err != nil || field == "" {
		return false
	}
	value, found, err := unstructured.NestedFieldNoCopy(declared, strings.Split(field, ".")...)
	return err == nil && found && value != nil
}

// yield waits for the siblings of an object that is about to be made. What they make of it later would not happen.
func (c *controller) yield(sc *scope) *outcome.Outcome {
	o := sc.Owner()
	for _, s := range c.kind.After {
		if c.engine.absent[s.Kind] || declares(o, s.Unless) {
			continue
		}
		ours := c.common(o, s)
		for _, other := range sc.All(siblingRef(s)) {
			if name := other.GetName(); c.first(other, s, ours) {
				return outcome.Wait(s.Kind+" "+name, "Waits for %s %s, as %s; its conditions say why it is not there.", s.Kind,
					name, s.Why)
			}
		}
	}
	return nil
}

// first tells whether an object has to be there before those that refer to ours.
func (c *controller) first(other client.Object, s d.Sibling, ours []types.NamespacedName) bool {
	o, ok := other.(object)
	if !ok || o.Observed().ID != "" || o.GetDeletionTimestamp() != nil {
		return false
	}
	theirs := (&controller{kind: c.engine.kinds[s.Kind], engine: c.engine}).common(o, s)
	return slices.ContainsFunc(theirs, func(k types.NamespacedName) bool { return slices.Contains(ours, k) })
}
