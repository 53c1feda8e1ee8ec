package member

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"
)

// Classes is a reference to all storage classes: that of a claim is the cluster's default one when nobody named any.
func Classes[T owner.Object](name string) ref.Ref[T] {
	return ref.To(name, &storagev1.StorageClass{}, func(T) []types.NamespacedName { return []types.NamespacedName{{}} },
		ref.DigestOf[T](func(obj client.Object) string { return fmt.Sprintf("%s %t ", obj.GetName(), expands(obj)) }))
}

// expands tells whether the volumes of a class can grow.
func expands(obj client.Object) bool {
	c, ok := obj.(*storagev1.StorageClass)
	return ok && c.AllowVolumeExpansion != nil && *c.AllowVolumeExpansion
}

// classOf is the class of a claim among all that there are, or nil.
func classOf(c *corev1.PersistentVolumeClaim, classes []client.Object) client.Object {
	i := slices.IndexFunc(classes, func(obj client.Object) bool {
		return c.Spec.StorageClassName != nil && obj.GetName() == *c.Spec.StorageClassName
	})
	if i < 0 {
		return nil
	}
	return classes[i]
}

// Size is what a claim is to ask for, of which one may be there already. The API server refuses more for a claim that
// has no volume yet, or one of a class that does not let it grow; and less always.
func Size(have client.Object, want resource.Quantity, classes []client.Object) resource.Quantity {
	c, ok := have.(*corev1.PersistentVolumeClaim)
	if !ok {
		return want
	}
	size := c.Spec.Resources.Requests[corev1.ResourceStorage]
	if want.Cmp(size) > 0 && c.Status.Phase == corev1.ClaimBound && expands(classOf(c, classes)) {
		return want
	}
	return size
}

// Growth is a check that tells of claims which stay smaller than they are to be; size is of the claim that has that
// place in the reference. No step comes after it: the size in a spec cannot be taken back, and members have to get
// other changes meanwhile.
func Growth[T owner.Object](refVolumes, refClasses string, size func(o T, place int) resource.Quantity,
) func(context.Context, *step.Scope[T]) *outcome.Outcome {
	return func(_ context.Context, s *step.Scope[T]) *outcome.Outcome {
		classes := s.All(refClasses)
		for i, obj := range s.All(refVolumes) {
			c, ok := obj.(*corev1.PersistentVolumeClaim)
			if !ok || c.Status.Phase != corev1.ClaimBound {
				continue
			}
			var o *outcome.Outcome
			if want := size(s.Owner(), i); want.Cmp(c.Spec.Resources.Requests[corev1.ResourceStorage]) > 0 {
				o = small(c, classOf(c, classes))
			} else if has := lacking(c); has != "" {
				o = growing(c, has)
			}
			if o != nil {
				return o
			}
		}
		return outcome.Done()
	}
}

// growing tells of a claim that asks for more than its volume has, which is for the driver to give. One that makes no
// volume larger says nothing, whatever the class allows.
func growing(c *corev1.PersistentVolumeClaim, has string) *outcome.Outcome {
	size := c.Spec.Resources.Requests[corev1.ResourceStorage]
	o := outcome.Wait("PersistentVolumeClaim "+c.Name, "PersistentVolumeClaim %s has %s and asks for %s, for the driver "+
		"of its StorageClass to give; wait, and if it does not come see kubectl -n %s describe pvc %s.", c.Name, has,
		size.String(), c.Namespace, c.Name)
	o.Reason = "Growing"
	return o
}

// small tells why a claim stays as small as it is, and what lets it grow; nil when nothing is in its way.
func small(c *corev1.PersistentVolumeClaim, class client.Object) *outcome.Outcome {
	size := c.Spec.Resources.Requests[corev1.ResourceStorage]
	on := "PersistentVolumeClaim " + c.Name
	var o *outcome.Outcome
	switch {
	case expands(class):
		return nil
	case class != nil:
		o = outcome.Wait("StorageClass "+class.GetName(), "%s keeps its %s, because StorageClass %s does not allow "+
			"expansion; set allowVolumeExpansion: true on it: kubectl patch storageclass %s -p "+
			"'{\"allowVolumeExpansion\":true}'.", on, size.String(), class.GetName(), class.GetName())
	case c.Spec.StorageClassName != nil && *c.Spec.StorageClassName != "":
		o = outcome.Wait("StorageClass "+*c.Spec.StorageClassName, "%s keeps its %s, because its StorageClass %s does not "+
			"exist; create it with allowVolumeExpansion: true.", on, size.String(), *c.Spec.StorageClassName)
	default:
		o = outcome.Wait(on, "%s keeps its %s, because it has no StorageClass that could let it grow; make a new object "+
			"that names one, and move the data.", on, size.String())
	}
	o.Reason = "CannotGrow"
	return o
}
