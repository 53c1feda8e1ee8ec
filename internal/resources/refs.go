package resources

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// The references that objects of every kind have.
const (
	refNamespace    = "namespace"
	refCloud        = "cloud"
	refClusterCloud = "clusterCloud"
	defaultCloud    = "default"

	kindCloud        = "Cloud"
	kindClusterCloud = "ClusterCloud"
)

// refs declares what objects of the kind refer to: clouds, other resources, Secrets.
func (c *controller) refs() []ref.Ref[object] {
	out := []ref.Ref[object]{
		ref.To(refNamespace, &corev1.Namespace{}, func(o object) []types.NamespacedName {
			return []types.NamespacedName{{Name: o.GetNamespace()}}
		}, ref.DigestOf[object](labelsOf)),
		ref.To(refCloud, &openstackv1.Cloud{}, cloudKeys, ref.Optional[object](), ref.DigestOf[object](cloudDigest)),
		ref.To(refClusterCloud, &openstackv1.ClusterCloud{}, clusterCloudKeys, ref.Optional[object](),
			ref.DigestOf[object](cloudDigest)),
	}
	kinds := referenced(c.kind.Fields)
	for _, kind := range kinds { // optional: the resolver says better what is missing
		if c.engine.absent[kind] {
			continue
		}
		out = append(out, ref.To(kind, c.engine.empty(kind), func(o object) []types.NamespacedName {
			return c.keys(o, func(f d.Field) bool { return f.Ref == kind })
		}, ref.Optional[object](), ref.DigestOf[object](c.digestOf(kind))))
	}
	if len(kinds) > 0 {
		out = append(out, ref.To(refGrants, &openstackv1.ReferenceGrant{}, c.abroad, ref.DigestOf[object](generationOf)))
	}
	out = append(out, c.siblingRefs()...)
	for _, f := range c.kind.Fields {
		if f.Type == d.Secret && !f.Output {
			out = append(out, ref.To(secretRef(f), &corev1.Secret{}, func(o object) []types.NamespacedName {
				return c.keys(o, func(g d.Field) bool { return g.API == f.API && g.Type == d.Secret })
			}))
		}
	}
	return out
}

func secretRef(f d.Field) string { return "secret-" + f.Spec() }

// referenced lists the kinds that fields refer to, those of nested objects too.
func referenced(fields []d.Field) []string {
	kinds := map[string]bool{}
	for _, f := range fields {
		if f.Ref != "" {
			kinds[f.Ref] = true
		}
		for _, k := range f.Refs {
			kinds[k] = true
		}
		for _, k := range referenced(f.Fields) {
			kinds[k] = true
		}
	}
	return slices.Sorted(maps.Keys(kinds))
}

// cloudsOf are the clouds that an object may be in: the one that it is in, or names, or else the defaults, of which the
// first that exists counts. Who is in one default stays when another one appears: the resource is there.
func cloudsOf(o object) []cloudKey {
	if r := o.Common().CloudRef; r != nil {
		return []cloudKey{keyTo(r, o.GetNamespace())}
	}
	if key, known := recorded(o); known {
		return []cloudKey{key}
	}
	return []cloudKey{{Namespace: o.GetNamespace(), Name: defaultCloud}, {Name: defaultCloud}}
}

func cloudKeys(o object) []types.NamespacedName {
	return slices.DeleteFunc(cloudsOf(o), func(k cloudKey) bool { return k.Namespace == "" })
}

func clusterCloudKeys(o object) []types.NamespacedName {
	return slices.DeleteFunc(cloudsOf(o), func(k cloudKey) bool { return k.Namespace != "" })
}

// cloudDigest changes when requests to the cloud would go elsewhere.
func cloudDigest(o client.Object) string { return fmt.Sprint(o.GetUID(), o.GetGeneration()) }

func labelsOf(o client.Object) string { return labels.Set(o.GetLabels()).String() }

// digestOf changes when there is something to do for those who refer to an object of a kind.
func (c *controller) digestOf(kind string) func(client.Object) string {
	return func(o client.Object) string {
		leaves := kind == c.kind.GoesWith && o.GetDeletionTimestamp() != nil
		return fmt.Sprint(c.engine.idOf(o, kind), " ", leaves)
	}
}

// idOf changes when other requests are made for those who refer to the object.
func (e *Engine) idOf(o client.Object, kind string) string {
	if r, ok := o.(object); ok {
		key, _ := recorded(r)
		return fmt.Sprint(r.Observed().ID, " ", key, " ", e.unusable(r, kind))
	}
	return ""
}

