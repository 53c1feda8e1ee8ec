package resources

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// take imports a resource. Who may do more than look writes it down first: an object that is deleted before the next
// process starts is not asked for a marker, or a deletion, of what is not on the books.
func (c *controller) take(ctx context.Context, sc *scope, t *target) *outcome.Outcome {
	found, out := c.seek(ctx, sc, t)
	if out != nil {
		return out
	}
	p := policyOf(c.kind, sc.Owner().Common())
	if out := t.owned(found.ID, p); out != nil {
		return out
	}
	if out := c.learn(sc, t, found.ID); out != nil || p.looks() {
		return out
	}
	if err := sc.Save(); err != nil {
		return outcome.FromError(fmt.Errorf("recording what is imported: %w", err))
	}
	return nil
}

// owned refuses a resource that carries the marker of another object to one that may change or delete it.
func (t *target) owned(id string, p policy) *outcome.Outcome {
	if i, ok := t.mirror.Get(id); !ok || p.looks() || !claimed(t, i) {
		return nil
	}
	return belongs(t.kind, id, "another object")
}

// ownedAgain is the time after which an object looks whether what belongs to another one still does.
const ownedAgain = time.Minute

func belongs(k *d.Kind, id, to string) *outcome.Outcome {
	out := outcome.Poll(ownedAgain, k.Name+" "+id, "The %s %s belongs to %s. Delete one of the two objects, or let one "+
		"only look, by the policy observe.", k.Name, id, to)
	out.Reason = "Owned"
	return out
}

// claimed tells whether a resource carries the marker of another object. An id that was chosen is a marker, too, and
// looks like any other id.
func claimed(t *target, i mirror.Item) bool {
	return i.Marker != "" && i.Marker != t.marker && t.kind.Marker.Channel != d.MarkByID
}

// missed is how old a list may be that does not have what somebody looks for.
const missed = 20 * time.Second

// matchNow is match, and looks into a new list for what was not there: it may have been made since the last one.
func matchNow(ctx context.Context, t *target, id string, filter map[string]string) (mirror.Item, *outcome.Outcome) {
	found, out := match(t, id, filter)
	if out == nil || out.State != outcome.StateWaiting {
		return found, out
	}
	if err := t.mirror.Fresh(ctx, time.Now().Add(-missed)); err != nil {
		return mirror.Item{}, failed(err)
	}
	return match(t, id, filter)
}

// match finds the one resource with an id, or that a filter selects.
func match(t *target, id string, filter map[string]string) (mirror.Item, *outcome.Outcome) {
	if id != "" {
		if i, ok := t.mirror.Get(id); ok {
			return i, nil
		}
		return mirror.Item{}, outcome.Poll(time.Minute, t.kind.Name+" "+id,
			"There is no %s with id %s in the cloud. Make it, or change the id.", t.kind.Name, id)
	}
	fields, out := filterFields(t.kind, filter)
	if out != nil {
		return mirror.Item{}, out
	}
	found, err := t.find(func(seen map[string]any) bool { return selected(fields, seen) })
	switch {
	case err != nil:
		return mirror.Item{}, outcome.FromError(err)
	case len(found) == 0:
		return mirror.Item{}, outcome.Poll(time.Minute, t.kind.Name,
			"No %s in the cloud fits the filter %s. Make one, or change the filter.", t.kind.Name, words(filter))
	case len(found) > 1:
		return mirror.Item{}, outcome.Refuse("Ambiguous",
			"%d resources fit the filter %s: %s. Add to the filter, or use an id.",
			len(found), words(filter), ids(found))
	}
	return found[0], nil
}

// filterFields returns the fields that a filter names, with the values that they must have: those of the key, and those
// that lists can be filtered by, whether people declare them or not.
func filterFields(k *d.Kind, filter map[string]string) ([]wantedField, *outcome.Outcome) {
	var out []wantedField
	var known []string
	for _, api := range slices.Concat(k.Key, k.List.Filters) {
		f, declared := k.Field(api)
		name := f.Shown()
		if !declared {
			f, name = d.Field{API: api, In: api}, d.Camel(api)
		}
		if slices.Contains(known, name) {
			continue
		}
		known = append(known, name)
		if v, ok := filter[name]; ok {
			out = append(out, wantedField{f, v})
		}
	}
	if len(out) < len(filter) {
		slices.Sort(known)
		return nil, outcome.Refuse("InvalidFilter",
			"The filter %s has a field that a %s cannot be found by. Use of these: %s.",
			words(filter), k.Name, strings.Join(known, ", "))
	}
	return out, nil
}

// wantedField is a field with the value that a filter wants, a text.
type wantedField struct {
	d.Field
	want string
}

func selected(fields []wantedField, seen map[string]any) bool {
	for _, f := range fields {
		actual := body.Actual(f.Field, seen)
		if !body.Same(f.Field, any(f.want), actual) && (actual == nil || fmt.Sprint(actual) != f.want) {
			return false
		}
	}
	return true
}
