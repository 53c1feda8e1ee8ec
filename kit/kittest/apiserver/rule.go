package apiserver

import (
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"strconv"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// check finds what is wrong with an object of one kind.
type check func(*unstructured.Unstructured) field.ErrorList

func (c check) of(u *unstructured.Unstructured) field.ErrorList {
	if c == nil {
		return nil
	}
	return c(u)
}

// checks are the few validations of built-in kinds that operators run into.
var checks = map[string]check{
	"Deployment": selects, "StatefulSet": selects, "DaemonSet": selects, "ReplicaSet": selects,
}

// selects checks that a workload selects its own pods.
func selects(u *unstructured.Unstructured) field.ErrorList {
	want, _, _ := unstructured.NestedStringMap(u.Object, "spec", "selector", "matchLabels")
	have, _, _ := unstructured.NestedStringMap(u.Object, "spec", "template", "metadata", "labels")
	path := field.NewPath("spec")
	if len(want) == 0 && at(u, "spec.selector.matchExpressions") == nil {
		return field.ErrorList{field.Required(path.Child("selector"), "")}
	}
	for k, v := range want {
		if have[k] != v {
			return field.ErrorList{field.Invalid(path.Child("template", "metadata", "labels"), have,
				"`selector` does not match template `labels`")}
		}
	}
	return nil
}

// frozenFields are immutable fields, by kind: a change is Invalid.
var frozenFields = map[string][]string{
	"Deployment": {"spec.selector"}, "DaemonSet": {"spec.selector"}, "ReplicaSet": {"spec.selector"},
	"Job": {"spec.template", "spec.selector", "spec.completionMode", "spec.podFailurePolicy",
		"spec.backoffLimitPerIndex", "spec.managedBy"},
	"RoleBinding": {"roleRef"}, "ClusterRoleBinding": {"roleRef"}, "Secret": {"type"},
	"StorageClass": {"provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"},
}

// openFields are the only fields of spec that may change, by kind: a change of another is Forbidden at spec.
var openFields = map[string]struct {
	fields []string
	text   string
}{
	"StatefulSet": {
		[]string{"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
			"persistentVolumeClaimRetentionPolicy", "minReadySeconds"},
		"updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
			"'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
	},
	"PersistentVolumeClaim": {
		[]string{"resources", "volumeName", "volumeAttributesClassName"},
		"spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
	},
}

// frozen refuses changes of immutable fields.
func frozen(kind string, n, o *unstructured.Unstructured) field.ErrorList {
	var errs field.ErrorList
	for _, p := range frozenFields[kind] {
		if v := at(n, p); !apiequality.Semantic.DeepEqual(v, at(o, p)) {
			text := validation.FieldImmutableErrorMsg
			if p == "roleRef" {
				text = "cannot change roleRef"
			}
			errs = append(errs, field.Invalid(dotted(p), v, text))
		}
	}
	open, ok := openFields[kind]
	if ok && !apiequality.Semantic.DeepEqual(others(n, open.fields), others(o, open.fields)) {
		errs = append(errs, field.Forbidden(field.NewPath("spec"), open.text))
	}
	if kind == "Service" {
		errs = append(errs, frozenAddress(n, o)...)
	}
	if (kind == "Secret" || kind == "ConfigMap") && yes(o, "immutable") {
		errs = append(errs, frozenData(n, o)...)
	}
	return errs
}

// frozenAddress refuses another cluster address of a Service that stays one with an address.
func frozenAddress(n, o *unstructured.Unstructured) field.ErrorList {
	before, after := at(o, "spec.clusterIP"), at(n, "spec.clusterIP")
	external := at(o, "spec.type") == "ExternalName" || at(n, "spec.type") == "ExternalName"
	if before == nil || before == "" || before == after || external {
		return nil
	}
	return field.ErrorList{
		field.Invalid(dotted("spec.clusterIPs").Index(0), []any{after}, "may not change once set"),
	}
}

func frozenData(n, o *unstructured.Unstructured) field.ErrorList {
	var errs field.ErrorList
	for _, p := range []string{"immutable", "data", "binaryData"} {
		if !apiequality.Semantic.DeepEqual(at(n, p), at(o, p)) {
			errs = append(errs, field.Forbidden(dotted(p), "field is immutable when `immutable` is set"))
		}
	}
	return errs
}

// others returns spec without some fields.
func others(u *unstructured.Unstructured, without []string) map[string]any {
	spec, _ := at(u, "spec").(map[string]any)
	out := make(map[string]any, len(spec))
	maps.Copy(out, spec)
	for _, f := range without {
		delete(out, f)
	}
	return out
}

// at returns the value at a dotted path, or nil.
func at(u *unstructured.Unstructured, name string) any {
	v, _, _ := unstructured.NestedFieldNoCopy(u.Object, strings.Split(name, ".")...)
	return v
}

func yes(u *unstructured.Unstructured, name string) bool {
	b, _ := at(u, name).(bool)
	return b
}

func dotted(name string) *field.Path {
	parts := strings.Split(name, ".")
	return field.NewPath(parts[0], parts[1:]...)
}

// allocate sets what the real server's registries compute for a new object.
func (k *kind) allocate(u *unstructured.Unstructured) {
	switch k.gvk.Kind {
	case "Job":
		k.control(u)
	case "Service":
		k.address(u)
	case "Namespace":
		u.Object["status"] = map[string]any{"phase": "Active"}
	case "PersistentVolumeClaim", "PersistentVolume", "Pod":
		u.Object["status"] = map[string]any{"phase": "Pending"}
	case "DaemonSet":
		count(u, "1")
	}
}

// count notes the generation of a DaemonSet's template where apps/v1 shows it.
func count(u *unstructured.Unstructured, n string) {
	notes := u.GetAnnotations()
	if notes == nil {
		notes = map[string]string{}
	}
	notes[templateGeneration] = n
	u.SetAnnotations(notes)
}

const templateGeneration = "deprecated.daemonset.template.generation"

// address gives a Service its cluster address, a made-up one that follows from the uid.
func (k *kind) address(u *unstructured.Unstructured) {
	spec, ok := u.Object["spec"].(map[string]any)
	if !ok || spec["type"] == "ExternalName" {
		return
	}
	if ip := spec["clusterIP"]; ip == nil || ip == "" {
		h := fnv.New32a()
		_, _ = io.WriteString(h, string(u.GetUID())) // a hash never fails
		n := h.Sum32()
		spec["clusterIP"] = fmt.Sprintf("10.%d.%d.%d", 96+n>>24%16, n>>16&255, n>>8&255)
	}
	for name, v := range map[string]any{
		"clusterIPs": []any{spec["clusterIP"]}, "ipFamilies": []any{"IPv4"}, "ipFamilyPolicy": "SingleStack",
	} {
		if spec[name] == nil {
			spec[name] = v
		}
	}
}

// control gives a Job the labels and the selector that tie its pods to it.
func (k *kind) control(u *unstructured.Unstructured) {
	if yes(u, "spec.manualSelector") {
		return
	}
	uid := string(u.GetUID())
	labels, _, _ := unstructured.NestedStringMap(u.Object, "spec", "template", "metadata", "labels")
	if labels == nil {
		labels = map[string]string{}
	}
	for name, v := range map[string]string{"controller-uid": uid, "job-name": u.GetName()} {
		labels[name], labels["batch.kubernetes.io/"+name] = v, v
	}
	put(u, labels, "spec", "template", "metadata", "labels")
	put(u, map[string]string{"batch.kubernetes.io/controller-uid": uid}, "spec", "selector", "matchLabels")
}

// put sets a string map; the path leads through maps only.
func put(u *unstructured.Unstructured, m map[string]string, path ...string) {
	if err := unstructured.SetNestedStringMap(u.Object, m, path...); err != nil {
		panic(fmt.Sprintf("setting %v of %s: %v", path, u.GetKind(), err))
	}
}

// inherit takes over what a request may leave out on update.
func (k *kind) inherit(n, o *unstructured.Unstructured) {
	if k.gvk.Kind == "DaemonSet" {
		was, _ := strconv.Atoi(o.GetAnnotations()[templateGeneration])
		if !apiequality.Semantic.DeepEqual(at(n, "spec.template"), at(o, "spec.template")) {
			was++
		}
		count(n, strconv.Itoa(was))
	}
	inherited := map[string][]string{
		"Service":               {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"},
		"PersistentVolumeClaim": {"volumeName", "storageClassName", "volumeMode"},
		"Job":                   {"selector"},
	}
	spec, ok := n.Object["spec"].(map[string]any)
	if !ok {
		return
	}
	for _, f := range inherited[k.gvk.Kind] {
		if v := at(o, "spec."+f); v != nil && spec[f] == nil && at(n, "spec.type") != "ExternalName" {
			spec[f] = runtime.DeepCopyJSONValue(v)
		}
	}
}
