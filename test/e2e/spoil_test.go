//go:build e2e

package e2e

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// spoil gives a resource the values of the first edit behind the operator's back: by one request, and one for each
// field that takes an action.
func (s *suite) spoil(o *unstructured.Unstructured, f resources.Found) {
	s.Helper()
	want, plain := s.wanted(f.Kind, s.edits[nameOf(o)][0], ""), map[string]any{}
	for _, field := range s.fields(o) {
		if field.Via == "" {
			plain[field.API] = want[field.API]
			continue
		}
		s.act(f, field, want[field.API])
	}
	if len(plain) == 0 {
		return
	}
	if f.Kind.Update.Whole {
		whole := s.wanted(f.Kind, s.specs[nameOf(o)], o.GetName())
		maps.Copy(whole, plain)
		maps.DeleteFunc(whole, func(api string, _ any) bool { return in(f.Kind.Path, d.Field{API: api}) })
		plain = whole
	}
	s.update(f, plain)
}

// update sends fields.
func (s *suite) update(f resources.Found, fields map[string]any) {
	s.Helper()
	k := f.Kind
	r := openstack.Request{Method: k.Update.Method, Path: k.Path, Microversion: newest(k, k.Update.Since)}
	if k.Shape != d.Singleton {
		r.Path += "/{id}"
	}
	inside, _ := body.Sent(k, fields)
	switch {
	case k.Update.JSONPatch:
		ops := []any{}
		for _, name := range slices.Sorted(maps.Keys(inside)) {
			ops = append(ops, map[string]any{"op": "replace", "path": "/" + name, "value": inside[name]})
		}
		r.Body, r.ContentType = ops, "application/openstack-images-v2.1-json-patch"
	case k.Item == d.None:
		r.Body = inside
	default:
		r.Body = map[string]any{k.Item: inside}
	}
	s.send(f, r, nil)
}

// act changes a field by its action. Words of a list that has the operator's are added and taken away one by one.
func (s *suite) act(f resources.Found, field d.Field, want any) {
	s.Helper()
	a, ok := f.Kind.Action(field.Via)
	if !ok {
		s.Fatalf("%s has no action %s", f.Kind.Name, field.Via)
	}
	added, removed := body.Changes(field, want, body.Actual(field, f.Fields))
	if field.API == f.Kind.Marker.Field && field.Type == d.Strings {
		more, _ := added.([]any)
		for method, words := range map[string][]any{http.MethodPut: more, http.MethodDelete: removed} {
			for _, word := range words {
				s.send(f, openstack.Request{Method: method, Path: a.Path + "/{value}"}, map[string]any{"value": word})
			}
		}
		return
	}
	values := map[string]any{"value": body.Value(field, want)}
	if added != nil {
		values["added"] = added
	}
	if a.Remove != nil && len(removed) > 0 {
		values["removed"] = removed
		s.order(f, field, *a.Remove, values)
	}
	if a.Bodies != nil {
		a.Body = a.Bodies[fmt.Sprint(want)]
	}
	if a.Remove == nil || added != nil {
		s.order(f, field, a.Request, values)
	}
}

// order sends the request of an action.
func (s *suite) order(f resources.Found, field d.Field, r d.Request, values map[string]any) {
	s.Helper()
	content, err := body.Template(r.Body, values)
	if err != nil {
		s.Fatal(err)
	}
	s.send(f, openstack.Request{Method: cmp.Or(r.Method, http.MethodPost), Path: r.Path, Body: content,
		Microversion: newest(f.Kind, r.Since, field.Since)}, values)
}

// send sends a request about a resource. Its path has names of fields in braces.
func (s *suite) send(f resources.Found, r openstack.Request, values map[string]any) {
	s.Helper()
	all := maps.Clone(f.Fields)
	maps.Copy(all, values)
	all["id"] = f.ID
	path, missing := body.Path(r.Path, all)
	if missing != "" {
		s.Fatalf("%s %s has no %s", f.Kind.Name, f.ID, missing)
	}
	r.Service, r.Path = f.Kind.Service, strings.TrimPrefix(path, "/")
	if _, err := s.door.Do(s.Context(), r); err != nil {
		s.Fatalf("changing the %s %s: %v", f.Kind.Name, f.ID, err)
	}
}

// newest is the highest of microversions of one service and that by which a kind is read.
func newest(k *d.Kind, versions ...string) string {
	minor := func(version string) int {
		_, after, _ := strings.Cut(version, ".")
		n, _ := strconv.Atoi(after)
		return n
	}
	return slices.MaxFunc(append(versions, k.Read), func(a, b string) int { return cmp.Compare(minor(a), minor(b)) })
}
