package reconcile

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
)

// finalizer of a controller.
func (p *Plan[T]) finalizer() string { return "kit.stackwright.dev/" + p.Name }

func (r *run[T]) finalized() bool {
	return slices.Contains(r.o.GetFinalizers(), r.finalizer())
}

// claim puts finalizer and apply set on the owner, in one request, before the first side effect of a run. The uid in
// the request makes it fail, rather than create an object, when the owner is gone.
func (r *run[T]) claim() error {
	if r.finalized() && r.o.GetAnnotations()[apply.AnnotationKinds] == r.kinds {
		return nil
	}
	if r.o.GetDeletionTimestamp() != nil {
		return nil // no finalizer can be added any more, and a held deletion has it
	}
	return r.applyOwner([]string{r.finalizer()})
}

// unclaim takes the finalizer away.
func (r *run[T]) unclaim() error {
	if !r.finalized() {
		return nil
	}
	return r.applyOwner(nil)
}

func (r *run[T]) applyOwner(finalizers []string) error {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(r.Kind)
	u.SetName(r.o.GetName())
	u.SetNamespace(r.o.GetNamespace())
	u.SetUID(r.o.GetUID())
	u.SetFinalizers(finalizers)
	u.SetLabels(map[string]string{apply.LabelSetID: apply.SetID(r.o.GetName(), r.o.GetNamespace(), r.Kind.GroupKind())})
	u.SetAnnotations(map[string]string{apply.AnnotationKinds: r.kinds, apply.AnnotationTooling: "kit/" + r.Name})
	r.count.add()
	err := r.Client.Apply(r.ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(r.Name),
		client.ForceOwnership)
	if apierrors.IsNotFound(err) || (finalizers == nil && apierrors.IsConflict(err)) {
		return nil // the object is gone
	}
	if err == nil && finalizers == nil {
		err = r.strip(u, r.finalizer())
	}
	if err != nil {
		return err
	}
	return r.rememberOwner(u)
}

// strip takes a finalizer of ours off an object that was to lose it by our apply, but that somebody else has applied as
// he had read it, or restored: what two own stays when one of them does not want it any more.
func (r *run[T]) strip(u *unstructured.Unstructured, finalizer string) error {
	n := slices.Index(u.GetFinalizers(), finalizer)
	if n < 0 {
		return nil
	}
	base := u.DeepCopy()
	u.SetFinalizers(slices.Delete(u.GetFinalizers(), n, n+1))
	r.count.add()
	return client.IgnoreNotFound(r.Client.Patch(r.ctx, u,
		client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}), client.FieldOwner(r.Name)))
}

func (r *run[T]) rememberOwner(u *unstructured.Unstructured) error {
	if u.GetDeletionTimestamp() != nil && len(u.GetFinalizers()) == 0 {
		return nil
	}
	obj, err := r.remember(r.Kind.GroupKind(), u)
	if err != nil {
		return err
	}
	o, ok := obj.(T)
	if !ok {
		return fmt.Errorf("the answer for the owner is a %T", obj)
	}
	r.o, r.latest = o, o
	return nil
}

// counter counts the requests of one run.
type counter struct{ n atomic.Int64 }

func (c *counter) add() { c.n.Add(1) }

func (r *run[T]) requests() int { return int(r.count.n.Load()) }

// Get reads an object past the cache, and counts that.
func (r *run[T]) Get(ctx context.Context, key client.ObjectKey, obj client.Object, o ...client.GetOption) error {
	r.count.add()
	return r.Live.Get(ctx, key, obj, o...)
}

// Referenced, Content, Contents and Child make a step.View of the run.
func (r *run[T]) Referenced(ref string) []client.Object {
	if j, ok := r.Plan.refs[ref]; ok {
		return r.refs[j].objects
	}
	return nil
}

// Content returns the content of a reference.
func (r *run[T]) Content(ref string) map[string][]byte {
	if j, ok := r.Plan.refs[ref]; ok {
		return r.refs[j].content()
	}
	return nil
}

// Contents returns that of each of its objects.
func (r *run[T]) Contents(ref string) []map[string][]byte {
	if j, ok := r.Plan.refs[ref]; ok {
		return r.refs[j].contents
	}
	return nil
}

// Child returns the record of what a step made.
func (r *run[T]) Child(stepName, kind, objName string) client.Object {
	i := r.indexOf(stepName)
	if i < 0 {
		return nil
	}
	for n := range r.results[i].items {
		it := &r.results[i].items[n]
		if it.Kind == kind && it.Name == objName {
			return r.record(it)
		}
	}
	return nil
}
