package reconcile

import (
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/cache"
)

// hold puts a finalizer onto what the references of the owner hold, and takes it from what they do not name any more;
// from everything, to let the owner go. What is found by its finalizer needs no books.
func (r *run[T]) hold(release bool) error {
	for j := range r.Refs {
		if !r.Refs[j].Held {
			continue
		}
		gk, finalizer, keys := r.refGK[j], cache.FinalizerHeld+string(r.o.GetUID()), r.Refs[j].Keys(r.o)
		if release {
			keys = nil
		}
		for _, obj := range r.Store.Held(gk, finalizer) {
			if !slices.Contains(keys, client.ObjectKeyFromObject(obj)) {
				if err := r.mark(gk, obj, nil); err != nil {
					return err
				}
			}
		}
		for _, k := range keys {
			if err := r.keep(gk, k, finalizer); err != nil {
				return err
			}
		}
	}
	return nil
}

// keep marks an object; one that is being deleted cannot get a finalizer any more.
func (r *run[T]) keep(gk schema.GroupKind, k types.NamespacedName, finalizer string) error {
	obj := r.Store.Get(gk, k)
	if obj == nil || obj.GetDeletionTimestamp() != nil || slices.Contains(obj.GetFinalizers(), finalizer) {
		return nil
	}
	return r.mark(gk, obj, []string{finalizer})
}

// mark applies finalizers under a field manager of the owner's own, so that owners do not take each other's away. The
// uid makes the request fail, rather than create an object, when the object is gone.
func (r *run[T]) mark(gk schema.GroupKind, obj client.Object, finalizers []string) error {
	gvk, _ := r.Store.Version(gk)
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	u.SetName(obj.GetName())
	u.SetNamespace(obj.GetNamespace())
	u.SetUID(obj.GetUID())
	u.SetFinalizers(finalizers)
	r.count.add()
	err := r.Client.Apply(r.ctx, client.ApplyConfigurationFromUnstructured(u),
		client.FieldOwner(r.Name+"-"+string(r.o.GetUID())), client.ForceOwnership)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // another object has the name now, or none: an event tells
	}
	if err == nil && finalizers == nil {
		err = r.strip(u, cache.FinalizerHeld+string(r.o.GetUID()))
	}
	if err != nil {
		return err
	}
	if u.GetDeletionTimestamp() != nil && len(u.GetFinalizers()) == 0 {
		return nil // that was the last one
	}
	_, err = r.remember(gk, u)
	return err
}
