// Package member renders what the pods of a cluster with data of its own have in common, be it of databases or brokers:
// a volume each, a StatefulSet that starts them together, an agent that is asked for their health.
package member

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

// ClaimNames are the names of the claims of pods.
func ClaimNames(pods []string) []string {
	var out []string
	for _, p := range pods {
		out = append(out, "data-"+p)
	}
	return out
}

// Claims are made beside the StatefulSet, under the names that it looks for, so that they can grow and come back. In
// have are those that there are, in the same order, and nil for others; classes are all that there are.
func Claims(meta func(name string) metav1.ObjectMeta, pods []string, s infrav1.Storage, have, classes []client.Object,
) []client.Object {
	var out []client.Object
	for i, name := range ClaimNames(pods) {
		c := &corev1.PersistentVolumeClaim{ObjectMeta: meta(name), Spec: Claim(s, s.Size)}
		if i < len(have) {
			c.Spec = Claim(s, Size(have[i], s.Size, classes))
			c.Spec.StorageClassName = Class(have[i], c.Spec.StorageClassName)
		}
		out = append(out, c)
	}
	return out
}

// Class is the storage class that a claim is to have, of which another one may be there already. Its class cannot
// change; only one that has none yet can get one.
func Class(have client.Object, want *string) *string {
	c, ok := have.(*corev1.PersistentVolumeClaim)
	if !ok || c.Spec.StorageClassName == nil && !bound(c) {
		return want
	}
	return c.Spec.StorageClassName
}

// Strays refuses claims that wait for a volume of another class than the wanted one. A person has to let them go: the
// volume may come any moment.
func Strays(have []client.Object, want string) error {
	var names []string
	var namespace string
	for _, obj := range have {
		c, ok := obj.(*corev1.PersistentVolumeClaim)
		if ok && want != "" && !bound(c) && c.Spec.StorageClassName != nil && *c.Spec.StorageClassName != want {
			names, namespace = append(names, c.Name), c.Namespace
		}
	}
	if names == nil {
		return nil
	}
	return &outcome.Missing{On: "PersistentVolumeClaim " + names[0], Message: fmt.Sprintf("Claims wait for volumes of "+
		"another StorageClass than %s; delete them, and they are made again: kubectl delete pvc -n %s %s.", want, namespace,
		strings.Join(names, " "))}
}

// bound tells whether a claim has a volume, or has had one.
func bound(c *corev1.PersistentVolumeClaim) bool {
	return c.Spec.VolumeName != "" || c.Status.Phase == corev1.ClaimBound || c.Status.Phase == corev1.ClaimLost
}

// Volumes is a reference to claims that there are already.
func Volumes[T owner.Object](name string, claims func(T) []string) ref.Ref[T] {
	return ref.To(name, &corev1.PersistentVolumeClaim{}, func(o T) []types.NamespacedName {
		var keys []types.NamespacedName
		for _, c := range claims(o) {
			keys = append(keys, types.NamespacedName{Namespace: o.GetNamespace(), Name: c})
		}
		return keys
	}, ref.Optional[T](), ref.DigestOf[T](state))
}

// state is what of a claim that is there others are made by.
func state(obj client.Object) string {
	c, ok := obj.(*corev1.PersistentVolumeClaim)
	if !ok {
		return "none"
	}
	class, size := "none", c.Spec.Resources.Requests[corev1.ResourceStorage]
	if c.Spec.StorageClassName != nil {
		class = "of " + *c.Spec.StorageClassName
	}
	return fmt.Sprintf("%s %t %s %s%s", class, bound(c), c.Status.Phase, size.String(), lacking(c))
}

// lacking is what a volume has that is smaller than its claim asks for, and empty of others.
func lacking(c *corev1.PersistentVolumeClaim) string {
	size, has := c.Spec.Resources.Requests[corev1.ResourceStorage], c.Status.Capacity[corev1.ResourceStorage]
	if c.Status.Phase != corev1.ClaimBound || has.IsZero() || has.Cmp(size) >= 0 {
		return ""
	}
	return has.String()
}

// Pending tells of the claims of an object that none has a volume. Of an object that is on its way out nobody looks.
func Pending(claims []client.Object) bool {
	return len(claims) > 0 && !slices.ContainsFunc(claims, func(obj client.Object) bool {
		c, ok := obj.(*corev1.PersistentVolumeClaim)
		return ok && bound(c)
	})
}

// Claim asks for a volume of that size.
func Claim(s infrav1.Storage, size resource.Quantity) corev1.PersistentVolumeClaimSpec {
	c := corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
	}
	if s.ClassName != "" {
		c.StorageClassName = new(s.ClassName)
	}
	return c
}

// HasClass is the gate of claims. Whether one is bound is the scheduler's business; without any class it never will be.
// One that has lost its volume still names it. That a class exists is asked by reference.
func HasClass(obj client.Object) (bool, string) {
	c, ok := obj.(*corev1.PersistentVolumeClaim)
	switch {
	case ok && c.Status.Phase == corev1.ClaimLost:
		return false, "PersistentVolumeClaim " + c.Name + " has lost its volume " + c.Spec.VolumeName +
			"; bring it back, or delete the claim and the pod."
	case !ok || c.Spec.StorageClassName != nil && *c.Spec.StorageClassName != "" || c.Spec.VolumeName != "":
		return true, ""
	}
	return false, "PersistentVolumeClaim " + c.Name + " has no storage class, because the cluster has no default one; " +
		"set spec.storage.className, or mark a StorageClass as default."
}

// RememberSize remembers the size that volumes began with: the claim template of a StatefulSet can never change, and a
// volume can grow.
func RememberSize[T owner.Object](s *step.Scope[T], storage infrav1.Storage) *outcome.Outcome {
	if s.Cell().ID != "" {
		return nil
	}
	s.Cell().ID = storage.Size.String()
	return outcome.FromError(s.Save())
}

// FirstSize is the size that the step has remembered, or else the one of now.
func FirstSize(status *owner.Status, step string, s infrav1.Storage) resource.Quantity {
	for _, e := range status.Externals {
		if e.Step == step {
			if q, err := resource.ParseQuantity(e.ID); err == nil {
				return q
			}
		}
	}
	return s.Size
}
