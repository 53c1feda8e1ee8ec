package resources

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// update sends fields.
func (t *target) update(ctx context.Context, id string, fields map[string]any) error {
	at := time.Now()
	seen, _, err := t.see(id)
	if err != nil {
		return err
	}
	path, err := t.path(id)
	if err != nil {
		return err
	}
	version, err := t.lister.version(ctx)
	if err != nil {
		return err
	}
	if v, ok := fields[t.kind.Marker.Field]; ok && t.kind.Marker.Channel != d.MarkByExtra {
		fields[t.kind.Marker.Field] = t.withMarker(v)
	}
	r := asked{method: t.kind.Update.Method, path: path, in: t.changes(seen, fields),
		needs: append(since(t.kind, fields), version, t.kind.Update.Since)}
	if t.kind.Update.JSONPatch {
		r.contentType = "application/openstack-images-v2.1-json-patch"
	}
	answer, err := t.request(ctx, r)
	if err != nil {
		return err
	}
	shown := t.open(answer)
	if !t.complete(shown, r.needs, version) {
		shown = t.imagined(t.flat(id, seen), fields)
	}
	return t.put(shown, at)
}

// changes is the body of an update.
func (t *target) changes(seen, fields map[string]any) any {
	if t.kind.Update.Whole {
		whole := maps.Clone(t.wanted)
		for _, name := range holes(t.kind.Path) {
			delete(whole, name)
		}
		maps.Copy(whole, fields)
		return t.wrap(whole)
	}
	if !t.kind.Update.JSONPatch {
		return t.wrap(fields)
	}
	shown := t.flat("", seen)
	inside, _ := body.Sent(t.kind, fields)
	ops := []any{}
	for _, name := range slices.Sorted(maps.Keys(inside)) {
		op := "add"
		if _, ok := shown[name]; ok {
			op = "replace"
		}
		path := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		if _, known := t.kind.Field(name); !known && inside[name] == nil {
			ops = append(ops, map[string]any{"op": "remove", "path": path})
			continue
		}
		ops = append(ops, map[string]any{"op": op, "path": path, "value": inside[name]})
	}
	return ops
}

// flat is a resource as the API shows it: with flat fields in their places, the id and the marker.
func (t *target) flat(id string, seen map[string]any) map[string]any {
	out := maps.Clone(seen)
	if out == nil {
		out = map[string]any{}
	}
	for _, f := range t.kind.Fields {
		if m, ok := out[f.API].(map[string]any); ok && f.Flat && f.In == "" {
			delete(out, f.API)
			maps.Copy(out, m)
		}
	}
	i, ok := t.mirror.Get(id)
	if m := t.kind.Marker; ok && i.Marker != "" {
		switch m.Channel {
		case d.MarkByExtra:
			out[m.Field] = sign(i.Marker, i.Cluster)
		case d.MarkByTag, d.MarkByTagLater, d.MarkByMetadata:
			out[m.Field] = with(t.kind, out[m.Field], sign(i.Marker, i.Cluster))
		}
	}
	return out
}

// act changes a field by its action.
func (t *target) act(ctx context.Context, id string, x body.Difference) error {
	a, ok := t.kind.Action(x.Field.Via)
	if !ok {
		return fmt.Errorf("%s has no action %s", t.kind.Name, x.Field.Via)
	}
	added, removed := body.Changes(x.Field, x.Desired, x.Actual)
	value := x.Desired
	if x.Field.API == t.kind.Marker.Field {
		value = t.withMarker(value)
		if t.kind.Marker.Channel == d.MarkByMetadata {
			added = t.withMarker(added)
		}
	}
	values := maps.Clone(t.wanted)
	values["id"], values["value"] = id, body.Value(x.Field, value)
	if a.Remove != nil && len(removed) > 0 {
		if err := t.takeAway(ctx, *a.Remove, values, removed); err != nil {
			return err
		}
	}
	if a.Remove != nil && added == nil {
		return nil
	}
	if added != nil {
		values["added"] = added
	}
	r := a.Request
	if a.Bodies != nil {
		r.Body = a.Bodies[fmt.Sprint(x.Desired)]
	}
	return t.send(ctx, r, values, x.Field.Since)
}

// imagine shows the mirror what an action has done, until a list tells.
func (t *target) imagine(id string, x body.Difference) error {
	at := time.Now()
	seen, _, err := t.see(id)
	if err != nil {
		return err
	}
	if x.Field.API == t.kind.Marker.Field {
		x.Desired = t.withMarker(x.Desired)
	}
	shown := t.imagined(t.flat(id, seen), map[string]any{x.Field.API: x.Desired})
	return t.put(shown, at)
}

// takeAway removes entries: one after the other where the path names one, and else all at once.
func (t *target) takeAway(ctx context.Context, r d.Request, values map[string]any, removed []any) error {
	values = maps.Clone(values)
	if !strings.Contains(r.Path, "{removed}") {
		values["removed"] = removed
		return t.send(ctx, r, values)
	}
	for _, entry := range removed {
		values["removed"] = entry
		if err := t.send(ctx, r, values); ignoreAbsent(err) != nil {
			return err
		}
	}
	return nil
}

// send fills the placeholders of a request and sends it.
func (t *target) send(ctx context.Context, r d.Request, values map[string]any, needs ...string) error {
	version, err := t.lister.version(ctx)
	if err != nil {
		return err
	}
	path, missing := body.Path(r.Path, values)
	if missing != "" {
		return fmt.Errorf("the request %s lacks %s", r.Path, missing)
	}
	ask := asked{method: r.Method, path: path, needs: append(needs, r.Since, version)}
	if r.Body != "" {
		if ask.in, err = body.Template(r.Body, values); err != nil {
			return err
		}
	}
	_, err = t.request(ctx, ask)
	return err
}

// answer sends the action that a state waits for.
func (t *target) answer(ctx context.Context, id, action string) error {
	a, ok := t.kind.Action(action)
	if !ok {
		return fmt.Errorf("%s has no action %s", t.kind.Name, action)
	}
	return t.send(ctx, a.Request, map[string]any{"id": id})
}

// remove deletes the resource; one that is gone is success.
func (t *target) remove(ctx context.Context, id string) error {
	k := t.kind
	if k.Delete.Method == d.None {
		return nil
	}
	at := time.Now()
	if err := ignoreAbsent(t.delete(ctx, id)); err != nil {
		return err
	}
	if k.State.Path == "" && k.State.Settles.Path == "" || k.Shape == d.Relation {
		t.drop(id, at)
	}
	return nil
}

func (t *target) delete(ctx context.Context, id string) error {
	if t.kind.Delete.Path != "" {
		values := maps.Clone(t.wanted)
		values["id"] = id
		return t.send(ctx, t.kind.Delete, values)
	}
	path, err := t.path(id)
	if err != nil {
		return err
	}
	if err := t.loosen(ctx, path); err != nil {
		return err
	}
	if t.kind.DeleteQuery != "" {
		path += "?" + t.kind.DeleteQuery
	}
	_, err = t.request(ctx, asked{method: http.MethodDelete, path: path, needs: []string{t.kind.Delete.Since}})
	return err
}

// loosen changes what the API wants to be changed before a deletion.
func (t *target) loosen(ctx context.Context, path string) error {
	if len(t.kind.BeforeDelete) == 0 {
		return nil
	}
	_, err := t.request(ctx, asked{method: t.kind.Update.Method, path: path, in: t.wrap(t.kind.BeforeDelete)})
	return ignoreAbsent(err)
}
