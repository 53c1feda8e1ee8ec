package resources

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// target resolves what an object declares.
func (c *controller) target(ctx context.Context, sc *scope) (*target, *outcome.Outcome) {
	o := sc.Owner()
	cl, out := c.engine.cloudOf(sc)
	if out != nil {
		c.use(o, cloudsOf(o), false)
		return nil, out
	}
	var namespace map[string]string
	if ns := sc.Get(refNamespace); ns != nil {
		namespace = ns.GetLabels()
	}
	why := cl.refuses(c.kind.Name, namespace)
	// The marker is on the books before anything is made.
	c.use(o, []cloudKey{cl.key}, why != "" && sc.Cell().Marker == "")
	if why != "" {
		c.follows.move(o.GetUID(), nil) // nothing is looked at for whom the cloud is not
		out := outcome.Wait(cloudName(cl.key, o.GetNamespace()), "The cloud %s. Name another in spec.cloudRef.", why)
		out.Reason = "NotAllowed"
		return nil, out
	}
	declared, err := body.Map(o.Declared())
	if err != nil {
		return nil, outcome.FromError(err)
	}
	r := &resolver{controller: c, scope: sc, cloud: cl}
	r.external = func(kind string, m map[string]any) (string, error) { return c.engine.external(ctx, cl, kind, m) }
	r.field = func(kind, id, api string) (string, error) { return c.engine.field(ctx, cl, kind, id, api) }
	wanted, err := body.Render(c.kind, declared, nameFor(o), r)
	if err != nil {
		return nil, unresolved(err)
	}
	if err := body.Clashes(c.kind, wanted); err != nil {
		return nil, outcome.Refuse("InvalidProperty", "%s.", err)
	}
	extra, out := c.extra(o, wanted)
	if out != nil {
		return nil, out
	}
	t, out := c.aim(o, cl, wanted)
	if out == nil && len(extra) > 0 {
		t.extra = extra
		t.lister.extra.add(extra)
	}
	return t, out
}

// nameFor is the name of a resource whose object declares none. What is taken over keeps the one that it has.
func nameFor(o object) string {
	if o.Common().Import != nil {
		return ""
	}
	return o.GetName()
}

// waiting is an error that says that something may still appear.
type waiting struct{ out *outcome.Outcome }

func (w *waiting) Error() string { return w.out.Message }

func unresolved(err error) *outcome.Outcome {
	if w, ok := errors.AsType[*waiting](err); ok {
		return w.out
	}
	return failed(err)
}

// aim makes a target of resolved values.
func (c *controller) aim(o object, cl *cloud, wanted map[string]any) (*target, *outcome.Outcome) {
	w, err := cl.mirror(c.kind, wanted)
	if err != nil {
		return nil, outcome.Refuse("InvalidSpec", "%s", err)
	}
	return &target{kind: c.kind, cloud: cl.key, door: cl.requests(), mirror: w.Mirror, lister: w.lister, wanted: wanted,
		meter:  c.engine.metrics.meter(cl.name, c.kind.Name),
		marker: markerOf(c.kind, o), cluster: c.engine.Cluster, owner: o.GetNamespace()}, nil
}

// markerOf is the marker of an object's resource; Keystone's ids have no dashes.
func markerOf(k *d.Kind, o object) string {
	m := string(step.MarkerOf(o, stepResource))
	if k.Service == "identity" && k.Marker.Channel == d.MarkByID {
		return strings.ReplaceAll(m, "-", "")
	}
	return m
}

// targetToDelete knows the resource from the books alone: what it was declared by may be gone. It is nil when nothing
// can have been made.
func (c *controller) targetToDelete(ctx context.Context, sc *scope) (*target, *outcome.Outcome) {
	o := sc.Owner()
	cl, out := c.engine.cloudOf(sc)
	if out != nil {
		out.Message += " The annotation kit.stackwright.dev/abandon: resource lets the object go and leaves the resource."
		return nil, out
	}
	if sc.Cell().ID != "" {
		return c.aim(o, cl, unbook(c.kind, sc.Cell().ID))
	}
	if t, out := c.target(ctx, sc); out == nil {
		return t, nil
	}
	if t, out := c.aim(o, cl, map[string]any{}); out == nil && !c.kind.Keyed() {
		return t, nil
	}
	return nil, nil
}

// book is the id of a resource with all that it takes to find it again: the ids of what it is a part of come first.
func book(k *d.Kind, values map[string]any, id string) string {
	if k.Keyed() {
		return id
	}
	var parts []string
	for _, name := range partOf(k) {
		parts = append(parts, url.PathEscape(plainID(values[name])))
	}
	return strings.Join(append(parts, id), "/")
}

// unbook returns the values that book has put before the id, or of a relation the values of its key.
func unbook(k *d.Kind, booked string) map[string]any {
	values := map[string]any{}
	parts := strings.Split(booked, "/")
	names := k.Key
	if !k.Keyed() {
		names = partOf(k)
	}
	for i, name := range names {
		if i < len(parts) && parts[i] != "" {
			if v, err := url.PathUnescape(parts[i]); err == nil {
				values[name] = v
			}
		}
	}
	return values
}

// bare is the id alone.
func bare(k *d.Kind, booked string) string {
	if k.Keyed() {
		return booked
	}
	return booked[strings.LastIndex(booked, "/")+1:]
}

// shown is the id as people see it: of a relation what it connects.
func shown(k *d.Kind, id string) string {
	if !k.Keyed() {
		return id
	}
	return strings.Join(strings.FieldsFunc(id, func(r rune) bool { return r == '/' }), "/")
}

// field is a field of a resource with an id.
func (e *Engine) field(ctx context.Context, cl *cloud, kind, id, api string) (string, error) {
	t, err := e.looker(cl, kind)
	if err != nil {
		return "", err
	}
	seen, ok, err := t.see(id)
	if err == nil && !ok {
		seen, ok, err = t.ask(ctx, id)
	}
	if err != nil {
		return "", err
	}
	v, _ := seen[api].(string)
	if !ok || v == "" {
		return "", &waiting{outcome.Poll(time.Minute, kind+" "+id,
			"There is no %s with id %s in the cloud. Make it, or change the id.", kind, id)}
	}
	return v, nil
}

// looker looks at resources of a kind that may be no object's.
func (e *Engine) looker(cl *cloud, kind string) (*target, error) {
	k := e.kinds[kind]
	w, err := cl.mirror(k, nil)
	if err != nil {
		return nil, fmt.Errorf("finding a %s: %w", kind, err)
	}
	return &target{kind: k, door: cl.requests(), mirror: w.Mirror, lister: w.lister, wanted: map[string]any{}}, nil
}

// external finds a resource that no object stands for.
func (e *Engine) external(ctx context.Context, cl *cloud, kind string, m map[string]any) (string, error) {
	t, err := e.looker(cl, kind)
	if err != nil {
		return "", err
	}
	filter := map[string]string{}
	if fields, ok := m["filter"].(map[string]any); ok {
		for name, v := range fields {
			filter[name], _ = v.(string)
		}
	}
	if name, _ := m["name"].(string); name != "" {
		filter["name"] = name
	}
	if err := t.mirror.Fresh(ctx, time.Time{}); err != nil {
		return "", err
	}
	found, out := matchNow(ctx, t, "", maps.Clone(filter))
	if out != nil {
		return "", &waiting{out}
	}
	return found.ID, nil
}
