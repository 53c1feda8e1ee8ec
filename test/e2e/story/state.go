package story

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// chance is what is another each time: certificates and keys, UUIDs, digests, the ends of names that tell what is in an
// object, addresses and times.
var chance = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]+-----.*?-----END [A-Z ]+-----` +
	`|-?\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{16,}\b|-[0-9a-f]{8,16}\b` +
	`|\b(?:\d{1,3}\.){3}\d{1,3}\b|\b\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[+-]\d\d:\d\d)`)

// Same is a text without what is another each time.
func Same(text string) string { return chance.ReplaceAllString(text, "*") }

// made are the fields that the cluster fills, and how often a Deployment was rolled out.
var made = map[string]bool{
	"uid": true, "resourceVersion": true, "generation": true, "creationTimestamp": true, "managedFields": true,
	"clusterIP": true, "clusterIPs": true, "nodePort": true, "healthCheckNodePort": true, "selfLink": true,
	"deployment.kubernetes.io/revision": true,
}

// parts are the kinds of Kubernetes that a control plane is made of.
func parts() []schema.GroupVersionKind {
	var out []schema.GroupVersionKind
	for group, names := range map[schema.GroupVersion][]string{
		appsv1.SchemeGroupVersion:  {"Deployment", "StatefulSet", "DaemonSet"},
		batchv1.SchemeGroupVersion: {"Job", "CronJob"},
		corev1.SchemeGroupVersion: {"Service", "ServiceAccount", "Secret", "ConfigMap",
			"PersistentVolumeClaim"},
		policyv1.SchemeGroupVersion:     {"PodDisruptionBudget"},
		networkingv1.SchemeGroupVersion: {"NetworkPolicy"},
		rbacv1.SchemeGroupVersion:       {"Role", "RoleBinding"},
	} {
		for _, name := range names {
			out = append(out, group.WithKind(name))
		}
	}
	return out
}

// Declared are the fields of all objects in a namespace that a control plane is made of, one a line, sorted and without
// what is another each time. Of the kinds of Stackwright the conditions are among them, of Secrets which keys have a
// value. The Jobs of CronJobs are not: of these there are as many as hours have begun.
func (w *World) Declared(namespace string) []string {
	w.Helper()
	kinds := parts()
	for kind := range w.Scheme().AllKnownTypes() {
		list := kind.GroupVersion().WithKind(kind.Kind + "List")
		if strings.HasSuffix(kind.Group, "stackwright.dev") && w.Scheme().Recognizes(list) {
			kinds = append(kinds, kind)
		}
	}
	var out []string
	for _, kind := range kinds {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		if err := w.List(w.Context(), list, client.InNamespace(namespace)); err != nil {
			w.Fatalf("listing objects of kind %s: %v", kind.Kind, err)
		}
		for _, o := range list.Items {
			// A kind of the cluster is listed whole.
			if o.GetNamespace() == namespace && !byClock(&o) {
				out = append(out, Fields(&o)...)
			}
		}
	}
	slices.Sort(out)
	return out
}

// byClock tells whether a CronJob has made an object.
func byClock(o *unstructured.Unstructured) bool {
	for _, owner := range o.GetOwnerReferences() {
		if owner.Kind == "CronJob" {
			return true
		}
	}
	return false
}

// Fields are those of an object, as Declared has them.
func Fields(o *unstructured.Unstructured) []string {
	shown := maps.Clone(o.Object)
	for _, name := range []string{"apiVersion", "kind", "status"} {
		delete(shown, name)
	}
	if meta, ok := shown["metadata"].(map[string]any); ok {
		meta = maps.Clone(meta)
		delete(meta, "name")
		delete(meta, "namespace")
		if all := o.GetFinalizers(); len(all) > 0 {
			slices.Sort(all)
			meta["finalizers"] = strings.Join(all, ", ")
		}
		if shown["metadata"] = meta; len(meta) == 0 {
			delete(shown, "metadata")
		}
	}
	if o.GetKind() == "Secret" {
		shown["data"] = marks(shown["data"])
	}
	if conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions"); ours(o) {
		shown["conditions"] = states(conditions)
	}
	var out []string
	flatten(shown, "", func(field, value string) {
		out = append(out, Same(o.GetKind()+"/"+o.GetName()+" "+field+" = "+value))
	})
	return out
}

func ours(o *unstructured.Unstructured) bool {
	return strings.HasSuffix(o.GroupVersionKind().Group, "stackwright.dev")
}

// marks tell which keys of a Secret have a value, and not which.
func marks(data any) map[string]any {
	out := map[string]any{}
	values, _ := data.(map[string]any)
	for key, value := range values {
		out[key] = "set"
		if value == "" {
			out[key] = "empty"
		}
	}
	return out
}

// states are the conditions by their types.
func states(conditions []any) map[string]any {
	out := map[string]any{}
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok {
			out[fmt.Sprint(c["type"])] = c["status"]
		}
	}
	return out
}

// flatten calls line for each value below v, and for each line of a text. An entry of a list goes by its name, or else
// by its place.
func flatten(v any, path string, line func(field, value string)) {
	switch x := v.(type) {
	case nil:
	case map[string]any:
		if len(x) == 0 {
			line(path, "{}")
		}
		for key, inner := range x {
			if !made[key] {
				flatten(inner, strings.TrimPrefix(path+"."+key, "."), line)
			}
		}
	case []any:
		if len(x) == 0 {
			line(path, "[]")
		}
		for i, inner := range x {
			entry, _ := inner.(map[string]any)
			name, _ := entry["name"].(string)
			flatten(inner, path+"["+cmp.Or(name, fmt.Sprint(i))+"]", line)
		}
	case string:
		if x == "" {
			line(path, x)
		}
		for text := range strings.Lines(Same(x)) {
			line(path, strings.TrimRight(text, "\n"))
		}
	default:
		line(path, fmt.Sprint(x))
	}
}
