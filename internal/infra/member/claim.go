// Package member renders what the pods of a cluster with data of its own have in common, be it of databases or brokers:
// a volume each, a StatefulSet that starts them together, an agent that is asked for their health.
package member

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

// Claims are made beside the StatefulSet, under the names that it looks for, so that they can grow and come back.
func Claims(meta func(name string) metav1.ObjectMeta, pods []string, s infrav1.Storage) []client.Object {
	var out []client.Object
	for _, p := range pods {
		out = append(out, &corev1.PersistentVolumeClaim{ObjectMeta: meta("data-" + p), Spec: Claim(s, s.Size)})
	}
	return out
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
