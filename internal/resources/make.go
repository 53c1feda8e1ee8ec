package resources

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// fresh are the fields that a creation sends.
func (t *target) fresh() map[string]any {
	out := map[string]any{}
	for api, v := range t.wanted {
		f, known := t.kind.Field(api)
		if !known || !f.Later {
			out[api] = v
		}
	}
	for _, f := range t.kind.Fields {
		if _, ok := out[f.API]; !ok && f.Default != nil {
			out[f.API] = f.Default
		}
		if inside, ok := out[f.API].(map[string]any); ok && f.Flat {
			out[f.API] = withDefaults(f.Fields, inside)
		}
	}
	for _, name := range holes(cmp.Or(t.kind.Create.Path, t.kind.Path)) {
		delete(out, name) // it is in the path
	}
	m := t.kind.Marker
	switch m.Channel {
	case d.MarkByID:
		if out[cmp.Or(m.Field, t.kind.IDField())] == nil {
			out[cmp.Or(m.Field, t.kind.IDField())] = t.marker
		}
	case d.MarkByExtra:
		out[m.Field] = t.signed()
	case d.MarkByMetadata, d.MarkByTag:
		out[m.Field] = t.withMarker(out[m.Field])
	case d.MarkByTagLater:
		out[birthField] = birth(t.signed())
	}
	return out
}

// withDefaults adds what is sent for entries of a flat field that are empty.
func withDefaults(fields []d.Field, inside map[string]any) map[string]any {
	out := maps.Clone(inside)
	for _, f := range fields {
		if _, ok := out[f.API]; !ok && f.Default != nil {
			out[f.API] = f.Default
		}
	}
	return out
}

// signed is what the resource is to carry.
func (t *target) signed() string { return sign(t.marker, t.cluster) }

// withMarker adds the marker, if there is one, to tags or metadata.
func (t *target) withMarker(v any) any { return with(t.kind, v, t.signed()) }

func with(k *d.Kind, v any, signed string) any {
	if signed == "" {
		return v
	}
	if k.Marker.Channel == d.MarkByMetadata {
		have, _ := v.(map[string]any)
		with := maps.Clone(have)
		if with == nil {
			with = map[string]any{}
		}
		with[markerKey] = signed
		return with
	}
	have, _ := v.([]any)
	return append(slices.Clone(have), birth(signed))
}

// birthField has the marker until the tag has it, which takes a second request.
const birthField = "description"

// birth is the marker as a tag, and as the first description of resources that are tagged later.
func birth(signed string) string { return markerKey + "=" + signed }

// create makes the resource and returns its id.
func (t *target) create(ctx context.Context) (string, error) {
	at := time.Now()
	fields := t.fresh()
	path, err := t.birthplace(fields)
	if err != nil {
		return "", err
	}
	version, err := t.lister.version(ctx)
	if err != nil {
		return "", err
	}
	r := asked{method: cmp.Or(t.kind.Create.Method, http.MethodPost), path: path,
		needs: append(since(t.kind, fields), version)}
	if r.in, err = t.first(fields); err != nil {
		return "", err
	}
	answer, err := t.request(ctx, r)
	if err != nil {
		return "", err
	}
	if t.kind.Keyed() {
		return t.found(ctx, at)
	}
	seen := t.open(answer)
	id := identity(t.kind, seen)
	if id == "" {
		return "", fmt.Errorf("the answer to the creation of a %s has no %s", t.kind.Name, t.kind.IDField())
	}
	if !t.complete(seen, r.needs, version) {
		shown := t.imagined(nil, fields)
		shown[t.kind.IDField()] = seen[t.kind.IDField()]
		seen = t.whole(shown)
	}
	return id, t.put(seen, at)
}

// birthplace is the path of the request to make the resource.
func (t *target) birthplace(fields map[string]any) (string, error) {
	k := t.kind
	if k.Shape == d.Relation && k.Create.Path == "" {
		return relationPath(k, t.wanted)
	}
	path, missing := body.Path(cmp.Or(k.Create.Path, k.Path), t.wanted)
	if missing != "" {
		return "", fmt.Errorf("a %s cannot be made without %s; declare it", k.Name, missing)
	}
	if k.Shape == d.Resource && k.Create.Method == http.MethodPut {
		id, _ := fields[k.IDField()].(string)
		path += "/" + id
	}
	return path, nil
}

// first is the body of the request to make the resource.
func (t *target) first(fields map[string]any) (any, error) {
	switch {
	case t.kind.Create.Body != "":
		return body.Template(t.kind.Create.Body, t.wanted)
	case t.kind.Shape == d.Relation:
		return nil, nil
	case t.kind.Create.Many:
		inside, _ := body.Sent(t.kind, fields)
		return map[string]any{t.kind.Items: []any{inside}}, nil
	}
	return t.wrap(fields), nil
}

// complete tells whether an answer shows the resource as lists do.
func (t *target) complete(seen map[string]any, needs []string, read string) bool {
	return len(seen) > 0 && cmp.Or(t.microversion, highest(needs...)) == read &&
		(t.kind.State.Path == "" || body.At(seen, t.kind.State.Path) != nil)
}

// imagined is a resource as it will be shown once fields are set, until a list tells.
func (t *target) imagined(seen, fields map[string]any) map[string]any {
	shown := maps.Clone(seen)
	if shown == nil {
		shown = map[string]any{}
	}
	for api, v := range fields {
		f, ok := t.kind.Field(api)
		switch {
		case !ok:
			shown[api] = v
		case f.WriteOnly || f.Local || f.Output:
		case f.Flat:
			inside, _ := body.Sent(t.kind, map[string]any{api: v})
			maps.Copy(shown, inside)
		default:
			body.Place(shown, f, body.Value(f, v))
		}
	}
	return shown
}

// found is the identity of a relation that was made.
func (t *target) found(ctx context.Context, at time.Time) (string, error) {
	if t.kind.Create.Path != "" && slices.ContainsFunc(t.kind.Key, func(name string) bool {
		return declared(t.kind, t.wanted, name) == nil
	}) {
		return t.identified(ctx)
	}
	seen := t.imagined(nil, t.wanted)
	return wantedIdentity(t.kind, t.wanted), t.put(seen, at)
}

// identified looks for a relation of which only the cloud knows the whole key.
func (t *target) identified(ctx context.Context) (string, error) {
	if err := t.mirror.Fresh(ctx, time.Now()); err != nil {
		return "", err
	}
	there, err := t.find(func(seen map[string]any) bool { return related(t.kind, t.wanted, seen) })
	if err != nil {
		return "", err
	}
	if len(there) != 1 {
		return "", fmt.Errorf("the cloud shows %d of the %s that was made; it is tried again; see whether "+
			"somebody else makes or deletes it", len(there), t.kind.Name)
	}
	return there[0].ID, nil
}
