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

// surveyed are the kinds whose survey a request asks for.
func (c *Cloud) surveyed(service string, q *question) []*d.Kind {
	return slices.DeleteFunc(slices.Clone(c.kinds), func(k *d.Kind) bool {
		s := k.List.Survey
		path, query, _ := strings.Cut(s.Path, "?")
		own, err := url.ParseQuery(query)
		if err != nil || path != q.path || cmp.Or(s.Service, k.Service) != service || q.Method != http.MethodGet {
			return true
		}
		delete(own, "limit")
		for name, v := range own {
			if !slices.Equal(q.query[name], v) {
				return true
			}
		}
		return c.Hidden[k.Name]
	})
}

// above shows in an entry of a list what is below it.
func (c *Cloud) above(parent *d.Kind, shown map[string]any, q *question) map[string]any {
	id := fmt.Sprint(shown[parent.IDField()])
	for _, k := range c.surveyed(parent.Service, q) {
		s := k.List.Survey
		if s.Parent != parent.IDField() {
			// The entry is the resource itself, as another service shows it.
			if r := c.row(k, id); r != nil {
				place(shown, s.Parent, parentOf(k, id, r))
				place(shown, s.Shows[1], r.show(k)[k.State.Path])
			}
			continue
		}
		place(shown, s.Shows[0], []any{})
	}
	for _, k := range c.surveyed(parent.Service, q) {
		if s := k.List.Survey; s.Parent == parent.IDField() {
			c.below(k, id, shown)
		}
	}
	return shown
}

// below adds what is below a parent.
func (c *Cloud) below(k *d.Kind, parent string, shown map[string]any) {
	s, store := k.List.Survey, c.stores[k.Name]
	latest := time.Time{}
	for _, id := range slices.Sorted(maps.Keys(store.rows)) {
		r := c.row(k, id)
		if r == nil || parentOf(k, id, r) != parent {
			continue
		}
		list, _ := body.At(shown, s.Shows[0]).([]any)
		place(shown, s.Shows[0], append(list, entry(k, r.show(k))))
		if r.touched().After(latest) {
			latest = r.touched()
		}
	}
	if slices.Contains(s.Shows, "updated_at") {
		shown["updated_at"] = latest.Format(time.RFC3339Nano)
	}
}

// survey answers to a list of parents that no kind has.
func (c *Cloud) survey(service string, q *question) (answer, bool) {
	for _, k := range c.surveyed(service, q) {
		s, entries, parents := k.List.Survey, []any{}, map[string]bool{}
		for _, id := range slices.Sorted(maps.Keys(c.stores[k.Name].rows)) {
			r := c.stores[k.Name].rows[id]
			parent := parentOf(k, id, r)
			if parents[parent] {
				continue
			}
			parents[parent] = true
			shown := map[string]any{}
			if len(s.Shows) == 0 {
				shown = r.show(k)
			} else {
				c.below(k, parent, shown)
			}
			place(shown, s.Parent, parent)
			entries = append(entries, shown)
		}
		return answer{http.StatusOK, map[string]any{s.Items: entries}}, true
	}
	return answer{}, false
}

// parentOf is the id of what a resource is below.
func parentOf(k *d.Kind, id string, r *row) string {
	if k.Shape == d.Singleton {
		return id
	}
	f, _ := k.Field(hole.FindStringSubmatch(k.Path)[1])
	return fmt.Sprint(body.Actual(f, r.fields))
}

func place(shown map[string]any, path string, v any) {
	body.Place(shown, d.Field{API: path, In: path}, v)
}
