package resources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

type (
	object = openstackv1.Object
	scope  = step.Scope[object]
)

// Operations on the books of resources whose marker the API cannot carry.
const (
	// opCreate is there while the resource is made.
	opCreate = "Create"
	// opFound says that a relation was there before: it is not ours to delete.
	opFound = "Found"
	// opFinish is there until all is set that a creation does not take.
	opFinish = "Finish"
)

// stepResource is the only step of a resource's controller.
const stepResource = "resource"

// act brings one resource to what its object declares.
func (c *controller) act(ctx context.Context, sc *scope) *outcome.Outcome {
	was := c.cloudFor(sc.Owner())
	return c.awaited(sc.Owner(), was, c.bring(ctx, sc))
}

func (c *controller) bring(ctx context.Context, sc *scope) *outcome.Outcome {
	o := sc.Owner()
	c.link(o, c.holds(o, func(to node) bool { return granted(sc.All(refGrants), c.node(o), to) }))
	t, out := c.target(ctx, sc)
	if out != nil {
		return out
	}
	cell := sc.Cell()
	cell.Marker = t.marker
	if out := t.askFor(ctx, o.Common().Microversion); out != nil {
		return out
	}
	p := policyOf(c.kind, o.Common())
	if cell.ID == "" {
		if out := c.obtain(ctx, sc, t, p); out != nil {
			return out
		}
	}
	return c.keep(ctx, sc, t, p)
}

// obtain finds the resource or makes it.
func (c *controller) obtain(ctx context.Context, sc *scope, t *target, p policy) *outcome.Outcome {
	o := sc.Owner()
	if err := t.mirror.Fresh(ctx, c.attempts.last(o.GetUID())); err != nil {
		return failed(err)
	}
	if o.Common().Import != nil {
		return c.take(ctx, sc, t)
	}
	if t.kind.Shape == d.Singleton {
		out := c.learn(sc, t, wantedIdentity(t.kind, t.wanted))
		if out == nil && p.create {
			sc.Cell().Operation = opFinish
		}
		return out
	}
	if t.kind.Keyed() || t.kind.Marker.Channel == d.MarkByKey || t.ownID() != "" {
		return c.byKey(ctx, sc, t, p)
	}
	found := t.mirror.Marked(t.marker)
	switch {
	case len(found) > 1:
		return outcome.Fail(outcome.Conflict, fmt.Errorf(
			"%d resources carry the marker of this object: %s; delete all but one",
			len(found), ids(found)))
	case len(found) == 1:
		return c.learn(sc, t, found[0].ID)
	}
	if p.takes() || !p.create {
		if out := c.namesake(sc, t, p); out != nil || sc.Cell().ID != "" {
			return out
		}
	}
	if out := c.yield(sc); out != nil {
		return out
	}
	return c.create(ctx, sc, t, p)
}

// byKey obtains a resource that cannot carry a marker: the API allows its key once.
func (c *controller) byKey(ctx context.Context, sc *scope, t *target, p policy) *outcome.Outcome {
	cell := sc.Cell()
	there, err := t.find(t.same)
	if err != nil {
		return outcome.FromError(err)
	}
	ours := cell.Operation == opCreate || p.takes() || t.kind.Shape == d.Relation
	switch {
	case len(there) > 1:
		return outcome.Refuse("Ambiguous", "%d resources fit what is declared: %s. Set spec.import.id to one of them.",
			len(there), ids(there))
	case len(there) == 1 && !ours:
		return exists(t, there[0].ID)
	case len(there) == 1:
		found := t.kind.Shape == d.Relation && cell.Operation != opCreate && !p.adopt
		out := c.learn(sc, t, there[0].ID)
		if out == nil && found {
			cell.Operation = opFound
		}
		return out
	}
	if out := c.abstain(sc.Owner().GetUID(), t.kind); out != nil {
		return out
	}
	if cell.Operation != opCreate && p.create {
		cell.Operation, cell.Since = opCreate, stamp(sc)
		if err := sc.Save(); err != nil {
			return outcome.FromError(fmt.Errorf("recording the intent to create: %w", err))
		}
	}
	return c.create(ctx, sc, t, p)
}

// namesake takes over a resource that has the natural key of what is declared.
func (c *controller) namesake(sc *scope, t *target, p policy) *outcome.Outcome {
	there, err := t.find(func(seen map[string]any) bool { return sameKey(t.kind, t.wanted, seen) })
	if err != nil {
		return outcome.FromError(err)
	}
	switch {
	case len(there) > 1:
		return outcome.Refuse("Ambiguous", "%d resources fit what is declared: %s. Set spec.import.id to one of them.",
			len(there), ids(there))
	case len(there) == 0:
		return nil
	case !p.takes():
		return exists(t, there[0].ID)
	}
	if out := t.owned(there[0].ID, p); out != nil {
		return out
	}
	return c.learn(sc, t, there[0].ID)
}

