package resources

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// target is one resource, wanted or there, in its cloud.
type target struct {
	kind   *d.Kind
	door   Door
	mirror *mirror.Mirror
	lister *lister
	// wanted are the declared fields by API name.
	wanted       map[string]any
	marker       string
	microversion string
	owner        string
}

// request sends something about the resource that a person waits for.
func (t *target) request(ctx context.Context, method, path string, in any) (map[string]any, error) {
	resp, err := t.door.Do(ctx, openstack.Request{Service: t.kind.Service, Lane: openstack.Urgent, Owner: t.owner,
		Method: method, Path: path, Body: in, Microversion: t.microversion})
	if err != nil {
		return nil, err
	}
	if len(resp.Body) == 0 {
		return nil, nil
	}
	var out map[string]any
	if err := json.Unmarshal(resp.Body, &out); err != nil {
		return nil, fmt.Errorf("the answer to %s %s is no JSON object: %w", method, path, err)
	}
	return out, nil
}

// open takes a resource out of its envelope.
func (t *target) open(answer map[string]any) map[string]any {
	seen := answer
	switch {
	case t.kind.Create.Many && answer[t.kind.Items] != nil:
		list, _ := answer[t.kind.Items].([]any)
		seen = nil
		if len(list) > 0 {
			seen, _ = list[0].(map[string]any)
		}
	case t.kind.Item != d.None:
		seen, _ = answer[t.kind.Item].(map[string]any)
	}
	if seen != nil {
		maps.Copy(seen, t.lister.parent)
	}
	return seen
}

// wrap puts fields into the envelope.
func (t *target) wrap(fields map[string]any) any {
	if t.kind.Item == d.None {
		return fields
	}
	return map[string]any{t.kind.Item: fields}
}

// marked returns the wanted fields with the marker on them.
func (t *target) marked() map[string]any {
	out := maps.Clone(t.wanted)
	for name := range t.lister.parent {
		delete(out, name) // it is in the path
	}
	m := t.kind.Marker
	switch m.Channel {
	case d.MarkByID:
		out[cmp.Or(m.Field, t.kind.IDField())] = t.marker
	case d.MarkByExtra:
		out[m.Field] = t.marker
	case d.MarkByMetadata:
		have, _ := out[m.Field].(map[string]any)
		with := maps.Clone(have)
		if with == nil {
			with = map[string]any{}
		}
		with[markerKey] = t.marker
		out[m.Field] = with
	case d.MarkByTag:
		have, _ := out[m.Field].([]any)
		out[m.Field] = append(append([]any{}, have...), markerKey+"="+t.marker)
	}
	return out
}

// create makes the resource and returns its id.
func (t *target) create(ctx context.Context) (string, error) {
	at := time.Now()
	if t.kind.Shape == d.Relation {
		return t.relate(ctx, at)
	}
	fields := t.marked()
	in := t.wrap(fields)
	if t.kind.Create.Many {
		in = map[string]any{t.kind.Items: []any{fields}}
	}
	method, path := http.MethodPost, t.lister.path
	if t.kind.Create.Method == http.MethodPut {
		id, _ := fields[t.kind.IDField()].(string)
		method, path = http.MethodPut, path+"/"+id
	}
	answer, err := t.request(ctx, method, path, in)
	if err != nil {
		return "", err
	}
	seen := t.open(answer)
	id := identity(t.kind, seen)
	if id == "" {
		return "", fmt.Errorf("the answer to the creation of a %s has no %s", t.kind.Name, t.kind.IDField())
	}
	return id, t.put(seen, at)
}

func (t *target) relate(ctx context.Context, at time.Time) (string, error) {
	path, err := relationPath(t.kind, t.wanted)
	if err != nil {
		return "", err
	}
	if _, err := t.request(ctx, t.kind.Create.Method, path, nil); err != nil {
		return "", err
	}
	seen := map[string]any{}
	for _, f := range t.kind.Fields {
		if v, ok := t.wanted[f.API]; ok {
			if word, _ := v.(string); f.Values[word] != nil {
				v = f.Values[word]
			}
			body.Place(seen, f, v)
		}
	}
	return wantedIdentity(t.kind, t.wanted), t.put(seen, at)
}

