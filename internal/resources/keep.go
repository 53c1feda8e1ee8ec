package resources

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// keep looks at the resource and brings it up to date.
func (c *controller) keep(ctx context.Context, sc *scope, t *target, p policy) *outcome.Outcome {
	cell, o := sc.Cell(), sc.Owner()
	if err := t.mirror.Fresh(ctx, time.Time{}); err != nil {
		return failed(err)
	}
	id := bare(t.kind, cell.ID)
	seen, there, err := t.see(id)
	if err == nil && !there {
		seen, there, err = t.ask(ctx, id)
	}
	if err != nil {
		return failed(err)
	}
	if !there {
		return c.gone(sc, t, p)
	}
	view := observation{id: shown(t.kind, id), resource: seen, kind: t.kind}
	defer func() { c.seen.put(o.GetUID(), view) }()
	out := stateOf(t.kind, seen)
	t.mirror.Follow(string(o.GetUID()), id, t.marker, out != nil && out.State == outcome.StateWaiting, c.waker(o))
	if out != nil {
		return out
	}
	if o.Common().Drift == driftIgnore {
		return nil
	}
	change, stuck := t.difference(seen, func(path string) bool { return slices.Contains(o.Common().IgnorePaths, path) })
	view.drift = append(slices.Clone(change), stuck...)
	if !p.update || o.Common().Drift == driftReport {
		return nil
	}
	if out := c.change(ctx, sc, t, change); out != nil {
		return out
	}
	view.drift = stuck
	view.resource, _, err = t.see(id)
	if len(stuck) > 0 && p.recreate {
		return c.again(ctx, sc, t)
	}
	return outcome.FromError(err)
}

// change sends what differs, what only the API knows, and the marker of what was taken over.
func (c *controller) change(ctx context.Context, sc *scope, t *target, diff []body.Difference) *outcome.Outcome {
	cell := sc.Cell()
	fields := map[string]any{}
	for _, x := range diff {
		fields[x.Field.API] = x.Desired
	}
	hidden := c.hidden(sc, t)
	if cell.Intent != hidden {
		for _, f := range t.kind.Fields {
			if v, ok := t.wanted[f.API]; ok && f.WriteOnly && !f.CreateOnly {
				fields[f.API] = v
			}
		}
	}
	if i, ok := t.mirror.Get(bare(t.kind, cell.ID)); ok && i.Marker == "" && t.kind.Marker.Channel == d.MarkByExtra {
		fields[t.kind.Marker.Field] = t.marker
	}
	if len(fields) > 0 {
		if err := t.update(ctx, bare(t.kind, cell.ID), fields); err != nil {
			return failed(fmt.Errorf("changing the %s: %w", t.kind.Name, err))
		}
	}
	cell.Intent = hidden
	return nil
}

// hidden hashes the declared fields that the API does not show, keyed so that equal secrets of two objects differ.
func (c *controller) hidden(sc *scope, t *target) string {
	h, some := hmac.New(sha256.New, []byte(sc.Owner().GetUID())), false
	for _, f := range t.kind.Fields {
		if v, ok := t.wanted[f.API]; ok && f.WriteOnly {
			raw, err := json.Marshal(v)
			if err != nil {
				continue
			}
			some = true
			fmt.Fprintf(h, "%s\x00%d\x00%s", f.API, len(raw), raw)
		}
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
		t.mirror.Follow(string(sc.Owner().GetUID()), id, t.marker, false, c.waker(sc.Owner()))
		return outcome.Wait(t.kind.Name+" "+id,
			"The %s %s is gone from the cloud. Delete this object, or make the resource again.",
			t.kind.Name, id)
	}
	cell.ID, cell.Operation = "", ""
	return outcome.Poll(time.Millisecond, t.kind.Name,
		"The %s %s is gone from the cloud; it is made again.", t.kind.Name, id)
}

// again deletes a resource that differs in what cannot be changed, so that it is made anew.
func (c *controller) again(ctx context.Context, sc *scope, t *target) *outcome.Outcome {
	cell := sc.Cell()
	id := bare(t.kind, cell.ID)
	if err := t.remove(ctx, id); err != nil {
		return failed(fmt.Errorf("deleting the %s to make it again: %w", t.kind.Name, err))
	}
	cell.ID = ""
	return outcome.Poll(quick, t.kind.Name,
		"The %s %s differs in what cannot be changed; it is made again.", t.kind.Name, id)
}

// stateOf is nil when a resource is usable.
func stateOf(k *d.Kind, seen map[string]any) *outcome.Outcome {
	if k.State.Path == "" {
		return nil
	}
	state, _ := body.At(seen, k.State.Path).(string)
	switch {
	case slices.Contains(k.State.Ready, state):
		return nil
	case slices.Contains(k.State.Error, state):
		fault, _ := body.At(seen, k.State.Fault).(string)
		return outcome.Fail(outcome.Unknown, fmt.Errorf(
			"the %s is in state %s: %s; repair it, or delete it to have it made again",
			k.Name, state, cmp.Or(fault, "OpenStack does not say why")))
	}
	return outcome.Poll(5*time.Minute, k.Name, "Waits until the %s, which is in state %s, is %s.", k.Name, state,
		strings.Join(k.State.Ready, " or "))
}
