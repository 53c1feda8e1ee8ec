package apiserver

import (
	"context"
	"fmt"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// builtinStrategy stands for the registry of a built-in kind, whose Go code lives in k8s.io/kubernetes and cannot be
// imported: status is apart, generation follows the table, and immutable fields are refused.
type builtinStrategy struct {
	runtime.ObjectTyper
	names.NameGenerator
	kind *kind
}

func newBuiltinStrategy(k *kind) builtinStrategy {
	return builtinStrategy{unstructuredscheme.NewUnstructuredObjectTyper(), names.SimpleNameGenerator, k}
}

func (s builtinStrategy) NamespaceScoped() bool                    { return s.kind.namespaced }
func (s builtinStrategy) AllowCreateOnUpdate(context.Context) bool { return s.kind.gvk.Kind == "Lease" }
func (s builtinStrategy) AllowUnconditionalUpdate(context.Context) bool {
	return !conditional[s.kind.gvk.Kind]
}
func (s builtinStrategy) Canonicalize(runtime.Object) {}

func (s builtinStrategy) WarningsOnCreate(context.Context, runtime.Object) []string { return nil }
func (s builtinStrategy) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

// GetResetFields names what a request on the object itself does not own.
func (s builtinStrategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	if !s.kind.status {
		return nil
	}
	return s.reset("status")
}

func (s builtinStrategy) reset(field string) map[fieldpath.APIVersion]*fieldpath.Set {
	v := fieldpath.APIVersion(s.kind.gvk.GroupVersion().String())
	return map[fieldpath.APIVersion]*fieldpath.Set{v: fieldpath.NewSet(fieldpath.MakePathOrDie(field))}
}

// PrepareForCreate drops status and begins the generation.
func (s builtinStrategy) PrepareForCreate(_ context.Context, obj runtime.Object) {
	u := obj.(*unstructured.Unstructured)
	if s.kind.status && s.kind.gvk.Kind != "Node" {
		delete(u.Object, "status")
	}
	u.SetGeneration(0)
	if generations[s.kind.gvk.Kind] != nil {
		u.SetGeneration(1)
	}
	s.kind.allocate(u)
	if err := s.kind.clean(u); err != nil { // brings back the empty status
		panic(fmt.Sprintf("completing a %s: %v", s.kind.gvk.Kind, err))
	}
}

// PrepareForUpdate keeps status and counts the generation.
func (s builtinStrategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	n, o := obj.(*unstructured.Unstructured), old.(*unstructured.Unstructured)
	if s.kind.status {
		keep(n, o, "status")
	}
	s.kind.inherit(n, o)
	for _, path := range generations[s.kind.gvk.Kind] {
		a, _, _ := unstructured.NestedFieldNoCopy(n.Object, path...)
		b, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
		if !apiequality.Semantic.DeepEqual(a, b) {
			n.SetGeneration(o.GetGeneration() + 1)
			return
		}
	}
}

// Validate checks the name and the few rules of package apiserver.
func (s builtinStrategy) Validate(_ context.Context, obj runtime.Object) field.ErrorList {
	u := obj.(*unstructured.Unstructured)
	path := field.NewPath("metadata")
	errs := validation.ValidateObjectMetaAccessor(u, s.kind.namespaced, nameRule(s.kind.gvk.Kind), path)
	return append(errs, checks[s.kind.gvk.Kind].of(u)...)
}

// ValidateUpdate refuses changes of immutable fields.
func (s builtinStrategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	n, o := obj.(*unstructured.Unstructured), old.(*unstructured.Unstructured)
	errs := validation.ValidateObjectMetaAccessorUpdate(n, o, field.NewPath("metadata"))
	errs = append(errs, frozen(s.kind.gvk.Kind, n, o)...)
	return append(errs, checks[s.kind.gvk.Kind].of(n)...)
}

// builtinStatus is the strategy of the status subresource: everything but status stays.
type builtinStatus struct{ builtinStrategy }

func newBuiltinStatus(k *kind) builtinStatus { return builtinStatus{newBuiltinStrategy(k)} }

// GetResetFields names what a status request does not own.
func (s builtinStatus) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return s.reset("spec")
}

