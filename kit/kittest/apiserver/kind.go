package apiserver

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// strategy is what the real server's registries implement per kind: what to prepare and what to refuse.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
	rest.ResetFieldsStrategy
}

// kind is one served resource. It does not change after it is registered.
type kind struct {
	// gvk has the version in which objects are stored.
	gvk               schema.GroupVersionKind
	plural, singular  string
	list              string
	short, categories []string
	namespaced        bool
	status            bool
	// versions that are served, best first.
	versions []string
	// strategies by version and subresource.
	strategies map[string]map[string]strategy
	converter  managedfields.TypeConverter
	// clean brings an object that came in into the form that is stored: unknown fields go, values become canonical.
	clean func(*unstructured.Unstructured) error
	// fill sets defaults.
	fill func(*unstructured.Unstructured)
	// typed returns an empty Go value of a built-in kind; nil for custom resources.
	typed func() runtime.Object

	mu       sync.Mutex
	managers map[string]*managedfields.FieldManager
}

func (k *kind) group() schema.GroupResource {
	return schema.GroupResource{Group: k.gvk.Group, Resource: k.plural}
}

func (k *kind) at(version string) schema.GroupVersionKind {
	return k.gvk.GroupKind().WithVersion(version)
}

func (k *kind) empty(version string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(k.at(version))
	return u
}

// fields returns the field manager for requests in that version on that subresource.
func (k *kind) fields(version, sub string) (*managedfields.FieldManager, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := version + "/" + sub
	if m := k.managers[key]; m != nil {
		return m, nil
	}
	reset := fieldpath.NewExcludeFilterSetMap(k.strategies[version][sub].GetResetFields())
	c := converter{k}
	m, err := managedfields.NewDefaultCRDFieldManager(
		k.converter, c, c, c, k.at(version), k.gvk.GroupVersion(), sub, reset)
	if err != nil {
		return nil, fmt.Errorf("making the field manager of %s: %w", k.gvk, err)
	}
	if k.managers == nil {
		k.managers = map[string]*managedfields.FieldManager{}
	}
	k.managers[key] = m
	return m, nil
}

// converter converts, defaults and creates unstructured objects of one kind for its field managers. Versions differ in
// apiVersion only, which is what custom resources without a conversion webhook have.
type converter struct{ *kind }

func (c converter) Convert(_, _, _ any) error {
	return fmt.Errorf("converting %s into another Go value is not supported", c.gvk)
}

func (c converter) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (c converter) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	from := in.GetObjectKind().GroupVersionKind()
	to, ok := target.KindForGroupVersionKinds([]schema.GroupVersionKind{from})
	switch {
	case !ok || !slices.Contains(c.versions, to.Version):
		return nil, fmt.Errorf("request to convert CR to an invalid group/version: %s", to.GroupVersion())
	case to == from:
		return in, nil
	}
	out := in.DeepCopyObject()
	out.GetObjectKind().SetGroupVersionKind(to)
	return out, nil
}

func (c converter) Default(in runtime.Object) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok || c.clean(u) != nil {
		return
	}
	c.fill(u)
}

func (c converter) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	return c.empty(gvk.Version), nil
}

// builtins finds the kinds of a scheme for which tc has a schema, each in its best version.
func builtins(scheme *runtime.Scheme, tc managedfields.TypeConverter) []*kind {
	best := map[schema.GroupKind]*kind{}
	for gvk := range scheme.AllKnownTypes() {
		k := builtin(scheme, tc, gvk)
		if k == nil {
			continue
		}
		have := best[gvk.GroupKind()]
		if have == nil || version.CompareKubeAwareVersionStrings(gvk.Version, have.gvk.Version) > 0 {
			best[gvk.GroupKind()] = k
		}
	}
	out := make([]*kind, 0, len(best))
	for _, k := range best {
		out = append(out, k)
	}
	return out
}

func builtin(scheme *runtime.Scheme, tc managedfields.TypeConverter, gvk schema.GroupVersionKind) *kind {
	list := gvk.GroupVersion().WithKind(gvk.Kind + "List")
	if gvk.Version == runtime.APIVersionInternal || !scheme.Recognizes(list) {
		return nil
	}
	o, err := scheme.New(gvk)
	if _, ok := o.(metav1.Object); err != nil || !ok {
		return nil
	}
	probe := &unstructured.Unstructured{Object: map[string]any{}}
	probe.SetGroupVersionKind(gvk)
	if _, err := tc.ObjectToTyped(probe); err != nil {
		return nil
	}
	plural, singular := meta.UnsafeGuessKindToResource(gvk)
	_, status := reflect.TypeOf(o).Elem().FieldByName("Status")
	k := &kind{
		gvk: gvk, plural: plural.Resource, singular: singular.Resource, list: list.Kind,
		namespaced: !clusterScoped[gvk.Kind], status: status, versions: []string{gvk.Version}, converter: tc,
		typed: func() runtime.Object { return reflect.New(reflect.TypeOf(o).Elem()).Interface().(runtime.Object) },
	}
	k.clean, k.fill = k.canonical, k.defaults
	k.strategies = map[string]map[string]strategy{gvk.Version: {"": newBuiltinStrategy(k)}}
	if status {
		k.strategies[gvk.Version]["status"] = newBuiltinStatus(k)
	}
	return k
}

// canonical takes an object through its Go type, as the real server does: quantities and times become canonical and
// fields that the type does not have go.
func (k *kind) canonical(u *unstructured.Unstructured) error {
	o := k.typed()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, o); err != nil {
		return fmt.Errorf("reading %s: %w", k.gvk.Kind, err)
	}
	return k.untyped(o, u)
}

// untyped fills u from a Go value.
func (k *kind) untyped(o runtime.Object, u *unstructured.Unstructured) error {
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return fmt.Errorf("converting %s: %w", k.gvk.Kind, err)
	}
	dropNulls(m)
	u.Object = m
	u.SetGroupVersionKind(k.gvk)
	return nil
}

func dropNulls(v any) {
	switch t := v.(type) {
	case map[string]any:
		for key, e := range t {
			if e == nil {
				delete(t, key)
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

// compareKinds orders kinds for discovery.
func compareKinds(a, b *kind) int { return strings.Compare(a.plural, b.plural) }
