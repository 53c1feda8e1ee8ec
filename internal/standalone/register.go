package standalone

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/internal/service"
)

// Registration is what is to be in Keystone of a service.
type Registration struct {
	// Namespace of the objects.
	Namespace string
	// Cloud by which everything is registered.
	Cloud *openstackv1.Cloud
	// Objects are those of the resource engine.
	Objects []openstackv1.Object
	// Secrets are those that the Cloud and the objects refer to.
	Secrets []*corev1.Secret
}

// Register tells what the definition of an object's kind makes for Keystone: user, role, entries of the catalog, and
// whatever only that service has there. It is made of no Secret, so that stand-ins do for all but Keystone's.
func Register(ctx context.Context, c client.Reader, data []byte) (*Registration, error) {
	o, err := objectOf(data)
	if err != nil {
		return nil, err
	}
	authority, err := pki.NewCA("stand-in", time.Now())
	if err != nil {
		return nil, fmt.Errorf("making a CA: %w", err)
	}
	kind, keystone := o.GetObjectKind().GroupVersionKind().Kind, keystoneOf(data)
	given, err := standIns(kind, data)
	if err != nil {
		return nil, err
	}
	stand := asking{given: given, authority: authority, object: o, keystone: keystone, names: map[string]bool{}}
	known := &identity{clouds: c, keystone: keystone, alone: true, Reader: stand}
	result, err := play(ctx, o, known)
	switch {
	case known.err != nil:
		return nil, known.err
	case err != nil:
		return nil, err
	case known.secret == nil:
		return nil, fmt.Errorf("a %s asks no Keystone", kind)
	}
	for _, note := range result.Notes {
		for _, step := range []string{service.StepUser, service.StepCatalog} {
			if strings.Contains(note, ", step "+step+": ") {
				return nil, errors.New(note)
			}
		}
	}
	r := &Registration{Namespace: o.GetNamespace(), Cloud: known.cloud(), Secrets: []*corev1.Secret{known.secret}}
	for _, p := range known.projects {
		r.add(p)
	}
	for _, m := range result.Made {
		if own, ok := m.Object.(openstackv1.Object); ok && inKeystone(own) {
			r.add(own)
		}
	}
	return r, r.read(ctx, c)
}

// add takes an object once.
func (r *Registration) add(o openstackv1.Object) {
	if !slices.ContainsFunc(r.Objects, func(have openstackv1.Object) bool { return NameOf(have) == NameOf(o) }) {
		r.Objects = append(r.Objects, o)
	}
}

// read reads the Secrets with passwords.
func (r *Registration) read(ctx context.Context, c client.Reader) error {
	var names []string
	for _, o := range r.Objects {
		names = append(names, passwordsOf(o)...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		s := &corev1.Secret{}
		if err := c.Get(ctx, client.ObjectKey{Namespace: r.Namespace, Name: name}, s); err != nil {
			return fmt.Errorf("reading the password in Secret %s: %w", name, err)
		}
		r.Secrets = append(r.Secrets, s)
	}
	return nil
}

// standIns are the keys of Secrets that the definition of a kind looks at, by name.
func standIns(kind string, data []byte) (map[string][]string, error) {
	var o struct{ Spec any }
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, fmt.Errorf("reading the object: %w", err)
	}
	c, out := chartOf(kind), map[string][]string{}
	maps.Copy(out, c.Given)
	for path, keys := range c.Names {
		for _, name := range texts(o.Spec, strings.Split(path, ".")) {
			out[name] = keys
		}
	}
	return out, nil
}

// texts are those at a path, of all items where there are lists.
func texts(node any, path []string) (out []string) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			out = append(out, texts(item, path)...)
		}
	case map[string]any:
		if len(path) > 0 {
			return texts(node[path[0]], path[1:])
		}
	case string:
		out = append(out, node)
	}
	return out
}

// KindOf names the kind of an object of the resource engine.
func KindOf(o client.Object) string {
	all, _, err := operator.Scheme().ObjectKinds(o)
	if err != nil || len(all) == 0 {
		return ""
	}
	return all[0].Kind
}

// NameOf names such an object for people.
func NameOf(o client.Object) string { return KindOf(o) + " " + o.GetName() }

// inKeystone tells that an object is no resource of the service itself, which may not answer yet.
func inKeystone(o client.Object) bool {
	return slices.ContainsFunc(kinds.All(), func(k *descriptor.Kind) bool {
		return k.Name == KindOf(o) && k.Service == "identity"
	})
}

// passwordsOf are the Secrets that an object of the resource engine refers to.
func passwordsOf(o client.Object) []string {
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil
	}
	var out []string
	for _, k := range kinds.All() {
		if k.Name != KindOf(o) {
			continue
		}
		for _, f := range k.Fields {
			name, _, _ := unstructured.NestedString(tree, "spec", "resource", f.Spec(), "name")
			if f.Type == descriptor.Secret && !f.Output && name != "" {
				out = append(out, name)
			}
		}
	}
	return out
}
