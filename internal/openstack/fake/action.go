package fake

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// acting answers to requests that do not follow from the shape of a kind.
func (c *Cloud) acting(k *d.Kind, q *question) (answer, bool) {
	if k.Create.Body != "" {
		if values, ok := q.asks(d.Request{Method: k.Create.Method, Path: k.Create.Path, Body: k.Create.Body}); ok {
			return c.relation(k, values, &question{Request: &http.Request{Method: http.MethodPut}}), true
		}
	}
	if k.Delete.Path != "" {
		if values, ok := q.asks(k.Delete); ok {
			return c.relation(k, values, &question{Request: &http.Request{Method: http.MethodDelete}}), true
		}
	}
	if a, ok := c.untagging(k, q); ok {
		return a, true
	}
	for _, a := range k.Actions {
		if a.Remove != nil {
			if values, ok := q.asks(*a.Remove); ok && (values["removed"] != nil) {
				return c.take(k, a, values), true
			}
		}
		for word, text := range bodies(a) {
			r := a.Request
			r.Body = text
			if values, ok := q.asks(r); ok && !plainly(k, values) {
				return c.act(k, a, word, values), true
			}
		}
	}
	return answer{}, false
}

// plainly tells whether what is added are fields of the kind: a common update at the same path.
func plainly(k *d.Kind, values map[string]any) bool {
	added, _ := values["added"].(map[string]any)
	for name := range added {
		if _, ok := top(k, name); ok {
			return true
		}
	}
	return false
}

// bodies are the bodies of an action by the word that they stand for.
func bodies(a d.Action) map[string]string {
	if a.Bodies != nil {
		return a.Bodies
	}
	return map[string]string{"": a.Body}
}

// asks tells whether a request is the one that a descriptor means, and what its placeholders stand for.
func (q *question) asks(r d.Request) (map[string]any, bool) {
	path, query, _ := strings.Cut(r.Path, "?")
	values, ok := fits(path, q.path)
	if !ok || q.Method != cmp.Or(r.Method, http.MethodPost) || r.Since != "" && above(r.Since, q.version) {
		return nil, false
	}
	params, err := url.ParseQuery(query)
	if err != nil {
		return nil, false
	}
	for name, v := range params {
		m := hole.FindStringSubmatch(v[0])
		if m == nil || q.query.Get(name) == "" {
			return nil, false
		}
		values[m[1]] = q.query.Get(name)
	}
	if r.Body == "" {
		return values, q.doc == nil
	}
	want, err := body.Holes(r.Body)
	if err != nil || !unify(want, q.doc, values) {
		return nil, false
	}
	return values, true
}

// unify finds what placeholders stand for; an entry that is missing stands for nothing.
func unify(want, have any, values map[string]any) bool {
	if name, keys, ok := body.Hole(want); ok {
		values[name] = have
		if keys {
			values[name], ok = nulled(have)
		}
		return ok
	}
	w, isMap := want.(map[string]any)
	h, alike := have.(map[string]any)
	if !isMap || !alike {
		return reflect.DeepEqual(want, have)
	}
	for key := range h {
		if _, known := w[key]; !known {
			return false
		}
	}
	for key, inner := range w {
		v, there := h[key]
		if _, _, isHole := body.Hole(inner); !there && !isHole || there && !unify(inner, v, values) {
			return false
		}
	}
	return true
}

// nulled are the keys of an object that has nothing but null.
func nulled(have any) ([]any, bool) {
	m, ok := have.(map[string]any)
	for _, v := range m {
		ok = ok && v == nil
	}
	return anys(slices.Sorted(maps.Keys(m))), ok && len(m) > 0
}

