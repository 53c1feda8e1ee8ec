package resources

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// names are those of spec.extra in the objects of a kind: what lists show of them is kept, to be compared.
type names struct {
	mu  sync.Mutex
	all []string
}

func (n *names) add(more []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, name := range more {
		if !slices.Contains(n.all, name) {
			n.all = append(n.all, name)
		}
	}
}

func (n *names) get() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.all)
}

// extra adds spec.extra to what is wanted and returns its names.
func (c *controller) extra(o object, wanted map[string]any) ([]string, *outcome.Outcome) {
	declared := o.Common().Extra
	if declared == nil {
		return nil, nil
	}
	var raw map[string]any
	if err := json.Unmarshal(declared.Raw, &raw); err != nil {
		return nil, outcome.Refuse("InvalidExtra",
			"spec.extra has no fields of the API; write it as {name: value}.")
	}
	if len(raw) > 0 && c.kind.Shape == d.Relation {
		return nil, outcome.Refuse("InvalidExtra",
			"A %s is made by a request that has no place for spec.extra. Remove it.", c.kind.Name)
	}
	if err := body.Merge(c.kind, wanted, raw); err != nil {
		return nil, outcome.Refuse("InvalidExtra", "%s", err)
	}
	return slices.Sorted(maps.Keys(raw)), nil
}

// told tells whether the resource was given what is declared and the API may not show.
func (c *controller) told(sc *scope, t *target) bool { return sc.Cell().Intent == c.hidden(sc, t) }

// untold is what the API does not show of a resource, to be sent because the declaration has changed.
func (c *controller) untold(sc *scope, t *target, id string) (map[string]any, *outcome.Outcome) {
	seen, _, err := t.see(id)
	if err != nil {
		return nil, outcome.FromError(err)
	}
	out := map[string]any{}
	for _, f := range t.kind.Fields {
		if v, ok := t.wanted[f.API]; ok && f.WriteOnly && !f.CreateOnly {
			out[f.API] = v
		}
	}
	var dark []string
	for _, name := range t.extra {
		if _, shown := seen[name]; !shown {
			dark = append(dark, name)
		}
	}
	switch {
	case t.kind.Update.Method != "":
		for _, name := range dark {
			out[name] = t.wanted[name]
		}
	case len(dark) > 0 && sc.Cell().Intent != "" && len(body.DiffExtra(t.extra, t.wanted, seen)) == 0:
		return nil, outcome.Refuse("Immutable", "OpenStack neither shows nor changes %s of spec.extra once the %s is made. "+
			"Take the change back, or delete the object and make it again.", strings.Join(dark, ", "), t.kind.Name)
	}
	return out, nil
}

// tell puts onto the books what the resource was given. One that cannot be changed has what it was made with.
func (c *controller) tell(sc *scope, t *target) {
	if t.kind.Update.Method != "" || len(t.extra) == 0 || sc.Cell().Intent == "" {
		sc.Cell().Intent = c.hidden(sc, t)
	}
}