// put shows the mirror what the answer to a request showed us.
func (t *target) put(seen map[string]any, at time.Time) error {
	i, err := t.lister.item(seen)
	if err == nil {
		t.mirror.Put(i, at)
	}
	return err
}

// path of the resource with an id.
func (t *target) path(id string) (string, error) {
	if t.kind.Shape == d.Relation {
		return relationPath(t.kind, t.wanted)
	}
	return t.lister.path + "/" + id, nil
}

// update sends fields.
func (t *target) update(ctx context.Context, id string, fields map[string]any) error {
	at := time.Now()
	path, err := t.path(id)
	if err != nil {
		return err
	}
	answer, err := t.request(ctx, t.kind.Update.Method, path, t.wrap(fields))
	if err != nil {
		return err
	}
	if seen := t.open(answer); len(seen) > 0 {
		return t.put(seen, at)
	}
	return nil
}

// remove deletes the resource; one that is gone is success.
func (t *target) remove(ctx context.Context, id string) error {
	path, err := t.path(id)
	if err != nil {
		return err
	}
	if len(t.kind.BeforeDelete) > 0 {
		if _, err := t.request(ctx, t.kind.Update.Method, path, t.wrap(t.kind.BeforeDelete)); ignoreAbsent(err) != nil {
			return err
		}
	}
	if t.kind.DeleteQuery != "" {
		path += "?" + t.kind.DeleteQuery
	}
	at := time.Now()
	if _, err := t.request(ctx, http.MethodDelete, path, nil); ignoreAbsent(err) != nil {
		return err
	}
	if t.kind.State.Path == "" {
		t.mirror.Drop(id, at)
	}
	return nil
}

// see returns what the mirror knows of the resource.
func (t *target) see(id string) (map[string]any, bool, error) {
	i, ok := t.mirror.Get(id)
	if !ok {
		return nil, false, nil
	}
	seen, err := decode(i)
	return seen, true, err
}

// ask looks at a resource that a list did not show. Lists do not show everything: Keystone leaves out limits of
// projects other than that of the credentials.
func (t *target) ask(ctx context.Context, id string) (map[string]any, bool, error) {
	if t.kind.Shape == d.Relation {
		return nil, false, nil
	}
	path, err := t.path(id)
	if err != nil {
		return nil, false, err
	}
	at := time.Now()
	answer, err := t.request(ctx, http.MethodGet, path, nil)
	if openstack.ClassOf(err) == openstack.NotFound {
		t.mirror.Drop(id, at)
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("looking at %s %s: %w", t.kind.Name, id, err)
	}
	seen := t.open(answer)
	return seen, len(seen) > 0, t.put(seen, at)
}

func decode(i mirror.Item) (map[string]any, error) {
	var seen map[string]any
	if err := json.Unmarshal(i.Raw, &seen); err != nil {
		return nil, fmt.Errorf("decoding resource %s: %w", i.ID, err)
	}
	return seen, nil
}

// find returns the resources that match.
func (t *target) find(match func(seen map[string]any) bool) ([]mirror.Item, error) {
	var out []mirror.Item
	var failed error
	t.mirror.Each(func(i mirror.Item) bool {
		seen, err := decode(i)
		if err != nil {
			failed = err
			return false
		}
		if match(seen) {
			out = append(out, i)
		}
		return true
	})
	return out, failed
}

func ignoreAbsent(err error) error {
	if openstack.ClassOf(err) == openstack.NotFound {
		return nil
	}
	return err
}

// difference names the differences that may be sent, and those that no request can change.
func (t *target) difference(seen map[string]any, ignore func(string) bool) (change, stuck []body.Difference) {
	for _, x := range body.Diff(t.kind, t.wanted, seen) {
		switch {
		case ignore(x.Field.Spec()):
		case x.Field.CreateOnly || t.kind.Update.Method == "":
			stuck = append(stuck, x)
		default:
			change = append(change, x)
		}
	}
	return change, stuck
}
