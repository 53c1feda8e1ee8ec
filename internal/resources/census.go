package resources

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// Found is a resource that a census has seen.
type Found struct {
	Kind *d.Kind
	// ID tells it from others of its kind; of a relation it is the values of its key.
	ID string
	// Marker that it carries, and the cluster of its owner; each is empty when it does not tell.
	Marker, Cluster string
	// Fields as the API shows them, with those of what it is a part of and without the marker.
	Fields map[string]any
}

// Scope is how much of a cloud is looked at.
type Scope struct {
	// Project is the id of a project: only what belongs to it. Empty is all that the credentials see.
	Project string
	// AllProjects asks for the resources of all projects, where an administrator has to ask for them.
	AllProjects bool
}

// Census reads once what is in a cloud: the resources of a kind when they are first asked for.
type Census struct {
	kinds   map[string]*d.Kind
	cloud   *cloud
	project string
	read    map[string]*reading
	hidden  map[string]int
}

// reading is what came of reading a kind.
type reading struct {
	found []Found
	err   error
}

// NewCensus returns a census of a cloud. It ends with the context.
func NewCensus(ctx context.Context, kinds []*d.Kind, door Door, s Scope) *Census {
	open := newClouds()
	other := s.Project != "" && s.Project != door.ProjectID()
	open.set(cloudKey{}, door, terms{period: 24 * time.Hour, everywhere: s.AllProjects || other})
	c := &Census{kinds: map[string]*d.Kind{}, cloud: open.get(cloudKey{}), project: s.Project,
		read: map[string]*reading{}, hidden: map[string]int{}}
	context.AfterFunc(ctx, c.cloud.end)
	for _, k := range kinds {
		c.kinds[k.Name] = k
	}
	return c
}

// Of returns the resources of a kind, ordered by id.
func (c *Census) Of(ctx context.Context, kind string) ([]Found, error) {
	k := c.kinds[kind]
	if r := c.read[kind]; r != nil || k == nil {
		return cmp.Or(r, &reading{}).found, cmp.Or(r, &reading{}).err
	}
	r := &reading{}
	c.read[kind] = r
	r.found, r.err = c.count(ctx, k)
	return r.found, r.err
}

// Serves tells whether the cloud has the service of a kind.
func (c *Census) Serves(k *d.Kind) bool { return slices.Contains(c.cloud.door.Services(), k.Service) }

// Hidden is of how many other resources the API did not show the parts of a kind.
func (c *Census) Hidden(kind string) int { return c.hidden[kind] }

func (c *Census) count(ctx context.Context, k *d.Kind) ([]Found, error) {
	places, err := c.places(ctx, k)
	if err != nil {
		return nil, err
	}
	var out []Found
	for _, place := range places {
		some, err := c.below(ctx, k, place)
		switch class := openstack.ClassOf(err); {
		case err == nil:
		case len(place) > 0 && class == openstack.NotFound:
			continue // such as the list of who may use a flavor that all may use
		case len(place) > 0 && class == openstack.Auth:
			c.hidden[k.Name]++
			continue
		default:
			return nil, err
		}
		out = append(out, some...)
	}
	slices.SortFunc(out, func(a, b Found) int { return strings.Compare(book(k, a.Fields, a.ID), book(k, b.Fields, b.ID)) })
	return out, nil
}

// places are the values of the holes in the path of a kind's list: what is a part of others is in one place for each of
// them. What is somebody's own is looked for at the credentials' user or project alone.
func (c *Census) places(ctx context.Context, k *d.Kind) ([]map[string]any, error) {
	places := []map[string]any{{}}
	for _, name := range holes(listPath(k)) {
		f, _ := k.Field(name)
		ids, err := c.parents(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("finding what %s are parts of: %w", k.Plural, err)
		}
		var more []map[string]any
		for _, place := range places {
			for _, id := range ids {
				with := maps.Clone(place)
				with[f.API] = id
				more = append(more, with)
			}
		}
		places = more
	}
	return places, nil
}

func (c *Census) parents(ctx context.Context, f d.Field) ([]string, error) {
	switch {
	case f.Own && f.Ref == kindProject:
		return []string{cmp.Or(c.project, c.cloud.door.ProjectID())}, nil
	case f.Own:
		return []string{c.cloud.door.UserID()}, nil
	}
	found, err := c.Of(ctx, f.Ref)
	var ids []string
	for _, x := range found {
		ids = append(ids, x.ID)
	}
	return ids, err
}

// below lists the resources of one place.
func (c *Census) below(ctx context.Context, k *d.Kind, place map[string]any) ([]Found, error) {
	w, err := c.cloud.mirror(k, place)
	if err != nil {
		return nil, err
	}
	w.lister.bulk, w.lister.keep = true, owners
	if err := w.Fresh(ctx, time.Time{}); err != nil {
		return nil, err
	}
	var out []Found
	var failed error
	w.Each(func(i mirror.Item) bool {
		var seen map[string]any
		if seen, failed = decode(i); failed != nil {
			return false
		}
		maps.Copy(seen, place)
		if c.within(ctx, k, i.ID, seen) {
			out = append(out, Found{Kind: k, ID: i.ID, Marker: i.Marker, Cluster: i.Cluster, Fields: seen})
		}
		return true
	})
	return out, failed
}

const kindProject = "Project"

// owners are the names under which services show the project of a resource whose kind has no field for it.
var owners = []string{"project_id", "tenant_id", "os-vol-tenant-attr:tenant_id",
	"os-extended-snapshot-attributes:project_id", "os-backup-project-attr:project_id", "project"}

// within tells whether a resource belongs to the project of the census: it is the project, says so, or is a part of
// what does.
func (c *Census) within(ctx context.Context, k *d.Kind, id string, seen map[string]any) bool {
	switch owner := ownerOf(k, seen); {
	case c.project == "":
		return true
	case k.Name == kindProject:
		return id == c.project
	case owner != "":
		return owner == c.project
	}
	for _, f := range k.Fields {
		if f.Ref == "" || f.Type == d.Strings || !f.Required || !f.CreateOnly {
			continue
		}
		found, err := c.Of(ctx, f.Ref)
		if err == nil && slices.ContainsFunc(found, func(x Found) bool { return x.ID == body.Actual(f, seen) }) {
			return true
		}
	}
	return false
}

// ownerOf is the project that a resource belongs to, empty when it does not say.
func ownerOf(k *d.Kind, seen map[string]any) string {
	for _, f := range k.Fields {
		if f.Ref == kindProject && f.Spec() == "projectRef" {
			if id, _ := body.Actual(f, seen).(string); id != "" {
				return id
			}
		}
	}
	for _, name := range owners {
		if id, _ := seen[name].(string); id != "" {
			return id
		}
	}
	return ""
}

// Remove deletes a resource.
func (c *Census) Remove(ctx context.Context, f Found) error {
	w, err := c.cloud.mirror(f.Kind, f.Fields)
	if err != nil {
		return err
	}
	t := &target{kind: f.Kind, door: c.cloud.requests(), mirror: w.Mirror, lister: w.lister, wanted: f.Fields}
	if err := t.remove(ctx, f.ID); err != nil {
		return fmt.Errorf("deleting %s %s: %w", f.Kind.Name, f.ID, err)
	}
	return nil
}
