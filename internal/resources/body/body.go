// Package body turns what people declare into what an API takes, and compares it with what the API shows.
package body

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// Resolver looks up what a declared field refers to.
type Resolver interface {
	// ID returns the id of what a field refers to, or its name when the field says so. ref is the declared reference.
	ID(f d.Field, ref map[string]any) (string, error)
	// Secret returns the value of a key of a Secret. ref has its name and key.
	Secret(f d.Field, ref map[string]any) (string, error)
	// Own returns the id of the user or project that the credentials stand for, by the kind User or Project.
	Own(kind string) string
}

// Map returns v, a struct of the API or a pointer to one, as a map; nil for a nil pointer.
func Map(v any) (map[string]any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding what is declared: %w", err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("decoding what is declared: %w", err)
	}
	return out, nil
}

// Render returns the declared fields by their API names, references and Secrets resolved. object is the name of the
// Kubernetes object.
func Render(k *d.Kind, declared map[string]any, object string, r Resolver) (map[string]any, error) {
	return render(k.Fields, declared, object, r)
}

func render(fields []d.Field, declared map[string]any, object string, r Resolver) (map[string]any, error) {
	out := map[string]any{}
	for _, f := range fields {
		v, ok := declared[f.Spec()]
		switch {
		case f.Const != nil:
			out[f.API] = f.Const
			continue
		case !ok && f.Named && object != "":
			out[f.API] = object
			continue
		case !ok && f.Own:
			out[f.API] = r.Own(f.Ref)
			continue
		case !ok:
			continue
		}
		if none(f, v) {
			out[f.API] = nil
			continue
		}
		f.Ref = RefKind(f, fields, declared)
		value, err := value(f, v, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Spec(), err)
		}
		out[f.API] = value
	}
	return out, nil
}

// none tells whether a field is declared to have no value.
func none(f d.Field, v any) bool {
	m, _ := v.(map[string]any)
	set, _ := m[d.NoneWord].(bool)
	return f.Nullable && set
}

// RefKind is the kind that a field refers to, which may depend on another field beside it; empty when that leaves only
// an id.
func RefKind(f d.Field, beside []d.Field, declared map[string]any) string {
	for _, b := range beside {
		if f.RefBy != "" && b.API == f.RefBy {
			word, _ := declared[b.Spec()].(string)
			return f.Refs[word]
		}
	}
	return f.Ref
}

func value(f d.Field, v any, r Resolver) (any, error) {
	switch {
	case f.Output:
		return v, nil
	case f.RefBy != "" && f.Ref == "":
		m, _ := v.(map[string]any)
		if id, _ := m["id"].(string); id != "" {
			return id, nil
		}
		return nil, fmt.Errorf("with this %s it can only be given by id", f.RefBy)
	case f.Ref != "" && f.Type == d.Strings:
		return each(v, func(m map[string]any) (any, error) { return r.ID(f, m) })
	case f.Ref != "":
		m, _ := v.(map[string]any)
		return r.ID(f, m)
	case f.Type == d.Secret:
		m, _ := v.(map[string]any)
		return r.Secret(f, m)
	case f.Type == d.Object:
		m, _ := v.(map[string]any)
		return render(f.Fields, m, "", r)
	case f.Type == d.Objects:
		return each(v, func(m map[string]any) (any, error) { return render(f.Fields, m, "", r) })
	default:
		return v, nil
	}
}

func each(v any, f func(map[string]any) (any, error)) (any, error) {
	list, _ := v.([]any)
	out := make([]any, 0, len(list))
	for _, e := range list {
		m, _ := e.(map[string]any)
		x, err := f(m)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// At returns the value at a path of names and indexes joined by dots, nil when there is none.
func At(v any, path string) any {
	for {
		switch x := v.(type) {
		case map[string]any:
			if found, ok := x[path]; ok {
				return found
			}
			head, rest, deeper := strings.Cut(path, ".")
			if !deeper {
				return nil
			}
			v, path = x[head], rest
		case []any:
			head, rest, deeper := strings.Cut(path, ".")
			i, err := strconv.Atoi(head)
			if err != nil || i < 0 || i >= len(x) {
				return nil
			}
			if !deeper {
				return x[i]
			}
			v, path = x[i], rest
		default:
			return nil
		}
	}
}

// Actual returns the value of a field in an observed resource that Seen returned.
func Actual(f d.Field, seen map[string]any) any {
	if f.In != "" {
		return At(seen, f.In)
	}
	return seen[f.API]
}

// Observed returns the declared kinds of fields as the API shows them, by their names in spec.resource, ids for
// references and without what is secret.
func Observed(k *d.Kind, seen map[string]any) map[string]any {
	out := map[string]any{}
	for _, f := range k.Fields {
		if f.WriteOnly || f.Output || f.Const != nil || f.Type == d.Secret {
			continue
		}
		if v := Actual(f, seen); v != nil {
			out[f.Shown()] = told(f, v)
		}
	}
	return out
}

// told is what people declare for a value that the API shows.
func told(f d.Field, v any) any {
	for word, shown := range f.Values {
		if shown != nil && text(shown) == text(v) {
			return word
		}
	}
	return v
}

// Place puts a value where Actual finds it.
func Place(seen map[string]any, f d.Field, v any) {
	path := f.In
	if path == "" {
		path = f.API
	}
	if path == d.Self {
		seen[path] = v
		return
	}
	names := strings.Split(path, ".")
	for i, name := range names[:len(names)-1] {
		if names[i+1] == "0" {
			seen[name] = []any{placed(names[i+2:], v)}
			return
		}
		below, ok := seen[name].(map[string]any)
		if !ok {
			below = map[string]any{}
			seen[name] = below
		}
		seen = below
	}
	seen[names[len(names)-1]] = v
}

// placed is the first entry of a list with a value in it.
func placed(names []string, v any) any {
	for _, name := range slices.Backward(names) {
		v = map[string]any{name: v}
	}
	return v
}
