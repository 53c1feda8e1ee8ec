package body

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// placeholder matches {name} and {name: null}.
var placeholder = regexp.MustCompile(`\{([a-zA-Z_][\w:.-]*)(: null)?\}`)

// mark begins a string that stands for a value, and nulls one for an object whose keys are the entries of a list.
const (
	mark  = "\x00value "
	nulls = "\x00nulls "
)

// Template reads JSON with placeholders. An entry of an object whose value is missing is left out.
func Template(text string, values map[string]any) (any, error) {
	doc, err := Holes(text)
	if err != nil {
		return nil, err
	}
	out, _ := filled(doc, values)
	return out, nil
}

// Holes reads JSON with placeholders as strings by which Hole knows them.
func Holes(text string) (any, error) {
	quoted := placeholder.ReplaceAllStringFunc(text, func(p string) string {
		m := placeholder.FindStringSubmatch(p)
		kind := mark
		if m[2] != "" {
			kind = nulls
		}
		raw, err := json.Marshal(kind + m[1])
		if err != nil {
			return p
		}
		return string(raw)
	})
	var doc any
	if err := json.Unmarshal([]byte(quoted), &doc); err != nil {
		return nil, fmt.Errorf("the body %s is no JSON: %w", text, err)
	}
	return doc, nil
}

// Hole tells whether a value that Holes has returned stands for another: its name, and whether that is a list of which
// an object with null for each entry is made.
func Hole(v any) (name string, keys, ok bool) {
	s, _ := v.(string)
	if name, ok := strings.CutPrefix(s, mark); ok {
		return name, false, true
	}
	name, ok = strings.CutPrefix(s, nulls)
	return name, ok, ok
}

func filled(v any, values map[string]any) (any, bool) {
	if name, keys, ok := Hole(v); ok {
		found, there := values[name]
		if !keys || !there {
			return found, there
		}
		out := map[string]any{}
		list, _ := found.([]any)
		for _, key := range list {
			out[text(key)] = nil
		}
		return out, true
	}
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, inner := range x {
			if w, ok := filled(inner, values); ok {
				out[key] = w
			}
		}
		return out, true
	case []any:
		out := make([]any, 0, len(x))
		for _, inner := range x {
			if w, ok := filled(inner, values); ok {
				out = append(out, w)
			}
		}
		return out, true
	}
	return v, true
}

// Path puts values into the holes of a path. missing is the API name of the first that has none.
func Path(path string, values map[string]any) (whole, missing string) {
	whole = placeholder.ReplaceAllStringFunc(path, func(h string) string {
		name := h[1 : len(h)-1]
		v := text(values[name])
		if v == "" && missing == "" {
			missing = name
		}
		return url.PathEscape(v)
	})
	return whole, missing
}