// exists refuses a resource that has the natural key of what is declared: that alone makes it nobody's.
func exists(t *target, id string) *outcome.Outcome {
	return outcome.Refuse("Exists", "A %s like this exists with id %s, and nothing says that it is ours. "+
		"Set spec.policy to adopt to take it over, or change what is declared.", t.kind.Name, id)
}

// same tells whether a resource is the one that is declared, by what the API allows once.
func (t *target) same(seen map[string]any) bool {
	switch {
	case t.kind.Shape == d.Relation:
		return related(t.kind, t.wanted, seen)
	case t.ownID() != "":
		return identity(t.kind, seen) == t.ownID()
	}
	return sameKey(t.kind, t.wanted, seen)
}

// ownID is the id that is declared for a resource whose id is its marker otherwise: somebody else may have it.
func (t *target) ownID() string {
	if t.kind.Marker.Channel != d.MarkByID {
		return ""
	}
	id, _ := t.wanted[cmp.Or(t.kind.Marker.Field, t.kind.IDField())].(string)
	return id
}

// learn puts the id onto the books, unless another object has the resource.
func (c *controller) learn(sc *scope, t *target, id string) *outcome.Outcome {
	cell := sc.Cell()
	values := maps.Clone(t.wanted)
	if seen, ok, err := t.see(id); ok && err == nil {
		for _, name := range partOf(t.kind) {
			if f, _ := t.kind.Field(name); values[name] == nil {
				values[name] = body.Actual(f, seen)
			}
		}
	}
	booked := book(t.kind, values, id)
	if out := c.claim(sc.Owner(), t.cloud, booked); out != nil {
		return out
	}
	cell.ID, cell.Operation, cell.Since = booked, "", stamp(sc)
	return nil
}

func (c *controller) create(ctx context.Context, sc *scope, t *target, p policy) *outcome.Outcome {
	if !p.create {
		return outcome.Poll(time.Minute, t.kind.Name,
			"The %s does not exist and may not be made. Make it in OpenStack, or change spec.policy.", t.kind.Name)
	}
	if !slices.ContainsFunc(sc.Owner().KitStatus().Externals, func(e owner.External) bool {
		return e.Step == stepResource && e.Marker == t.marker
	}) {
		// An object that is deleted before the next process starts is not asked for what is not on the books.
		if err := sc.Save(); err != nil {
			return outcome.FromError(fmt.Errorf("recording the marker: %w", err))
		}
	}
	id, err := t.create(ctx)
	if err != nil {
		if out := awaits(sc, t.kind, err); out != nil {
			return out
		}
		c.attempts.set(sc.Owner().GetUID(), time.Now())
		return failed(t.advise(fmt.Errorf("creating the %s: %w", t.kind.Name, err)))
	}
	c.attempts.done(sc.Owner().GetUID())
	c.engine.room(t.kind, t.cloud, false)
	if out := c.learn(sc, t, id); out != nil {
		return out
	}
	sc.Tell(step.Note{Reason: "Created", Message: "The " + t.kind.Name + " " + shown(t.kind, id) + " is made."})
	sc.Cell().Intent = c.hidden(sc, t)
	if t.unfinished() {
		sc.Cell().Operation = opFinish
	}
	return nil
}

// unfinished tells whether a resource that was just made lacks something that is declared.
func (t *target) unfinished() bool {
	return t.kind.Marker.Channel == d.MarkByTagLater || t.kind.State.Settles.Path != "" ||
		slices.ContainsFunc(t.kind.Fields, func(f d.Field) bool { return f.Later && t.wanted[f.API] != nil })
}

// failed turns an error of the door into an outcome.
func failed(err error) *outcome.Outcome {
	if w, ok := errors.AsType[*waiting](err); ok {
		return w.out
	}
	if f, ok := errors.AsType[*openstack.Fault](err); ok {
		e := f.Outcome()
		e.Err = err
		if _, told := errors.AsType[advised](err); !told && f.Advice() != "" {
			e.Err = advised{err, f.Advice()}
		}
		return outcome.FromError(e)
	}
	return outcome.FromError(err)
}

func stamp(sc *scope) metav1.Time { return metav1.NewTime(sc.Now().Truncate(time.Second)) }

func ids(found []mirror.Item) string {
	out := make([]string, 0, len(found))
	for _, i := range found {
		out = append(out, i.ID)
	}
	slices.Sort(out)
	return strings.Join(out[:min(len(out), 5)], ", ")
}

func words(filter map[string]string) string {
	out := make([]string, 0, len(filter))
	for k, v := range filter {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
