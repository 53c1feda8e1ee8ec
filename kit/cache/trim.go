package cache

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
		o.Spec = appsv1.DeploymentSpec{Replicas: o.Spec.Replicas, Paused: o.Spec.Paused}
	case *appsv1.StatefulSet:
		o.Spec.Template, o.Spec.VolumeClaimTemplates = corev1.PodTemplateSpec{}, nil
	case *appsv1.DaemonSet:
		o.Spec.Template = corev1.PodTemplateSpec{}
	case *batchv1.Job:
		o.Spec.Template = corev1.PodTemplateSpec{}
	case *batchv1.CronJob:
		o.Spec.JobTemplate = batchv1.JobTemplateSpec{}
	case *corev1.Service:
		o.Spec = corev1.ServiceSpec{Type: o.Spec.Type, ClusterIP: o.Spec.ClusterIP}
	case *corev1.Pod:
		o.Spec = corev1.PodSpec{NodeName: o.Spec.NodeName}
	}
}

// marks are the keys that the kit puts on every object.
var marks = map[string]string{
	apply.LabelPartOf: apply.LabelPartOf, apply.LabelController: apply.LabelController,
	apply.LabelEstate: apply.LabelEstate, apply.AnnotationOwner: apply.AnnotationOwner,
	apply.AnnotationStep:  apply.AnnotationStep,
	apply.AnnotationOrder: apply.AnnotationOrder,
}

// share lets records share those keys: decoders make a string of its own for each.
func share(obj metav1.Object) {
	for _, m := range []map[string]string{obj.GetLabels(), obj.GetAnnotations()} {
		for k, v := range m {
			if mark, ok := marks[k]; ok {
				m[mark] = v // an assignment replaces the key's string, too
			}
		}
	}
}