// unusable tells whether a resource is still on its way.
func (e *Engine) unusable(o object, kind string) bool {
	k := e.kinds[kind]
	return k != nil && slices.Contains(k.State.Pending, o.Observed().State)
}

// keys returns the objects that fields refer to by name.
func (c *controller) keys(o object, want func(d.Field) bool) []types.NamespacedName {
	declared, err := body.Map(o.Declared())
	if err != nil {
		return nil
	}
	var out []types.NamespacedName
	collect(c.kind.Fields, declared, want, func(m map[string]any) {
		if name, _ := m["name"].(string); name != "" {
			namespace, _ := m["namespace"].(string)
			key := types.NamespacedName{Namespace: cmp.Or(namespace, o.GetNamespace()), Name: name}
			if !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	})
	return out
}

// targets are the objects that an object refers to.
func (c *controller) targets(o object) []node {
	var out []node
	for _, kind := range referenced(c.kind.Fields) {
		for _, key := range c.keys(o, func(f d.Field) bool { return f.Ref == kind }) {
			out = append(out, node{kind, key})
		}
	}
	return out
}

func (c *controller) node(o object) node {
	return node{c.kind.Name, types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}}
}

// link records what an object refers to, and wakes those that may wait to be deleted until it does not any more.
func (c *controller) link(o object, to []node) {
	if len(to) > 0 && c.engine.departed.has(o.GetUID()) {
		return // another object may have its name by now
	}
	for _, freed := range c.engine.links.set(c.node(o), to) {
		if b := c.engine.bells[freed.kind]; b != nil {
			b.wake(freed.NamespacedName)
		}
	}
}

func collect(fields []d.Field, declared map[string]any, want func(d.Field) bool, found func(map[string]any)) {
	for _, f := range fields {
		values, isList := declared[f.Spec()].([]any)
		if !isList {
			values = []any{declared[f.Spec()]}
		}
		for _, v := range values {
			m, ok := v.(map[string]any)
			if !ok {
				continue
			}
			g := f
			if g.Ref = body.RefKind(f, fields, declared); want(g) {
				found(m)
			}
			collect(f.Fields, m, want, found)
		}
	}
}

// resolver looks up references for one run of one object.
type resolver struct {
	controller *controller
	scope      *scope
	cloud      *cloud
	// external finds a resource that nothing here stands for.
	external func(kind string, m map[string]any) (string, error)
	// field is a field of a resource with an id.
	field func(kind, id, api string) (string, error)
}

// ID implements body.Resolver.
func (r *resolver) ID(f d.Field, m map[string]any) (string, error) {
	id, err := r.id(f, m)
	if err != nil || f.By == "" {
		return id, err
	}
	return r.field(f.Ref, id, f.By)
}

func (r *resolver) id(f d.Field, m map[string]any) (string, error) {
	if id, _ := m["id"].(string); id != "" {
		return id, nil
	}
	if e, ok := m["external"].(map[string]any); ok {
		return r.external(f.Ref, e)
	}
	name, _ := m["name"].(string)
	if r.controller.engine.absent[f.Ref] {
		return "", fmt.Errorf("this cluster has no kind %s; give an id or external, or install the kind and restart the "+
			"operator", f.Ref)
	}
	namespace, _ := m["namespace"].(string)
	return r.named(f, name, namespace)
}

// Secret implements body.Resolver.
func (r *resolver) Secret(f d.Field, m map[string]any) (string, error) {
	key, _ := m["key"].(string)
	v := r.scope.Value(secretRef(f), key)
	if err := r.scope.Err(); err != nil {
		return "", err
	}
	return v, fits(f, m["name"], key, v)
}

// fits tells whether the API takes a value of that length. It would refuse the request as too large, or as wrong.
func fits(f d.Field, name any, key, value string) error {
	most := int(f.Max)
	if f.Normal == d.Base64 {
		most = base64.StdEncoding.DecodedLen(most)
	}
	if most == 0 || len(value) <= most {
		return nil
	}
	return outcome.Invalidf("key %s of the Secret %v has %d bytes, and OpenStack takes at most %d as %s; "+
		"make it shorter, or let it fetch what is long", key, name, len(value), most, f.API)
}

// Own implements body.Resolver.
func (r *resolver) Own(kind string) string {
	if strings.EqualFold(kind, "User") {
		return r.cloud.door.UserID()
	}
	return r.cloud.door.ProjectID()
}