// PrepareForUpdate takes status and the managed fields from the request.
func (s builtinStatus) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	n, o := obj.(*unstructured.Unstructured), old.(*unstructured.Unstructured)
	managed, status := n.GetManagedFields(), n.Object["status"]
	rv := n.GetResourceVersion()
	n.Object = o.DeepCopy().Object
	n.SetManagedFields(managed)
	n.SetResourceVersion(rv)
	if n.Object["status"] = status; status == nil {
		delete(n.Object, "status")
	}
}

// ValidateUpdate accepts any status.
func (s builtinStatus) ValidateUpdate(context.Context, runtime.Object, runtime.Object) field.ErrorList {
	return nil
}

// keep copies a top-level field from old to obj, or removes it from obj.
func keep(obj, old *unstructured.Unstructured, name string) {
	v, ok := old.Object[name]
	if !ok {
		delete(obj.Object, name)
		return
	}
	obj.Object[name] = runtime.DeepCopyJSONValue(v)
}

func nameRule(kind string) validation.ValidateNameFunc {
	if slices.Contains([]string{"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}, kind) {
		return func(string, bool) []string { return nil }
	}
	if slices.Contains([]string{"Service", "Namespace"}, kind) {
		return validation.NameIsDNSLabel
	}
	return validation.NameIsDNSSubdomain
}

// clusterScoped has the built-in kinds without a namespace.
var clusterScoped = set(
	"APIService", "CSIDriver", "CSINode", "CertificateSigningRequest", "ClusterRole", "ClusterRoleBinding",
	"ClusterTrustBundle", "ComponentStatus", "CustomResourceDefinition", "DeviceClass", "DeviceTaintRule", "FlowSchema",
	"IPAddress", "IngressClass", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
	"MutatingWebhookConfiguration", "Namespace", "Node", "PersistentVolume", "PriorityClass",
	"PriorityLevelConfiguration", "ResourceSlice", "RuntimeClass", "ServiceCIDR", "StorageClass", "StorageVersion",
	"StorageVersionMigration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	"ValidatingWebhookConfiguration", "VolumeAttachment", "VolumeAttributesClass")

// conditional has the built-in kinds whose update must name a resourceVersion.
var conditional = set(
	"CSIDriver", "CSINode", "CSIStorageCapacity", "ClusterTrustBundle", "Lease", "LeaseCandidate",
	"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration", "PodDisruptionBudget",
	"RuntimeClass", "StorageVersionMigration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	"ValidatingWebhookConfiguration", "VolumeAttachment", "CustomResourceDefinition")

// generations has the fields whose change counts metadata.generation; kinds that are not here stay at 0.
var generations = generationTable()

func generationTable() map[string][][]string {
	spec := [][]string{{"spec"}}
	out := map[string][][]string{
		"Deployment":                     {{"spec"}, {"metadata", "annotations"}},
		"ReplicaSet":                     spec,
		"PodTemplate":                    {{"template"}},
		"MutatingWebhookConfiguration":   {{"webhooks"}},
		"ValidatingWebhookConfiguration": {{"webhooks"}},
		"EndpointSlice":                  {{"endpoints"}, {"ports"}},
		"PriorityClass":                  {},
	}
	for _, k := range []string{
		"CronJob", "CustomResourceDefinition", "DaemonSet", "DeviceClass", "FlowSchema", "Ingress", "IngressClass", "Job",
		"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "NetworkPolicy", "Pod", "PodDisruptionBudget",
		"PriorityLevelConfiguration", "ReplicationController", "ResourceSlice", "StatefulSet",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	} {
		out[k] = spec
	}
	return out
}

func set(names ...string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, n := range names {
		out[n] = true
	}
	return out
}
