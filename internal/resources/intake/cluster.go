package intake

import (
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/types"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// place names a resource by its id, or by the value of another field.
type place struct{ kind, by, value string }

// Objects are those of a cluster.
type Objects struct {
	Kinds []*d.Kind
	// Resources by the names of their kinds, and the Clouds.
	Resources map[string][]openstackv1.Object
	Clouds    []types.NamespacedName
	// Project and User are whom the credentials of the cloud stand for that is looked at.
	Project, User string
}

// Cluster knows for which resources a cluster has objects.
type Cluster struct {
	// defaults are the namespaces that have a Cloud named default.
	defaults map[string]bool
	named    map[string]map[types.NamespacedName]holder
	byMarker map[string]holder
	byID     map[place][]holder
	// byKey are the objects of kinds without an id.
	byKey map[string][]holder
	own   map[string]string
}

// holder is an object that stands for a resource.
type holder struct {
	openstackv1.Object
	kind  *d.Kind
	cloud string
	// wanted are the fields of an object of byKey.
	wanted map[string]any
}

// NewCluster looks at the objects of a cluster.
func NewCluster(all Objects) *Cluster {
	c := &Cluster{defaults: map[string]bool{}, named: map[string]map[types.NamespacedName]holder{},
		byMarker: map[string]holder{}, byID: map[place][]holder{}, byKey: map[string][]holder{},
		own: map[string]string{"Project": all.Project, "User": all.User}}
	for _, cloud := range all.Clouds {
		if cloud.Name == "default" {
			c.defaults[cloud.Namespace] = true
		}
	}
	for _, k := range all.Kinds {
		c.named[k.Name] = map[types.NamespacedName]holder{}
		for _, o := range all.Resources[k.Name] {
			h := holder{Object: o, kind: k, cloud: c.cloudOf(o)}
			c.named[k.Name][types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}] = h
			c.byMarker[resources.Marker(k, o)] = h
			if id := h.id(); id != "" {
				c.byID[place{k.Name, "", id}] = append(c.byID[place{k.Name, "", id}], h)
			}
		}
	}
	c.keys(all.Kinds)
	return c
}

// keys takes in the objects whose resources have a key and no id. Their references need all other objects.
func (c *Cluster) keys(kinds []*d.Kind) {
	for _, k := range kinds {
		if !k.Keyed() {
			continue
		}
		for _, h := range c.named[k.Name] {
			declared, err := body.Map(h.Declared())
			if err != nil {
				continue
			}
			// A reference that cannot be resolved yet leaves the id on the books, if there is one.
			if h.wanted, err = body.Render(k, declared, "", resolver{c, h}); err == nil {
				c.byKey[k.Name] = append(c.byKey[k.Name], h)
			}
		}
	}
}

func (c *Cluster) cloudOf(o openstackv1.Object) string {
	switch r := o.Common().CloudRef; {
	case r != nil:
		return Cloud(*r, o.GetNamespace())
	case c.defaults[o.GetNamespace()]:
		return Cloud(openstackv1.CloudReference{Name: "default"}, o.GetNamespace())
	}
	return Cloud(openstackv1.CloudReference{Kind: "ClusterCloud", Name: "default"}, "")
}

// Cloud names a cloud as objects of a namespace refer to it.
func Cloud(r openstackv1.CloudReference, namespace string) string {
	if r.Kind == "ClusterCloud" {
		return "ClusterCloud " + r.Name
	}
	return "Cloud " + namespace + "/" + r.Name
}

// id of the resource that an object has, or is to take over.
func (h holder) id() string {
	switch im := h.Common().Import; {
	case resources.Booked(h.kind, h.Object) != "":
		return resources.Booked(h.kind, h.Object)
	case h.kind.Keyed():
		return ""
	case h.Observed().ID != "":
		return h.Observed().ID
	case im != nil:
		return im.ID
	}
	return ""
}

// uuid is a word that is no id of anything else anywhere, unlike the name of a region.
var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$`)

// Keeper is the object that stands for a resource of a cloud, nil when there is none.
func (c *Cluster) Keeper(f resources.Found, cloud string) openstackv1.Object {
	if h, ok := c.byMarker[f.Marker]; ok && f.Marker != "" {
		return h.Object
	}
	for _, h := range c.byID[place{f.Kind.Name, "", f.ID}] {
		if h.cloud == cloud || uuid.MatchString(f.ID) {
			return h.Object
		}
	}
	for _, h := range c.byKey[f.Kind.Name] {
		if h.cloud == cloud && resources.Stands(f.Kind, h.wanted, f) {
			return h.Object
		}
	}
	return nil
}

// Foreign tells whether a resource carries the marker of an object that the cluster does not have.
func (c *Cluster) Foreign(f resources.Found) bool {
	_, ours := c.byMarker[f.Marker]
	return resources.Marked(f.Kind) && f.Marker != "" && !ours
}

// names are those of the objects of a kind in a namespace.
func (c *Cluster) names(kind, namespace string) []string {
	var out []string
	for key := range c.named[kind] {
		if key.Namespace == namespace {
			out = append(out, key.Name)
		}
	}
	return out
}

// resolver finds what an object refers to among the other objects.
type resolver struct {
	cluster *Cluster
	holder
}

// ID implements body.Resolver.
func (r resolver) ID(f d.Field, m map[string]any) (string, error) {
	if id, _ := m["id"].(string); id != "" {
		return id, nil
	}
	name, _ := m["name"].(string)
	h, ok := r.cluster.named[f.Ref][types.NamespacedName{Namespace: r.GetNamespace(), Name: name}]
	if !ok || h.id() == "" {
		return "", fmt.Errorf("%s %q has no id yet", f.Ref, name)
	}
	return h.id(), nil
}

// Secret implements body.Resolver.
func (r resolver) Secret(d.Field, map[string]any) (string, error) { return "", nil }

// Own implements body.Resolver.
func (r resolver) Own(kind string) string { return r.cluster.own[kind] }
