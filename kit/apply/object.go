// Package apply turns what a step renders into server-side apply requests, and tells from managed fields alone whether
// anybody changed what we own.
package apply

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"stackwright.dev/kit/outcome"
)

// Labels and annotations that the kit puts on objects.
const (
	// LabelPartOf names the apply set (KEP-3659) of an owner; it is the index by which lost inventory is found again.
	LabelPartOf = "applyset.kubernetes.io/part-of"
	// LabelSetID is the same id on the owner.
	LabelSetID = "applyset.kubernetes.io/id"
	// AnnotationKinds lists the kinds of a set on the owner, as KEP-3659 wants.
	AnnotationKinds = "applyset.kubernetes.io/contains-group-kinds"
	// AnnotationTooling names the tool of a set on the owner.
	AnnotationTooling = "applyset.kubernetes.io/tooling"
	// LabelController names the controller that made an object.
	LabelController = "kit.stackwright.dev/controller"
	// LabelEstate names the apply set of the topmost owner, on all that owners below it made. What those kept is found by
	// it when they are gone themselves.
	LabelEstate = "kit.stackwright.dev/estate"
	// AnnotationOwner is namespace/name of the owner.
	AnnotationOwner = "kit.stackwright.dev/owner"
	// AnnotationStep is the step that made an object.
	AnnotationStep = "kit.stackwright.dev/step"
	// AnnotationOrder is the level of that step in the graph: none comes after one of a higher level.
	AnnotationOrder = "kit.stackwright.dev/order"
	// AnnotationDue is when a generated Secret wants to be looked at again, RFC 3339.
	AnnotationDue = "kit.stackwright.dev/due"
	// AnnotationChanged is when a generated Secret that is never renewed by itself got its content, RFC 3339.
	AnnotationChanged = "kit.stackwright.dev/changed"
)

// Origin says where an object comes from; it becomes labels, annotations and the owner reference.
type Origin struct {
	Controller string
	Owner      client.Object
	OwnerKind  schema.GroupVersionKind
	Step       string
	Order      int
	// Released objects get no owner reference, so that they outlive the owner.
	Released bool
}

// SetID returns the apply set id of an owner as KEP-3659 defines it.
func SetID(name, namespace string, gk schema.GroupKind) string {
	h := sha256.Sum256([]byte(name + "." + namespace + "." + gk.Kind + "." + gk.Group))
	return "applyset-" + base64.RawURLEncoding.EncodeToString(h[:]) + "-v1"
}

