package resources

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/openstack"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// release deletes the resource of an object that is deleted, or lets go of it.
func (c *controller) release(ctx context.Context, sc *scope) *outcome.Outcome {
	was := c.cloudFor(sc.Owner())
	return c.forsaken(sc, c.along(sc, c.awaited(sc.Owner(), was, c.parted(ctx, sc))))
}

func (c *controller) parted(ctx context.Context, sc *scope) *outcome.Outcome {
	o := sc.Owner()
	cell := sc.Cell()
	p := policyOf(c.kind, o.Common())
	if !p.delete || cell.Operation == opFound && !p.adopt || o.Common().Import != nil && cell.ID == "" {
		if out := c.part(ctx, sc, p); out != nil {
			return out
		}
		c.forget(o)
		return nil
	}
	if out := c.held(o, cell.ID); out != nil {
		return out
	}
	t, out := c.targetToDelete(ctx, sc)
	if out != nil || t == nil {
		return out
	}
	if cell.ID == "" {
		if out := c.lost(ctx, sc, t); out != nil || cell.ID == "" {
			return out
		}
	}
	c.uploads.drop(o.GetUID())
	id := bare(t.kind, cell.ID)
	if err := c.marks(ctx, o, t, id); err != nil {
		return failed(err)
	}
	if out := c.ours(o, t, p, cell.ID); out != nil {
		c.forget(o) // the resource of another object stays
		return nil
	}
	out = c.removed(ctx, sc, t, id)
	if out == nil {
		c.engine.room(t.kind, t.cloud, true)
		c.forget(o)
	}
	return out
}

// marks has the mirror know whose a resource is before it is deleted, also one that lists leave out.
func (c *controller) marks(ctx context.Context, o object, t *target, id string) error {
	if err := t.mirror.Fresh(ctx, time.Time{}); err != nil {
		return err
	}
	if _, listed := t.mirror.Get(id); listed || !Marked(t.kind) || !c.removals.last(o.GetUID()).IsZero() {
		return nil
	}
	_, _, err := t.ask(ctx, id)
	return err
}

// removed deletes a resource and waits until it is gone. What is being deleted is not deleted again: Cinder, for one,
// refuses that.
func (c *controller) removed(ctx context.Context, sc *scope, t *target, id string) *outcome.Outcome {
	o, uid := sc.Owner(), sc.Owner().GetUID()
	seen, there, err := t.see(id)
	if err != nil {
		return outcome.FromError(err)
	}
	moves := there && (waitsFor(stateOf(t.kind, seen, "")) == mirror.Changing || shows(seen, t.kind.State.Leaving))
	again, err := c.unstick(ctx, o, t, id, seen)
	if err != nil {
		return failed(err)
	}
	if last := c.removals.last(uid); last.IsZero() || there && !moves && time.Since(last) > removeAgain {
		err := t.remove(ctx, id)
		class := openstack.ClassOf(err)
		onItsWay := shows(seen, t.kind.State.Leaving) && (class == openstack.Invalid || class == openstack.Conflict)
		if err != nil && !onItsWay {
			return refused(sc, t.kind.Name, id, moves, err)
		}
		c.removals.set(uid, time.Now())
	}
	c.follow(o, t, id, mirror.Leaving) // before the look: nobody tells later what a list has shown in between
	if _, there := t.mirror.Get(id); !there || t.kind.Shape == d.Singleton || t.kind.Delete.Method == d.None {
		c.removals.done(uid)
		return nil
	}
	return outcome.Poll(again, t.kind.Name+" "+id, "Waits until the %s %s is deleted; see the log of service %s "+
		"if it stays.", t.kind.Name, id, t.kind.Service)
}

// removeAgain is the time after which a resource that is still there is deleted again.
const removeAgain = 5 * time.Minute

// held waits until no object refers to the resource: OpenStack deletes some with all that is in them.
func (c *controller) held(o object, id string) *outcome.Outcome {
	if id == "" {
		return nil
	}
	if by := c.engine.links.needed(c.node(o)); by != "" {
		return outcome.Wait(by, "Waits until these objects, which refer to it, are deleted: %s. Delete them, or let "+
			"them refer to another.", by)
	}
	refers := func(k *d.Kind) bool { return slices.Contains(referenced(k.Fields), c.kind.Name) }
	if kinds := c.engine.hides(refers); kinds != "" {
		return outcome.Wait("the right to list "+kinds, "Waits until the operator may list resources that could refer to "+
			"it: %s. Give it the right, as the roles of its chart do.", kinds)
	}
	return nil
}

// hides names the kinds of some whose objects nobody looks at.
func (e *Engine) hides(some func(*d.Kind) bool) string {
	var out []string
	for _, name := range e.order {
		if k := e.kinds[name]; e.Unseen != nil && e.Unseen(name) && some(k) {
			out = append(out, k.Plural)
		}
	}
	return few(out)
}

// refused waits for what keeps a resource from being deleted. One that moves from state to state may be deleted later,
// or be on its way out.
func refused(sc *scope, kind, id string, moves bool, err error) *outcome.Outcome {
	again := soon(sc)
	switch class := openstack.ClassOf(err); {
	case class == openstack.Conflict:
	case class == openstack.Invalid && moves:
		again = max(again, refusedAgain)
	case class == openstack.Auth:
		// Keystone says 403 as long as something uses what is to be deleted, such as a limit a registered limit.
		again = max(again, refusedAgain)
	default:
		return failed(fmt.Errorf("deleting the %s: %w", kind, err))
	}
	return outcome.Poll(again, kind+" "+id, "OpenStack does not delete the %s yet: %s; delete what uses it, or wait.",
		kind, err)
}

// refusedAgain is the shortest time after which a deletion is asked for again that may be refused for long.
const refusedAgain = 10 * time.Second

// lost looks for a resource that was made without its id coming onto the books.
func (c *controller) lost(ctx context.Context, sc *scope, t *target) *outcome.Outcome {
	if err := t.mirror.Fresh(ctx, time.Now()); err != nil {
		return failed(err)
	}
	cell := sc.Cell()
	for _, i := range t.mirror.Marked(t.marker) {
		cell.ID = book(t.kind, t.wanted, i.ID)
	}
	if cell.ID == "" && cell.Operation == opCreate {
		found, err := t.find(t.same)
		if err != nil {
			return outcome.FromError(err)
		}
		if len(found) == 1 {
			cell.ID = book(t.kind, t.wanted, found[0].ID)
		}
	}
	return nil
}

func (c *controller) forget(o object) {
	c.follows.move(o.GetUID(), nil)
	for _, cl := range c.engine.clouds.all() {
		cl.full.left(c.kind.Name, o.GetUID())
		cl.recovery.forget(o.GetUID())
	}
	c.seen.drop(o.GetUID())
	c.seen.take(o.GetUID())
	c.attempts.done(o.GetUID())
	c.removals.done(o.GetUID())
	c.answers.done(o.GetUID())
	c.orders.done(o.GetUID())
	c.outputs.drop(o.GetUID())
	c.complaints.drop(o.GetUID())
	c.uploads.drop(o.GetUID())
	c.sought.drop(o.GetUID())
	c.link(o, nil) // what it uses is known until it is gone
}
