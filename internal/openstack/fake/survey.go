package fake

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// layer is what is below the parents that a survey shows.
type layer struct {
	kind *d.Kind
	how  d.Survey
	rows map[string][]*row
}

// layers are those that a request asks for.
func (c *Cloud) layers(service string, q *question) []layer {
	var out []layer
	for _, k := range c.kinds {
		if k.List.Survey.Path == "" || c.Hidden[k.Name] || !surveys(k, service, q) {
			continue
		}
		l := layer{k, k.List.Survey, map[string][]*row{}}
		for _, id := range slices.Sorted(maps.Keys(c.stores[k.Name].rows)) {
			if r := c.row(k, id); r != nil {
				l.rows[parentOf(k, id, r)] = append(l.rows[parentOf(k, id, r)], r)
			}
		}
		out = append(out, l)
	}
	return out
}

// surveys tells whether a request asks for the survey of a kind.
func surveys(k *d.Kind, service string, q *question) bool {
	path, query, _ := strings.Cut(k.List.Survey.Path, "?")
	own, err := url.ParseQuery(query)
	if err != nil || path != q.path || cmp.Or(k.List.Survey.Service, k.Service) != service || q.Method != http.MethodGet {
		return false
	}
	for name, v := range own {
		if name != "limit" && !slices.Equal(q.query[name], v) {
			return false
		}
	}
	return true
}

// above shows in an entry of a list what is below it.
func (c *Cloud) above(parent *d.Kind, shown map[string]any, layers []layer) map[string]any {
	id := fmt.Sprint(shown[parent.IDField()])
	for _, l := range layers {
		if l.how.Parent == parent.IDField() {
			shown[l.how.Shows[0]] = []any{}
		} else if r := c.row(l.kind, id); r != nil {
			// The entry is the resource itself, as another service shows it.
			shown[l.how.Parent], shown[l.how.Shows[1]] = parentOf(l.kind, id, r), r.show(l.kind)[l.kind.State.Path]
		}
	}
	for _, l := range layers {
		if l.how.Parent == parent.IDField() {
			l.below(id, shown)
		}
	}
	return shown
}

// below adds what is below a parent.
func (l layer) below(parent string, shown map[string]any) {
	latest := time.Time{}
	list, _ := shown[l.how.Shows[0]].([]any)
	for _, r := range l.rows[parent] {
		list = append(list, entry(l.kind, r.show(l.kind)))
		if r.touched().After(latest) {
			latest = r.touched()
		}
	}
	shown[l.how.Shows[0]] = list
	if slices.Contains(l.how.Shows, "updated_at") {
		shown["updated_at"] = latest.Format(time.RFC3339Nano)
	}
}

// survey answers to a list of parents that no kind has.
func (c *Cloud) survey(service string, q *question) (answer, bool) {
	layers := c.layers(service, q)
	if len(layers) == 0 {
		return answer{}, false
	}
	l, entries := layers[0], []any{}
	for _, parent := range slices.Sorted(maps.Keys(l.rows)) {
		shown := map[string]any{}
		if len(l.how.Shows) == 0 {
			shown = l.rows[parent][0].show(l.kind)
		} else {
			l.below(parent, shown)
		}
		body.Place(shown, d.Field{In: l.how.Parent}, parent)
		entries = append(entries, shown)
	}
	return answer{http.StatusOK, map[string]any{l.how.Items: entries}}, true
}

// parentOf is the id of what a resource is below.
func parentOf(k *d.Kind, id string, r *row) string {
	if k.Shape == d.Singleton {
		return id
	}
	f, _ := k.Field(hole.FindStringSubmatch(k.Path)[1])
	return fmt.Sprint(body.Actual(f, r.fields))
}