// Normalize returns obj as it is sent to the API server, and the hash of what the step wants of it (16 hex digits).
// Status, nulls, server-set metadata and empty strategy and resources blocks are dropped. The owner's namespace is the
// default. An object that carries stringData is refused: foreign edits of it could not be seen.
func Normalize(scheme *runtime.Scheme, obj client.Object, from Origin) (*unstructured.Unstructured, string, error) {
	gvk, err := apiutil.GVKForObject(obj, scheme)
	if err != nil {
		return nil, "", fmt.Errorf("finding the kind of %T: %w", obj, err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, "", fmt.Errorf("converting %s %s: %w", gvk.Kind, obj.GetName(), err)
	}
	if sd, ok := content["stringData"]; ok && sd != nil {
		return nil, "", outcome.Invalidf("secret %s uses stringData; put its content into data", obj.GetName())
	}
	u := &unstructured.Unstructured{Object: content}
	clean(content)
	u.SetGroupVersionKind(gvk)
	if u.GetNamespace() == "" && from.Owner.GetNamespace() != "" && !clusterScoped(gvk) {
		u.SetNamespace(from.Owner.GetNamespace())
	}
	stamp(u, from)
	raw, err := json.Marshal(content)
	if err != nil {
		return nil, "", fmt.Errorf("encoding %s %s: %w", gvk.Kind, obj.GetName(), err)
	}
	return u, Hash(raw), nil
}

// Hash returns 16 hex digits of SHA-256.
func Hash(raw []byte) string {
	h := sha256.Sum256(raw)
	return hex.EncodeToString(h[:8])
}

// clusterScoped knows the built-in cluster-scoped kinds that operators make.
func clusterScoped(gvk schema.GroupVersionKind) bool {
	if gvk.Group == "admissionregistration.k8s.io" {
		return true
	}
	switch gvk.Kind {
	case "Namespace", "ClusterRole", "ClusterRoleBinding", "PersistentVolume", "StorageClass",
		"CustomResourceDefinition", "PriorityClass":
		return true
	}
	return false
}

// stamp writes into the maps of u, which is a copy, because a converter for each field takes three times as long.
func stamp(u *unstructured.Unstructured, from Origin) {
	meta := within(u.Object, "metadata")
	labels := within(meta, "labels")
	labels[LabelPartOf] = SetID(from.Owner.GetName(), from.Owner.GetNamespace(), from.OwnerKind.GroupKind())
	labels[LabelController] = from.Controller
	above := from.Owner.GetLabels()
	if estate := cmp.Or(above[LabelEstate], above[LabelPartOf]); estate != "" {
		labels[LabelEstate] = estate
	}
	notes := within(meta, "annotations")
	notes[AnnotationOwner] = from.Owner.GetNamespace() + "/" + from.Owner.GetName()
	notes[AnnotationStep] = from.Step
	notes[AnnotationOrder] = strconv.Itoa(from.Order)
	if from.Released || u.GetNamespace() != from.Owner.GetNamespace() {
		return
	}
	// blockOwnerDeletion stays false: the garbage collector would otherwise delete children of a foreground
	// deletion all at once, against the order of the graph.
	meta["ownerReferences"] = []any{map[string]any{
		"apiVersion": from.OwnerKind.GroupVersion().String(), "kind": from.OwnerKind.Kind,
		"name": from.Owner.GetName(), "uid": string(from.Owner.GetUID()), "controller": true, "blockOwnerDeletion": false,
	}}
}

// within returns the map under a key, which it makes where none is.
func within(m map[string]any, key string) map[string]any {
	in, ok := m[key].(map[string]any)
	if !ok {
		in = map[string]any{}
		m[key] = in
	}
	return in
}

// clean drops what a typed Go struct carries and an apply must not.
func clean(content map[string]any) {
	delete(content, "status")
	if meta, ok := content["metadata"].(map[string]any); ok {
		for _, k := range []string{"creationTimestamp", "resourceVersion", "uid", "generation", "managedFields"} {
			delete(meta, k)
		}
	}
	dropNulls(content)
	spec, _ := content["spec"].(map[string]any)
	for _, k := range []string{"strategy", "updateStrategy"} {
		dropEmpty(spec, k)
	}
	dropTemplateNoise(spec)
}

func dropNulls(v any) {
	switch t := v.(type) {
	case map[string]any:
		for k, e := range t {
			if e == nil {
				delete(t, k)
				continue
			}
			dropNulls(e)
		}
	case []any:
		for _, e := range t {
			dropNulls(e)
		}
	}
}

func dropEmpty(m map[string]any, key string) {
	if e, ok := m[key].(map[string]any); ok && len(e) == 0 {
		delete(m, key)
	}
}

// dropTemplateNoise removes what the Go types of pod and claim templates emit although nobody set it.
func dropTemplateNoise(spec map[string]any) {
	if spec == nil {
		return
	}
	if job, ok := spec["jobTemplate"].(map[string]any); ok {
		clean(job)
	}
	if claims, ok := spec["volumeClaimTemplates"].([]any); ok {
		for _, c := range claims {
			clean(c.(map[string]any))
		}
	}
	tmpl, ok := spec["template"].(map[string]any)
	if !ok {
		return
	}
	clean(tmpl)
	pod, ok := tmpl["spec"].(map[string]any)
	if !ok {
		return
	}
	for _, list := range []string{"containers", "initContainers"} {
		cs, _ := pod[list].([]any)
		for _, c := range cs {
			if m, ok := c.(map[string]any); ok {
				dropEmpty(m, "resources")
			}
		}
	}
}
