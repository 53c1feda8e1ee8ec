package reconcile

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/apply"
)

// inherit deletes what owners below this one have kept. All of them are gone by now, some maybe since long, and with
// them their inventories; a label tells.
func (r *run[T]) inherit() error {
	if r.Inherits == nil || !r.Inherits(r.o) {
		return nil
	}
	estate := apply.SetID(r.o.GetName(), r.o.GetNamespace(), r.Kind.GroupKind())
	for _, gvk := range slices.Concat(r.madeKinds, r.estateKinds) {
		gk := gvk.GroupKind()
		if !r.Store.Watched(gk) {
			continue // not served, so there is none
		}
		for _, obj := range r.Store.In(gk, r.o.GetNamespace()) {
			if obj.GetLabels()[apply.LabelEstate] != estate || obj.GetDeletionTimestamp() != nil ||
				metav1.GetControllerOf(obj) != nil {
				continue
			}
			if _, err := r.deleteObject(gk, obj, metav1.DeletePropagationBackground); err != nil {
				return fmt.Errorf("deleting %s %s, which was kept: %w", gk.Kind, obj.GetName(), err)
			}
		}
	}
	return nil
}
