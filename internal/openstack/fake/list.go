package fake

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// list answers to a list of a kind.
func (c *Cloud) list(k *d.Kind, parent map[string]any, q *question) answer {
	for id := range c.stores[k.Name].rows {
		c.row(k, id) // lets go of what is gone
	}
	rows := slices.SortedFunc(maps.Values(c.stores[k.Name].rows), func(a, b *row) int { return a.serial - b.serial })
	since, changes := c.since(k, q)
	layers := c.layers(k.Service, q)
	var shown []any
	for _, r := range rows {
		if c.Hidden[k.Name] || r.concealed(q.query) || !q.sees(k, r.project) || !r.within(k, parent) ||
			!r.selected(k, q.query) || changes && r.touched().Before(since) {
			continue
		}
		shown = append(shown, entry(k, c.above(k, r.show(k), layers)))
	}
	for _, r := range c.stores[k.Name].gone {
		if changes && k.List.TellsGone && !r.leaves.Before(since) {
			fields := maps.Clone(r.fields)
			fields[k.State.Path] = k.State.Deleted[0]
			shown = append(shown, entry(k, fields))
		}
	}
	return c.page(k, parent, shown, q)
}

// since is the time of a list of changes.
func (c *Cloud) since(k *d.Kind, q *question) (time.Time, bool) {
	name, before, _ := strings.Cut(k.List.Changes, "=")
	text, ok := strings.CutPrefix(q.query.Get(name), before)
	if name == "" || !ok || above(k.List.ChangesSince, q.version) {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, text)
	return at, err == nil
}

// entry is a resource as lists show it.
func entry(k *d.Kind, shown map[string]any) any {
	if bare, ok := shown[d.Self]; ok {
		return bare
	}
	if k.List.Wrapped {
		return map[string]any{k.Item: shown}
	}
	return shown
}

// page is the part of a list that a request asks for, with a link to the next one in the form of the service.
func (c *Cloud) page(k *d.Kind, parent map[string]any, shown []any, q *question) answer {
	size, err := strconv.Atoi(q.query.Get("limit"))
	if err != nil || size <= 0 {
		size = len(shown) + 1
	}
	if c.Page > 0 {
		size = min(size, c.Page)
	}
	from, err := strconv.Atoi(q.query.Get("marker"))
	if err != nil {
		from = 0
	}
	from = min(from, len(shown))
	to := min(from+size, len(shown))
	doc := nest(k.Items, append([]any{}, shown[from:to]...))
	if above, rest, ok := strings.Cut(k.Items, "."); ok && !c.around(k, above, rest, parent, doc) {
		return failure(http.StatusNotFound, "Could not find "+above)
	}
	if to < len(shown) {
		next := q.query
		next.Set("marker", strconv.Itoa(to))
		link := q.URL.Path + "?" + next.Encode()
		switch k.Service {
		case "image", "key-manager":
			doc["next"] = link
		case "dns", "identity":
			doc["links"] = map[string]any{"next": link}
		default:
			doc[k.Items+"_links"] = []any{map[string]any{"rel": "next", "href": link}}
		}
	}
	return answer{http.StatusOK, doc}
}

// around adds the resource that a list is a part of.
func (c *Cloud) around(k *d.Kind, item, list string, parent, doc map[string]any) bool {
	for _, above := range c.kinds {
		if above.Item != item || above.Service != k.Service {
			continue
		}
		for _, id := range parent {
			word, _ := id.(string)
			row := c.row(above, word)
			if row == nil {
				return false
			}
			inner, _ := doc[item].(map[string]any)
			for name, v := range row.show(above) {
				if name != list {
					inner[name] = v
				}
			}
		}
	}
	return true
}

// nest makes the envelope of a list whose name is a path.
func nest(path string, v any) map[string]any {
	head, rest, found := strings.Cut(path, ".")
	if !found {
		return map[string]any{head: v, "links": map[string]any{"next": nil}}
	}
	return map[string]any{head: nest(rest, v)}
}

func (r *row) within(k *d.Kind, parent map[string]any) bool {
	for name, v := range parent {
		f, _ := k.Field(name)
		if fmt.Sprint(body.Actual(f, r.fields)) != fmt.Sprint(v) {
			return false
		}
	}
	return true
}

func (r *row) selected(k *d.Kind, query url.Values) bool {
	for _, f := range k.Fields {
		if want := query.Get(f.API); want != "" && fmt.Sprint(r.fields[f.API]) != want && !strings.Contains(want, ":") {
			return false
		}
	}
	return true
}
