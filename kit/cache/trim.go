package cache

import (
	"fmt"
	"unique"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"

	"stackwright.dev/kit/apply"
)

// annotationLastApplied is written by client-side kubectl apply and doubles the size of an object.
const annotationLastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// transform makes records out of objects: managed fields become one hash per manager, and what no gate looks at goes.
func transform(managers map[string]bool) toolscache.TransformFunc {
	return func(in any) (any, error) {
		if t, ok := in.(toolscache.DeletedFinalStateUnknown); ok {
			return t, nil
		}
		obj, ok := in.(metav1.Object)
		if !ok {
			return nil, fmt.Errorf("caching %T: it has no object metadata", in)
		}
		Trim(obj, managers)
		return in, nil
	}
}

// Trim reduces obj, which the caller owns, to a record. It is idempotent.
func Trim(obj metav1.Object, managers map[string]bool) {
	apply.Compact(obj, managers)
	share(obj)
	if notes := obj.GetAnnotations(); notes[annotationLastApplied] != "" {
		delete(notes, annotationLastApplied)
		obj.SetAnnotations(notes)
	}
	switch o := obj.(type) {
	case *appsv1.Deployment:
		o.Spec.Template = corev1.PodTemplateSpec{}
	case *appsv1.StatefulSet:
		o.Spec.Template, o.Spec.VolumeClaimTemplates = corev1.PodTemplateSpec{}, nil
	case *appsv1.DaemonSet:
		o.Spec.Template = corev1.PodTemplateSpec{}
	case *batchv1.Job:
		o.Spec.Template = corev1.PodTemplateSpec{}
	case *batchv1.CronJob:
		o.Spec.JobTemplate = batchv1.JobTemplateSpec{}
	case *corev1.Pod:
		o.Spec = corev1.PodSpec{NodeName: o.Spec.NodeName}
	}
}

// share lets records share what many of them have in common: decoders make a string of its own for each key and value.
func share(obj metav1.Object) {
	obj.SetNamespace(unique.Make(obj.GetNamespace()).Value())
	for _, m := range []map[string]string{obj.GetLabels(), obj.GetAnnotations()} {
		for k, v := range m {
			if len(v) < 128 {
				v = unique.Make(v).Value()
			}
			m[unique.Make(k).Value()] = v // an assignment replaces the key's string, too
		}
	}
	refs := obj.GetOwnerReferences()
	for i := range refs {
		r := &refs[i]
		r.APIVersion, r.Kind = unique.Make(r.APIVersion).Value(), unique.Make(r.Kind).Value()
		r.Name, r.UID = unique.Make(r.Name).Value(), types.UID(unique.Make(string(r.UID)).Value())
	}
}
