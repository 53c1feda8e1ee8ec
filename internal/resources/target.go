package resources

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// target is one resource, wanted or there, in its cloud.
type target struct {
	kind   *d.Kind
	cloud  cloudKey
	door   Door
	mirror *mirror.Mirror
	lister *lister
	meter  meter
	// wanted are the declared fields by API name.
	wanted map[string]any
	// extra are the names in it that are from spec.extra.
	extra []string
	// marker of the object, and the cluster that it is in.
	marker, cluster string
	// microversion that the object asks for. What is deleted has none: the cloud may not have it any more.
	microversion string
	owner        string
}

// asked is a request about the resource.
type asked struct {
	// service is that of the kind when it is empty.
	service      string
	method, path string
	in           any
	// needs are the microversions that the request needs.
	needs       []string
	contentType string
}

// request sends something about the resource that a person waits for. The path may have a query.
func (t *target) request(ctx context.Context, a asked) (map[string]any, error) {
	version, err := t.chosen(ctx, a)
	if err != nil {
		return nil, err
	}
	path, query, _ := strings.Cut(a.path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("the query of %s: %w", a.path, err)
	}
	var out map[string]any
	var failed error
	take := func(answer []byte) { // a security group may be long: all its rules are in it
		if len(answer) > 0 {
			failed = json.Unmarshal(answer, &out)
		}
	}
	_, err = t.door.Do(ctx, openstack.Request{Service: cmp.Or(a.service, t.kind.Service), Lane: openstack.Urgent,
		Owner: t.owner, Method: cmp.Or(a.method, http.MethodPost), Path: path, Query: values, Body: a.in,
		ContentType: a.contentType, Header: t.header(), Microversion: version, Take: take})
	if err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, fmt.Errorf("the answer to %s %s is no JSON object: %w; see what answers in place of the service; "+
			"it is tried again", a.method, path, failed)
	}
	return out, nil
}

func (t *target) header() http.Header { return t.lister.header(t.wanted) }

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
	return t.whole(seen)
}

// whole adds what a resource is a part of, which answers leave out.
func (t *target) whole(seen map[string]any) map[string]any {
	if seen == nil {
		return nil
	}
	for _, name := range holes(t.kind.Path) {
		f, _ := t.kind.Field(name)
		if v := t.wanted[name]; v != nil && body.Actual(f, seen) == nil {
			body.Place(seen, f, v)
		}
	}
	return seen
}

// wrap puts fields into the envelope.
func (t *target) wrap(fields map[string]any) map[string]any {
	inside, beside := body.Sent(t.kind, fields)
	if t.kind.Item == d.None || t.kind.Bare {
		maps.Copy(inside, beside)
		return inside
	}
	beside[t.kind.Item] = inside
	return beside
}

// put shows the mirror what the answer to a request showed us.
func (t *target) put(seen map[string]any, at time.Time) error {
	i, err := t.lister.item(seen)
	if err == nil {
		t.mirror.Put(i, at)
		t.lister.watch.doubt()
	}
	return err
}

// drop shows the mirror that a resource is gone.
func (t *target) drop(id string, at time.Time) {
	t.mirror.Drop(id, at)
	t.lister.watch.doubt()
}

// path of the resource with an id.
func (t *target) path(id string) (string, error) {
	if t.kind.Shape == d.Relation {
		return relationPath(t.kind, t.wanted)
	}
	values := maps.Clone(t.wanted)
	values[t.kind.IDField()] = id
	path := t.kind.Path + "/{" + t.kind.IDField() + "}"
	switch {
	case t.kind.Shape == d.Singleton:
		path = t.kind.Path
	case len(t.kind.Paths) > 0:
		path = t.kind.Paths[0]
	}
	whole, missing := body.Path(path, values)
	if missing != "" {
		return "", fmt.Errorf("a %s cannot be addressed without %s", t.kind.Name, missing)
	}
	return whole, nil
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
	version, err := t.lister.version(ctx)
	if err != nil {
		return nil, false, err
	}
	at := time.Now()
	answer, err := t.request(ctx, asked{method: http.MethodGet, path: path, needs: []string{version}})
	if openstack.ClassOf(err) == openstack.NotFound {
		t.drop(id, at)
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("looking at %s %s: %w", t.kind.Name, id, err)
	}
	shown := t.open(answer)
	if len(shown) == 0 {
		return nil, false, fmt.Errorf("the answer about %s %s has no %s", t.kind.Name, id, t.kind.Item)
	}
	if slices.Contains(t.kind.State.Deleted, state(t.kind, shown)) {
		t.drop(id, at) // Heat shows a stack by its id long after it is gone
		return nil, false, nil
	}
	if err := t.put(shown, at); err != nil {
		return nil, false, err
	}
	return t.see(id)
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
	for _, x := range slices.Concat(body.Diff(t.kind, t.wanted, seen),
		body.DiffExtra(t.extra, t.wanted, seen)) {
		switch {
		case ignore(x.Field.Spec()):
		case x.Field.CreateOnly || t.kind.Update.Method == "" && x.Field.Via == "":
			stuck = append(stuck, x)
		default:
			change = append(change, x)
		}
	}
	return change, stuck
}
