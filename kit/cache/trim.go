package cache

import (
	"slices"
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/owner"
)

// annotationLastApplied is written by client-side kubectl apply and doubles the size of an object.
const annotationLastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// transform makes records out of objects of a kind, whose names decoders leave out: managed fields become one hash per
// manager, and what no gate looks at goes, unless the whole object is wanted.
func (k *kind) transform(managers map[string]bool) toolscache.TransformFunc {
	return func(in any) (any, error) {
		obj, ok := in.(client.Object)
		if !ok {
			return in, nil
		}
		obj.GetObjectKind().SetGroupVersionKind(k.gvk)
		if !k.use.Whole {
			Trim(obj, managers)
			return in, nil
		}
		apply.Compact(obj, managers)
		share(obj)
		if o, ok := in.(owner.Object); ok {
			shareStatus(o.KitStatus())
		}
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
	case *apiextensionsv1.CustomResourceDefinition:
		o.Spec = apiextensionsv1.CustomResourceDefinitionSpec{}
	}
}

// likely are the keys whose values many objects have, besides those that are as many as owners.
var likely = map[string]bool{
	apply.LabelController: true, apply.AnnotationStep: true, apply.AnnotationOrder: true,
	"app.kubernetes.io/name": true, "app.kubernetes.io/component": true, "app.kubernetes.io/managed-by": true,
}

// share lets records share what many have, such as the keys that the kit puts on every object and their namespace:
// decoders make a string of its own for each.
func share(obj metav1.Object) {
	obj.SetNamespace(common.of(obj.GetNamespace()))
	for _, m := range []map[string]string{obj.GetLabels(), obj.GetAnnotations()} {
		for k, v := range m {
			if likely[k] {
				v = common.of(v)
			}
			m[common.of(k)] = v // an assignment replaces the key's string, too
		}
	}
	for i, owners := 0, obj.GetOwnerReferences(); i < len(owners); i++ {
		owners[i].APIVersion, owners[i].Kind = common.of(owners[i].APIVersion), common.of(owners[i].Kind)
	}
	for i, fields := 0, obj.GetManagedFields(); i < len(fields); i++ {
		fields[i].Manager = common.of(fields[i].Manager)
	}
}

// shareStatus does the same for what the kit writes into an owner's status. A decoder makes lists with room for more.
func shareStatus(s *owner.Status) {
	s.Conditions, s.Steps, s.Inventory = slices.Clone(s.Conditions), slices.Clone(s.Steps), slices.Clone(s.Inventory)
	for i := range s.Inventory {
		it := &s.Inventory[i]
		it.Step, it.Group, it.Kind, it.Namespace =
			common.of(it.Step), common.of(it.Group), common.of(it.Kind), common.of(it.Namespace)
	}
	for i := range s.Steps {
		s.Steps[i].Name, s.Steps[i].State = common.of(s.Steps[i].Name), owner.StepState(common.of(string(s.Steps[i].State)))
	}
	for i := range s.Conditions {
		s.Conditions[i].Type, s.Conditions[i].Reason = common.of(s.Conditions[i].Type), common.of(s.Conditions[i].Reason)
	}
}

// commonWords is how many strings are shared at most: those that come first. With more, most are rare ones.
const commonWords = 4096

// words are strings that many records have.
type words struct {
	mu    sync.RWMutex
	known map[string]string
}

var common words

// of returns the shared copy of a string, or the string itself.
func (w *words) of(s string) string {
	w.mu.RLock()
	one, ok := w.known[s]
	full := len(w.known) >= commonWords
	w.mu.RUnlock()
	switch {
	case ok:
		return one
	case full:
		return s
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if one, ok := w.known[s]; ok {
		return one
	}
	if w.known == nil {
		w.known = map[string]string{}
	}
	one = strings.Clone(s) // it may be a part of a whole answer
	w.known[one] = one
	return one
}
