package gate

import (
	"fmt"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"
)

// gates are those of the kinds of Kubernetes itself that have a state of their own.
var gates = map[reflect.Type]Gate{
	reflect.TypeFor[*appsv1.Deployment]():                        on(deployment),
	reflect.TypeFor[*appsv1.StatefulSet]():                       on(statefulSet),
	reflect.TypeFor[*appsv1.DaemonSet]():                         on(daemonSet),
	reflect.TypeFor[*batchv1.Job]():                              on(job),
	reflect.TypeFor[*corev1.Pod]():                               on(pod),
	reflect.TypeFor[*corev1.PersistentVolumeClaim]():             on(claim),
	reflect.TypeFor[*corev1.Service]():                           on(service),
	reflect.TypeFor[*apiextensionsv1.CustomResourceDefinition](): on(definition),
}

// prototypes are empty objects of these kinds.
var prototypes = map[schema.GroupKind]client.Object{
	{Group: "apps", Kind: "Deployment"}:                               &appsv1.Deployment{},
	{Group: "apps", Kind: "StatefulSet"}:                              &appsv1.StatefulSet{},
	{Group: "apps", Kind: "DaemonSet"}:                                &appsv1.DaemonSet{},
	{Group: "batch", Kind: "Job"}:                                     &batchv1.Job{},
	{Kind: "Pod"}:                                                     &corev1.Pod{},
	{Kind: "PersistentVolumeClaim"}:                                   &corev1.PersistentVolumeClaim{},
	{Kind: "Service"}:                                                 &corev1.Service{},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: &apiextensionsv1.CustomResourceDefinition{},
}

// For returns the default gate of the kind of obj, which may be an empty prototype; it is never nil.
// Workloads are ready when they are rolled out and available, Jobs when they are complete, Services of type
// LoadBalancer when they have an address, definitions when their kind is served, objects of kit controllers when Ready
// is true at their generation, unstructured objects by the rules of kstatus, and anything else when it exists.
func For(obj client.Object) Gate {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return forUnstructured(u.GroupVersionKind())
	}
	if _, ok := obj.(owner.Object); ok {
		return on(own)
	}
	if g := gates[reflect.TypeOf(obj)]; g != nil {
		return g
	}
	return Exists
}

// Exists is the gate of kinds without a state of their own: the object is there and is not being deleted.
func Exists(obj client.Object) (bool, string) {
	return living(func(client.Object) (bool, string) { return true, "" })(obj)
}

// NeedsStatus tells whether the default gate of a kind looks at more than metadata, so that a cache has to keep spec
// and status. It is true for kinds with a gate of their own and for every kind outside of Kubernetes' own groups.
func NeedsStatus(gvk schema.GroupVersionKind) bool {
	return prototypes[gvk.GroupKind()] != nil || !native(gvk.Group)
}

// native groups have no dot (apps, batch) or end in k8s.io, which is reserved.
func native(group string) bool {
	return !strings.Contains(group, ".") || group == "k8s.io" || strings.HasSuffix(group, ".k8s.io")
}

func forUnstructured(gvk schema.GroupVersionKind) Gate {
	p := prototypes[gvk.GroupKind()]
	if p == nil {
		return on(kstatus)
	}
	typed := For(p)
	return func(obj client.Object) (bool, string) {
		u, ok := obj.(*unstructured.Unstructured)
		if !ok {
			return typed(obj)
		}
		o := p.DeepCopyObject().(client.Object)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, o); err != nil {
			return false, fmt.Sprintf("%s cannot be read: %v; correct the object", name(obj), err)
		}
		return typed(o)
	}
}

// on adapts a gate of one type. A record of another type is a mistake in how the kind is cached.
func on[T client.Object](f func(T) (bool, string)) Gate {
	return living(func(obj client.Object) (bool, string) {
		if o, ok := obj.(T); ok {
			return f(o)
		}
		return false, fmt.Sprintf("%s is cached as %T and has no status; cache its kind with status", name(obj), obj)
	})
}

// living puts the question first that all gates share.
func living(next Gate) Gate {
	return func(obj client.Object) (bool, string) {
		if obj.GetDeletionTimestamp() == nil {
			return next(obj)
		}
		if f := obj.GetFinalizers(); len(f) > 0 {
			return false, fmt.Sprintf("%s is being deleted and held by finalizer %s; %s",
				name(obj), strings.Join(f, ", "), look(obj))
		}
		return false, fmt.Sprintf("%s is being deleted; wait until it is gone", name(obj))
	}
}

func kindOf(obj client.Object) string {
	if k := obj.GetObjectKind().GroupVersionKind().Kind; k != "" {
		return k
	}
	return reflect.TypeOf(obj).Elem().Name()
}

func name(obj client.Object) string { return kindOf(obj) + " " + obj.GetName() }

// look is what a person does next. Kubernetes has kinds of the same names as others, such as Service, and kubectl takes
// a word for its own, so others get their group.
func look(obj client.Object) string {
	gk := schema.GroupKind{Group: obj.GetObjectKind().GroupVersionKind().Group, Kind: kindOf(obj)}
	if native(gk.Group) {
		gk.Group = ""
	}
	what := strings.ToLower(gk.String()) + "/" + obj.GetName()
	if obj.GetNamespace() == "" {
		return "see kubectl describe " + what
	}
	return fmt.Sprintf("see kubectl -n %s describe %s", obj.GetNamespace(), what)
}

// wait is the answer of a gate that is not ready.
func wait(obj client.Object, format string, args ...any) (bool, string) {
	text := strings.TrimSuffix(fmt.Sprintf(format, args...), ".")
	return false, fmt.Sprintf("%s %s; %s", name(obj), text, look(obj))
}
