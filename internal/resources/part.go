package resources

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// parting is how long an object is held by a cloud that does not let the marker be taken off, and partingAgain the time
// between two tries.
const (
	parting      = 5 * time.Minute
	partingAgain = 20 * time.Second
)

// part lets go of a resource that stays: it takes our marker off, so that the resource is nobody's and another object
// can have it. Whoever may only look, never writes. An object whose Cloud is gone has nothing to wait for.
func (c *controller) part(ctx context.Context, sc *scope, p policy) *outcome.Outcome {
	o := sc.Owner()
	gone := sc.Get(refCloud) == nil && sc.Get(refClusterCloud) == nil
	if !Marked(c.kind) || p.looks() || sc.Cell().ID == "" && (gone || o.Common().Import != nil) {
		return nil
	}
	out := c.unclaim(ctx, sc)
	if out == nil {
		return nil
	}
	what := c.kind.Name + " " + bare(c.kind, sc.Cell().ID)
	if left := c.patience(o); left > 0 && !gone {
		return outcome.Poll(min(left, partingAgain), what, "The %s, which stays, has the marker of this object still: %s. "+
			"Repair that; five minutes after its deletion the object goes without.", what, strings.TrimSuffix(out.Message, "."))
	}
	sc.Tell(step.Note{Warning: true, Reason: "MarkerLeft", Message: "The " + what +
		" keeps the marker of this object: " + out.Message})
	return nil
}

// patience is how long an object still waits for its cloud to let go of it. A process that starts tries once more.
func (c *controller) patience(o object) time.Duration {
	since := c.engine.began
	if at := o.GetDeletionTimestamp(); at != nil && at.After(since) {
		since = at.Time
	}
	return parting - time.Since(since)
}

// unclaim takes our marker off the resource, by what the cloud shows now: also after an answer that was lost.
func (c *controller) unclaim(ctx context.Context, sc *scope) *outcome.Outcome {
	t, out := c.targetToDelete(ctx, sc)
	if out != nil || t == nil {
		return out
	}
	if sc.Cell().ID == "" {
		if out := c.lost(ctx, sc, t); out != nil || sc.Cell().ID == "" {
			return out
		}
	}
	id := bare(t.kind, sc.Cell().ID)
	seen, there, err := t.ask(ctx, id)
	if err != nil || !there {
		return failed(err)
	}
	i, _ := t.mirror.Get(id)
	if i.Marker != t.marker {
		return nil
	}
	t.cluster = i.Cluster // an earlier operator may not have named it
	if err := t.unmark(ctx, id, seen, plainDescription(sc.Owner())); err != nil {
		return failed(fmt.Errorf("changing the %s: %w", t.kind.Name, err))
	}
	return nil
}

// plainDescription is the declared description, known though nothing else may be.
func plainDescription(o object) string {
	declared, err := body.Map(o.Declared())
	if err != nil {
		return ""
	}
	text, _ := declared[birthField].(string)
	return text
}

// unmark takes the marker off a resource; one that is gone is success. A description that has the marker still gets
// what is declared.
func (t *target) unmark(ctx context.Context, id string, seen map[string]any, description string) error {
	free := *t
	free.marker = ""
	if t.kind.Marker.Channel == d.MarkByTagLater && tagged(seen[birthField]) == t.signed() {
		seen[birthField] = description
		if err := free.update(ctx, id, map[string]any{birthField: description}); err != nil {
			return ignoreAbsent(err)
		}
	}
	var err error
	switch m := t.kind.Marker; {
	case m.Single:
		err = t.dropEntry(ctx, id)
	case m.Channel == d.MarkByExtra:
		err = free.update(ctx, id, map[string]any{m.Field: nil})
	default:
		f, _ := t.kind.Field(m.Field)
		err = free.update(ctx, id, map[string]any{m.Field: orEmptied(f, seen[m.Field])})
	}
	if err != nil {
		return ignoreAbsent(err)
	}
	return t.put(free.flat("", seen), time.Now())
}

// dropEntry deletes the one entry of a list or map that is the marker: what others have added since is not touched.
func (t *target) dropEntry(ctx context.Context, id string) error {
	entry := markerKey
	if t.kind.Marker.Channel != d.MarkByMetadata {
		entry = url.PathEscape(birth(t.signed()))
	}
	return t.send(ctx, d.Request{Method: http.MethodDelete,
		Path: t.kind.Path + "/{id}/" + t.kind.Marker.Field + "/" + entry}, map[string]any{"id": id})
}

// orEmptied is the value of a list or map, empty rather than null.
func orEmptied(f d.Field, v any) any {
	switch {
	case v != nil:
		return v
	case f.Type == d.Map:
		return map[string]any{}
	}
	return []any{}
}
