package resources

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// keep looks at the resource and brings it up to date.
func (c *controller) keep(ctx context.Context, sc *scope, t *target, p policy) *outcome.Outcome {
	cell, o := sc.Cell(), sc.Owner()
	if err := t.mirror.Fresh(ctx, time.Time{}); err != nil {
		return failed(err)
	}
	id := bare(t.kind, cell.ID)
	seen, there, err := c.look(ctx, sc, t, p)
	if err != nil {
		return failed(err)
	}
	if !there {
		return c.gone(sc, t, p)
	}
	if f, ok := outputOf(t.kind); ok {
		value, _ := body.Actual(f, seen).(string)
		c.outputs.set(o.GetUID(), value)
	}
	view := observation{id: shown(t.kind, id), resource: seen, kind: t.kind, cloud: t.cloud}
	defer func() { c.seen.put(o.GetUID(), view) }()
	if out := c.ours(o, t, p, cell.ID); out != nil {
		c.follow(o, t, id, mirror.Steady)
		return out
	}
	out := c.settled(ctx, sc, t, c.stateOf(ctx, o, t, seen))
	pending := waitsFor(out)
	if t.kind.Hook == hookImage {
		out, pending = c.fill(ctx, sc, t, p, out)
	}
	c.follow(o, t, id, pending)
	if out = c.reorder(ctx, sc, t, seen, out); out != nil {
		return out
	}
	finishing := cell.Operation == opFinish
	if o.Common().Drift == driftIgnore && !finishing {
		return nil
	}
	ignored := func(path string) bool { return slices.Contains(o.Common().IgnorePaths, path) }
	change, stuck := t.difference(seen, ignored)
	view.drift = append(slices.Clone(change), stuck...)
	drift := !finishing && c.drifts(sc, t, view.drift)
	if (!p.update || o.Common().Drift == driftReport) && !finishing {
		return nil
	}
	if out := c.change(ctx, sc, t, change); out != nil {
		return out
	}
	if finishing {
		cell.Operation = ""
	}
	if view, err = t.changed(id, view.left(stuck), len(change) > 0, ignored); err != nil {
		return outcome.FromError(err)
	}
	if drift && len(change) > 0 && !view.unmade {
		c.corrected(sc, t, change)
	}
	if len(stuck) > 0 {
		return c.unlike(ctx, sc, t, p, stuck)
	}
	return nil
}

// unlike decides about a resource that differs in what cannot be changed.
func (c *controller) unlike(ctx context.Context, sc *scope, t *target, p policy, stuck []body.Difference,
) *outcome.Outcome {
	anew, err := p.recreate, error(nil)
	if !anew {
		anew, err = c.pointless(ctx, sc, t, p, stuck)
	}
	switch {
	case err != nil:
		return failed(err)
	case anew:
		return c.again(ctx, sc, t)
	}
	return nil
}

// changed looks at a resource after a run. What the API has taken of a change and not made differs as before.
func (t *target) changed(id string, view observation, change bool, ignored func(string) bool) (observation, error) {
	var err error
	if view.resource, _, err = t.see(id); err != nil || !change {
		return view, err
	}
	unmade, stuck := t.difference(view.resource, ignored)
	view.drift, view.unmade = append(unmade, stuck...), len(unmade) > 0
	return view, nil
}

// look is what OpenStack shows of the resource. A list may be older than the resource, or than what was declared of it:
// it keeps nothing that nobody had declared.
func (c *controller) look(ctx context.Context, sc *scope, t *target, p policy) (map[string]any, bool, error) {
	id := bare(t.kind, sc.Cell().ID)
	seen, there, err := t.see(id)
	if err == nil && (!there || p.update && len(t.extra) > 0 && !c.told(sc, t)) {
		return t.ask(ctx, id)
	}
	return seen, there, err
}

// waitsFor is what the mirror has to look out for.
func waitsFor(out *outcome.Outcome) mirror.Pending {
	if out != nil && out.State == outcome.StateWaiting {
		return mirror.Changing
	}
	return mirror.Steady
}

// follow has an object woken by its resource. What it followed in another mirror is not its resource any more: that was
// a part of something else, or in another cloud.
func (c *controller) follow(o object, t *target, id string, pending mirror.Pending) {
	c.follows.move(o.GetUID(), t.mirror)
	t.mirror.Follow(string(o.GetUID()), id, t.marker, pending, c.waker(o))
}

// change sends what differs, what only the API knows, and the marker of what was taken over.
func (c *controller) change(ctx context.Context, sc *scope, t *target, diff []body.Difference) *outcome.Outcome {
	id := bare(t.kind, sc.Cell().ID)
	diff, err := t.claim(id, diff)
	if err != nil {
		return outcome.FromError(err)
	}
	fields := map[string]any{}
	var acts []body.Difference
	for _, x := range diff {
		if x.Field.Via != "" {
			acts = append(acts, x)
			continue
		}
		fields[x.Field.API] = x.Desired
	}
	if !c.told(sc, t) {
		untold, out := c.untold(sc, t, id)
		if out != nil {
			return out
		}
		maps.Copy(fields, untold)
	}
	for _, x := range acts {
		if out := c.perform(ctx, t, id, x); out != nil {
			c.follow(sc.Owner(), t, id, waitsFor(out))
			return out
		}
	}
	if len(fields) > 0 {
		err := t.update(ctx, id, fields)
		if out := awaits(sc, t.kind, err); out != nil {
			return out
		}
		if err != nil {
			return failed(fmt.Errorf("changing the %s: %w", t.kind.Name, err))
		}
		c.engine.room(t.kind, t.cloud, false)
	}
	c.tell(sc, t)
	return nil
}