func anys(list []string) []any {
	out := make([]any, 0, len(list))
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// act changes a field by an action.
func (c *Cloud) act(k *d.Kind, a d.Action, word string, values map[string]any) answer {
	id, _ := values["id"].(string)
	row := c.row(k, id)
	if row == nil {
		return missing(k, id)
	}
	if a.Name == k.State.Release {
		if time.Until(row.leaves) > never/2 { // otherwise whoever deletes it goes on
			row.leaves, row.fields[k.State.Path] = time.Time{}, k.State.Error[0]
		}
		return answer{code: http.StatusAccepted}
	}
	if row.busy() {
		return failure(http.StatusConflict, fmt.Sprintf("Cannot %s %s while it is in task_state something", a.Name, id))
	}
	row.updated = time.Now()
	f, ok := changedBy(k, a)
	if !ok { // the answer to a state
		row.after = ""
		return answer{code: http.StatusAccepted}
	}
	row.change(f, word, values)
	if a.Slow {
		row.ready = time.Now().Add(c.Build)
		if row.after = c.Leads[a.Name]; f.API == k.State.Path {
			row.after, _ = row.fields[f.API].(string)
		}
		delete(row.fields, k.State.Path)
	}
	return answer{code: http.StatusAccepted}
}

// changedBy is the field that an action changes.
func changedBy(k *d.Kind, a d.Action) (d.Field, bool) {
	for _, f := range k.Fields {
		if f.Via == a.Name {
			return f, true
		}
	}
	return d.Field{}, false
}

// change sets a field to what an action says.
func (r *row) change(f d.Field, word string, values map[string]any) {
	have := body.Actual(f, r.fields)
	if f.Flat && f.In != "" {
		have = body.At(r.fields, f.In)
	}
	switch added := values["added"].(type) {
	case map[string]any:
		m, _ := have.(map[string]any)
		m = maps.Clone(m)
		if m == nil {
			m = map[string]any{}
		}
		maps.Copy(m, added)
		body.Place(r.fields, f, m)
		return
	case []any:
		l, _ := have.([]any)
		body.Place(r.fields, f, append(slices.Clone(l), added...))
		return
	case string:
		body.Place(r.fields, f, added)
		return
	}
	v, ok := values["value"]
	if !ok {
		v = meant(f, word)
	}
	if shown, ok := f.Values[fmt.Sprint(v)]; ok {
		v = shown
	}
	body.Place(r.fields, f, v)
}

// meant is what a word of Bodies stands for.
func meant(f d.Field, word string) any {
	if v, ok := f.Values[word]; ok {
		return v
	}
	if v, err := strconv.ParseBool(word); err == nil {
		return v
	}
	return word
}

// take removes entries.
func (c *Cloud) take(k *d.Kind, a d.Action, values map[string]any) answer {
	id, _ := values["id"].(string)
	row := c.row(k, id)
	if row == nil {
		return missing(k, id)
	}
	f, _ := changedBy(k, a)
	removed, isList := values["removed"].([]any)
	if !isList {
		removed = []any{values["removed"]}
	}
	row.updated = time.Now()
	switch have := body.Actual(f, row.fields).(type) {
	case map[string]any:
		m := maps.Clone(have)
		for _, key := range removed {
			delete(m, fmt.Sprint(key))
		}
		body.Place(row.fields, f, m)
	case []any:
		body.Place(row.fields, f, slices.DeleteFunc(slices.Clone(have), func(v any) bool {
			return slices.ContainsFunc(removed, func(r any) bool { return same(f, r, v) })
		}))
	default:
		body.Place(row.fields, f, nil)
	}
	return answer{code: http.StatusNoContent}
}

// untagging removes one entry of tags or metadata.
func (c *Cloud) untagging(k *d.Kind, q *question) (answer, bool) {
	values, ok := fits(k.Path+"/{id}/"+k.Marker.Field+"/{removed}", q.path)
	if !ok || !k.Marker.Single || q.Method != http.MethodDelete {
		return answer{}, false
	}
	id, _ := values["id"].(string)
	row := c.row(k, id)
	if row == nil {
		return missing(k, id), true
	}
	entry := values["removed"]
	if tags, ok := row.fields[k.Marker.Field].([]any); ok && !slices.Contains(tags, entry) {
		return failure(http.StatusNotFound, fmt.Sprintf("Tag %s could not be found.", entry)), true
	}
	f, _ := k.Field(k.Marker.Field)
	return c.take(k, d.Action{Name: f.Via}, values), true
}

func same(f d.Field, removed, have any) bool {
	if f.Type == d.Objects {
		return body.Same(d.Field{Type: d.Object, Fields: f.Fields}, removed, have)
	}
	return body.Same(d.Field{Normal: f.Normal}, removed, have)
}
