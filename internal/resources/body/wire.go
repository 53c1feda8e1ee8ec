package body

import (
	"encoding/base64"
	"maps"
	"slices"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// links are what APIs add to resources for programs that follow links, and what Glance shows of the data of an image:
// it refuses to be told these.
var links = []string{"links", "self", "schema", "file", "stores", "direct_url", "checksum", "os_hash_algo",
	"os_hash_value"}

// Seen puts what an API shows of a resource into the form in which it is compared: flat fields are put together, and
// what the descriptor does not know is left out. What keep names is kept too.
func Seen(k *d.Kind, shown map[string]any, keep ...string) map[string]any {
	out := map[string]any{}
	for _, name := range append(keep, k.IDField(), k.Marker.Field, "created_at") {
		if v, ok := shown[name]; ok {
			out[name] = v
		}
	}
	for _, path := range append(paths(k.Fields), k.State.Path, k.State.Fault, k.State.Untaken.Path,
		k.State.Unmade.Path, k.State.Leaving.Path, k.State.Halted.Shows.Path, k.State.Halted.Idle.Path) {
		head := root(path)
		if v, ok := shown[head]; ok {
			out[head] = v
		}
	}
	for _, f := range k.Fields {
		if f.Flat && f.In == "" {
			out[f.API] = together(k, f, shown)
		}
	}
	return out
}

// paths are where the values of fields are shown.
func paths(fields []d.Field) []string {
	var out []string
	for _, f := range fields {
		switch {
		case f.In != "":
			out = append(out, f.In)
		case !f.Flat:
			out = append(out, f.API)
		}
	}
	return out
}

func root(path string) string {
	if path == d.Self {
		return path
	}
	for i, c := range path {
		if c == '.' {
			return path[:i]
		}
	}
	return path
}

// together is the value of a flat field.
func together(k *d.Kind, f d.Field, shown map[string]any) map[string]any {
	out := map[string]any{}
	if f.Type == d.Object {
		for _, inner := range f.Fields {
			if v, ok := shown[inner.API]; ok {
				out[inner.API] = v
			}
		}
		return out
	}
	known := append(paths(k.Fields), k.IDField(), k.State.Path, k.Marker.Field, "created_at", "updated_at")
	for _, other := range k.Fields {
		if other.Flat {
			known = append(known, paths(other.Fields)...)
		}
	}
	for name, v := range shown {
		if text, ok := v.(string); ok && !slices.Contains(known, name) && !slices.Contains(links, name) {
			out[name] = text
		}
	}
	return out
}

// Sent puts fields into the form in which the API takes them: those in the envelope, and those beside it. Names that
// are no fields are sent as they are.
func Sent(k *d.Kind, fields map[string]any) (inside, beside map[string]any) {
	inside, beside = map[string]any{}, map[string]any{}
	for api, v := range fields {
		f, ok := k.Field(api)
		switch {
		case !ok:
			inside[api] = v
		case f.Local || f.Output:
		case f.Flat:
			m, _ := sent(f, v).(map[string]any)
			maps.Copy(inside, m)
		case f.Beside:
			beside[api] = sent(f, v)
		default:
			inside[api] = sent(f, v)
		}
	}
	return inside, beside
}

// Value is how the API takes the value of a field.
func Value(f d.Field, v any) any { return sent(f, v) }

func sent(f d.Field, v any) any {
	switch x := v.(type) {
	case map[string]any:
		if f.Type == d.Object || f.Type == d.Objects {
			return sentObject(f.Fields, x)
		}
	case []any:
		out := make([]any, 0, len(x))
		for _, e := range x {
			out = append(out, sent(f, e))
		}
		return out
	case string:
		if f.Normal == d.Base64 {
			return base64.StdEncoding.EncodeToString([]byte(x))
		}
	}
	return translated(f, v)
}

func sentObject(fields []d.Field, v map[string]any) map[string]any {
	out := map[string]any{}
	for _, f := range fields {
		if w, ok := v[f.API]; ok && !f.Local && !f.Output {
			out[f.API] = sent(f, w)
		}
	}
	return out
}