// perform changes a field by its action and looks at what came of it.
func (c *controller) perform(ctx context.Context, t *target, id string, x body.Difference) *outcome.Outcome {
	if err := t.act(ctx, id, x); err != nil {
		return failed(fmt.Errorf("changing %s of the %s: %w", x.Field.Spec(), t.kind.Name, err))
	}
	if a, _ := t.kind.Action(x.Field.Via); !a.Slow {
		return outcome.FromError(t.imagine(id, x))
	}
	seen, _, err := t.ask(ctx, id)
	if err != nil {
		return failed(err)
	}
	return stateOf(t.kind, seen, "")
}

// claim adds the marker to what is changed, when the resource does not carry it, and takes it out of the description of
// one that was just made.
func (t *target) claim(id string, diff []body.Difference) ([]body.Difference, error) {
	i, ok := t.mirror.Get(id)
	m := t.kind.Marker
	if !ok || m.Field == "" || m.Channel == d.MarkByID || m.Channel == d.MarkByKey {
		return diff, nil
	}
	seen, err := decode(i)
	if err != nil {
		return nil, err
	}
	born := m.Channel == d.MarkByTagLater && tagged(seen[birthField]) != ""
	if born {
		f, _ := t.kind.Field(birthField)
		diff = slices.DeleteFunc(slices.Clone(diff), func(x body.Difference) bool { return x.Field.API == birthField })
		diff = append(diff, body.Difference{Field: f, Desired: orEmpty(t.wanted[birthField]), Actual: seen[birthField]})
	}
	has := slices.ContainsFunc(diff, func(x body.Difference) bool { return x.Field.API == m.Field })
	if has || i.Marker != "" && !born {
		return diff, nil
	}
	f, _ := t.kind.Field(m.Field)
	want, ok := t.wanted[m.Field]
	if !ok {
		want = seen[m.Field]
	}
	if m.Channel == d.MarkByExtra {
		f, want = d.Field{API: m.Field}, t.signed()
	}
	return append(diff, body.Difference{Field: f, Desired: want, Actual: seen[m.Field]}), nil
}

func orEmpty(v any) any {
	if v == nil {
		return ""
	}
	return v
}

// hidden hashes the declared fields that the API does not show, or may not, keyed so that equal secrets of two objects
// differ.
func (c *controller) hidden(sc *scope, t *target) string {
	all := slices.Clone(t.extra)
	for _, f := range t.kind.Fields {
		if _, ok := t.wanted[f.API]; ok && f.WriteOnly {
			all = append(all, f.API)
		}
	}
	h, some := hmac.New(sha256.New, []byte(sc.Owner().GetUID())), false
	for _, name := range all {
		raw, err := json.Marshal(t.wanted[name])
		if err != nil {
			continue
		}
		some = true
		fmt.Fprintf(h, "%s\x00%d\x00%s", name, len(raw), raw)
	}
	if !some {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// gone: the resource was deleted behind our back.
func (c *controller) gone(sc *scope, t *target, p policy) *outcome.Outcome {
	c.seen.drop(sc.Owner().GetUID())
	cell := sc.Cell()
	id := bare(t.kind, cell.ID)
	if !p.create || sc.Owner().Common().Import != nil {
		c.follow(sc.Owner(), t, id, mirror.Steady)
		out := outcome.Wait(t.kind.Name+" "+id,
			"The %s %s is gone from the cloud. Delete this object, or make the resource again.",
			t.kind.Name, id)
		out.Reason = reasonGone
		return out
	}
	if !c.removals.last(sc.Owner().GetUID()).IsZero() {
		return c.anew(sc, t)
	}
	unmade := settling(sc, t.kind)
	cell.ID, cell.Operation = "", ""
	c.missed(t)
	if unmade {
		c.orders.giveUp(sc.Owner().GetUID(), time.Now())
		return c.abstain(sc.Owner().GetUID(), t.kind)
	}
	out := outcome.Poll(time.Millisecond, t.kind.Name,
		"The %s %s is gone from the cloud; it is made again.", t.kind.Name, id)
	out.Reason = reasonGone
	return out
}

// again deletes a resource that differs in what cannot be changed; it is made anew once it is gone. Of what others are
// in, OpenStack may delete these too.
func (c *controller) again(ctx context.Context, sc *scope, t *target) *outcome.Outcome {
	o := sc.Owner()
	id := bare(t.kind, sc.Cell().ID)
	if by := c.engine.links.needed(c.node(o)); by != "" {
		return outcome.Wait(by, "The %s differs in what cannot be changed. It is made again once these objects, which refer "+
			"to it, are deleted: %s. Delete them, or take Recreate out of spec.policies.", t.kind.Name, by)
	}
	c.uploads.drop(o.GetUID())
	if out := c.removed(ctx, sc, t.booked(sc.Cell().ID), id); out != nil {
		return out
	}
	return c.anew(sc, t)
}

// anew has a resource made again that was deleted for that.
func (c *controller) anew(sc *scope, t *target) *outcome.Outcome {
	cell, uid := sc.Cell(), sc.Owner().GetUID()
	id := bare(t.kind, cell.ID)
	c.seen.drop(uid)
	c.removals.done(uid)
	t.meter.corrected.Inc()
	cell.ID, cell.Operation = "", ""
	out := outcome.Poll(time.Millisecond, t.kind.Name,
		"The %s %s could not be made, or differed in what cannot be changed; it is made again.", t.kind.Name, id)
	out.Reason = "Recreated"
	return out
}
