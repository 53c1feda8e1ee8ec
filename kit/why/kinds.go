package why

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"
)

// native lists the kinds of Kubernetes that a status may name without their group.
func native() []schema.GroupVersionKind {
	apps, batch, core := appsv1.SchemeGroupVersion, batchv1.SchemeGroupVersion, corev1.SchemeGroupVersion
	return []schema.GroupVersionKind{
		apps.WithKind("Deployment"), apps.WithKind("StatefulSet"), apps.WithKind("DaemonSet"), batch.WithKind("Job"),
		core.WithKind("Pod"), core.WithKind("PersistentVolumeClaim"), core.WithKind("Service"), core.WithKind("Node"),
		core.WithKind("Secret"), core.WithKind("ConfigMap"),
	}
}

// target finds the object that a step of o waits for: `Kind name` or `Kind namespace/name`. Of kinds of one name, such
// as a Service of Kubernetes and one of a catalog, it is that of which the step has made such an object, else that of
// the group of o, else that of Kubernetes.
func (w *walk) target(o Object, st *owner.Status, s *owner.Step) (schema.GroupVersionKind, client.ObjectKey, bool) {
	kind, name, ok := strings.Cut(s.WaitingFor, " ")
	if !ok || name == "" || strings.ContainsAny(name, " ,;:") {
		return schema.GroupVersionKind{}, client.ObjectKey{}, false
	}
	key := client.ObjectKey{Namespace: o.Namespace, Name: name}
	if ns, n, ok := strings.Cut(name, "/"); ok {
		key.Namespace, key.Name = ns, n
	}
	for _, m := range w.made(st, s.Name) {
		if m.gvk.Kind == kind && m.key == key {
			return m.gvk, key, true
		}
	}
	near := slices.DeleteFunc(slices.Clone(w.Kinds), func(k schema.GroupVersionKind) bool { return k.Group != o.Group })
	for _, gvk := range slices.Concat(near, native(), w.Kinds) {
		if gvk.Kind == kind {
			return gvk, key, true
		}
	}
	return schema.GroupVersionKind{}, key, false
}

// made lists the objects that a step made and that the walk can look into.
func (w *walk) made(st *owner.Status, step string) []madeObject {
	var out []madeObject
	for _, item := range st.Inventory {
		if item.Step != step {
			continue
		}
		for _, gvk := range append(native(), w.Kinds...) {
			if gvk.Group == item.Group && gvk.Kind == item.Kind {
				out = append(out, madeObject{gvk, client.ObjectKey{Namespace: item.Namespace, Name: item.Name}})
			}
		}
	}
	return out
}

type madeObject struct {
	gvk schema.GroupVersionKind
	key client.ObjectKey
}
