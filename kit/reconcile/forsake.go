package reconcile

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
)

// everyStep is the value of AnnotationAbandon that names all steps.
const everyStep = "*"

// Abandons tells whether a person has given up what a step has outside.
func Abandons(o client.Object, step string) bool {
	for name := range strings.SplitSeq(o.GetAnnotations()[AnnotationAbandon], ",") {
		if name = strings.TrimSpace(name); name == step || name == everyStep {
			return true
		}
	}
	return false
}

// forsakes tells whether the objects of a step are to go without what they stand for.
func (r *run[T]) forsakes(i int) bool {
	s := &r.Steps[i]
	if s.Forsake == nil {
		return false
	}
	r.evalReads(i)
	return Abandons(r.o, s.Name) || s.Forsake(r.scope(i))
}

// forsake tells the controller of an object to let it go.
func (r *run[T]) forsake(it *owner.Item, failed func(*outcome.Outcome)) {
	rec := r.record(it)
	if rec == nil || it.UID != "" && rec.GetUID() != it.UID || rec.GetAnnotations()[AnnotationAbandon] == everyStep {
		return
	}
	gk := schema.GroupKind{Group: it.Group, Kind: it.Kind}
	gvk, ok := r.Store.Version(gk)
	if !ok {
		return
	}
	// The uid binds the patch to the object that the record shows.
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": rec.GetUID(),
		"annotations": map[string]string{AnnotationAbandon: everyStep}}})
	if err == nil {
		m := &metav1.PartialObjectMetadata{}
		m.SetGroupVersionKind(gvk)
		m.SetName(it.Name)
		m.SetNamespace(it.Namespace)
		r.count.add()
		err = client.IgnoreNotFound(r.Client.Patch(r.ctx, m, client.RawPatch(types.MergePatchType, patch)))
	}
	if err != nil {
		failed(apply.Classify(fmt.Errorf("giving up %s %s: %w", it.Kind, it.Name, err)))
	}
}

// reasons are why an object that is deleted is still there, as far as it says so, and what a person can do about it.
func (r *run[T]) reasons(i int, rec client.Object) string {
	out := ""
	if o, ok := rec.(owner.Object); ok {
		if c := meta.FindStatusCondition(o.KitStatus().Conditions, condition.Ready); c != nil &&
			c.Status != condition.True && c.Message != "" {
			out = " It says: " + strings.TrimSuffix(c.Message, ".") + "."
		}
	}
	if s := &r.Steps[i]; s.Forsake != nil {
		out += " If what it waits for is gone for good, annotate the object with " + AnnotationAbandon + "=" + s.Name + "."
	}
	return out
}
