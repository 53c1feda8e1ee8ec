package intake

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// Bounds that the definitions set for what a descriptor sets none for.
const (
	maxString  = 1024
	maxStrings = 256
	maxObjects = 64
)

// pointer stands for a reference until it is known which resources get objects.
type pointer struct {
	kind string
	// by is the field of the other resource whose value this is; empty is the id.
	by, value string
}

// id of what is pointed at. By a URL it ends in it.
func (p pointer) id() string {
	if p.by == "" {
		return p.value
	}
	return p.value[strings.LastIndex(p.value, "/")+1:]
}

// read is spec.resource of a resource as the API shows it.
type read struct {
	resource map[string]any
	// unfit are fields whose values an object may not have, missing those that it needs and the API does not show.
	unfit, missing []string
}

// readResource turns what the API shows into what people declare. What is empty is left out, as are states: they are
// what became of a resource, and no wish.
func readResource(k *d.Kind, seen map[string]any) *read {
	r := &read{}
	var fields []d.Field
	for _, f := range k.Fields {
		if state := k.State.Path; state == "" || state != cmp.Or(f.In, f.API) {
			fields = append(fields, f)
		}
	}
	r.resource, r.missing = r.object(fields, seen, "")
	for _, group := range slices.Concat(k.OneOf, k.AtMostOne) {
		r.first(k, group)
	}
	for _, group := range k.OneOf {
		if !slices.ContainsFunc(group, func(api string) bool { return r.has(k, api) }) {
			r.missing = append(r.missing, "one of "+strings.Join(specs(k, group), ", "))
		}
	}
	return r
}

// first leaves one of the fields that exclude each other: APIs show what follows from it, too.
func (r *read) first(k *d.Kind, group []string) {
	found := false
	for _, api := range group {
		f, _ := k.Field(api)
		if found {
			delete(r.resource, f.Spec())
		}
		found = found || r.has(k, api)
	}
}

func (r *read) has(k *d.Kind, api string) bool {
	f, _ := k.Field(api)
	_, ok := r.resource[f.Spec()]
	return ok
}

func specs(k *d.Kind, group []string) []string {
	var out []string
	for _, api := range group {
		f, _ := k.Field(api)
		out = append(out, f.Spec())
	}
	return out
}

// object reads fields, and tells which of those that are needed are not there.
func (r *read) object(fields []d.Field, seen map[string]any, path string) (out map[string]any, missing []string) {
	out = map[string]any{}
	for _, f := range fields {
		if f.Const != nil || f.Local || f.Output {
			continue
		}
		v, why := any(nil), ""
		if !f.WriteOnly && f.Type != d.Secret {
			v, why = r.field(f, fields, seen, path+f.Spec())
		}
		switch {
		case why != "":
			r.unfit = append(r.unfit, path+f.Spec()+" "+why)
		case v != nil:
			out[f.Spec()] = v
		}
		if v == nil && f.Required {
			missing = append(missing, path+f.Spec())
		}
	}
	return out, missing
}

// field reads one field: nil is none, and why tells that an object may not have the value.
func (r *read) field(f d.Field, beside []d.Field, seen map[string]any, path string) (v any, why string) {
	shown := body.Actual(f, seen)
	if word, ok := wordFor(f, shown, seen); ok {
		return word, ""
	}
	if empty(shown) {
		return nil, ""
	}
	if f.IsRef() {
		return reference(f, kindOf(f, beside, seen), shown)
	}
	switch f.Type {
	case d.Object:
		m, _ := shown.(map[string]any)
		return r.entry(f, m, path)
	case d.Objects:
		return r.entries(f, list(shown), path)
	case d.Strings:
		return words(f, list(shown))
	case d.Map:
		m, _ := shown.(map[string]any)
		return texts(m)
	case d.JSON:
		return shown, ""
	case d.Int:
		return number(f, shown)
	case d.Bool:
		on, err := strconv.ParseBool(text(shown))
		if err != nil {
			return nil, "is neither true nor false"
		}
		return on, ""
	default:
		return word(f, text(shown))
	}
}

// wordFor is the word that is declared for what the API shows, where these differ. null counts when it is shown.
func wordFor(f d.Field, shown any, seen map[string]any) (string, bool) {
	for _, word := range slices.Sorted(maps.Keys(f.Values)) {
		value := f.Values[word]
		if value == nil {
			if _, there := seen[f.API]; there && shown == nil {
				return word, true
			}
			continue
		}
		if shown != nil && body.Same(d.Field{Type: d.JSON}, value, shown) {
			return word, true
		}
	}
	return "", false
}

func (r *read) entry(f d.Field, seen map[string]any, path string) (any, string) {
	out, missing := r.object(f.Fields, seen, path+".")
	switch {
	case len(missing) > 0:
		return nil, "lacks " + strings.Join(missing, ", ")
	case len(out) == 0:
		return nil, ""
	}
	return out, ""
}

func (r *read) entries(f d.Field, seen []any, path string) (any, string) {
	if len(seen) > maxObjects {
		return nil, fmt.Sprintf("has more than %d entries", maxObjects)
	}
	out := make([]any, 0, len(seen))
	for _, e := range seen {
		m, ok := e.(map[string]any)
		if !ok {
			m = map[string]any{d.Self: e}
		}
		v, why := r.entry(f, m, path)
		if why != "" {
			return nil, why
		}
		if v != nil {
			out = append(out, v)
		}
	}
	return out, ""
}

// kindOf is the kind that a field refers to, which may depend on a field beside it.
func kindOf(f d.Field, beside []d.Field, seen map[string]any) string {
	for _, b := range beside {
		if f.RefBy != "" && b.API == f.RefBy {
			return f.Refs[text(body.Actual(b, seen))]
		}
	}
	return f.Ref
}

func reference(f d.Field, kind string, shown any) (any, string) {
	if f.Type != d.Strings {
		p := pointer{kind, f.By, text(shown)}
		if len(p.value) > 255 {
			return nil, "has an id that is longer than 255 bytes"
		}
		return p, ""
	}
	all := list(shown)
	if len(all) > maxObjects {
		return nil, fmt.Sprintf("has more than %d entries", maxObjects)
	}
	out := make([]any, 0, len(all))
	for _, v := range all {
		out = append(out, pointer{kind, f.By, text(v)})
	}
	return out, ""
}

func words(f d.Field, shown []any) (any, string) {
	if len(shown) > maxStrings {
		return nil, fmt.Sprintf("has more than %d entries", maxStrings)
	}
	var out []any
	for _, e := range shown {
		v, why := word(f, text(e))
		if why != "" {
			return nil, why
		}
		if !slices.Contains(out, v) || f.Normal != d.Set {
			out = append(out, v)
		}
	}
	return out, ""
}

func texts(shown map[string]any) (any, string) {
	if len(shown) > maxStrings {
		return nil, fmt.Sprintf("has more than %d entries", maxStrings)
	}
	out := map[string]any{}
	for key, v := range shown {
		if utf8.RuneCountInString(text(v)) > maxString {
			return nil, fmt.Sprintf("has a value that is longer than %d characters", maxString)
		}
		out[key] = text(v)
	}
	return out, ""
}

func number(f d.Field, shown any) (any, string) {
	n, err := strconv.ParseInt(text(shown), 10, 64)
	switch {
	case err != nil:
		return nil, "is no whole number"
	case f.HasMin && n < f.Min, f.Max != 0 && n > f.Max:
		return nil, "is out of range"
	}
	return n, ""
}

// word checks a string by the rules of the definition.
func word(f d.Field, s string) (any, string) {
	switch limit := cmp.Or(f.Max, maxString); {
	case len(f.Enum) > 0 && !slices.Contains(f.Enum, s):
		return nil, "is none of " + strings.Join(f.Enum, ", ")
	case len(f.Enum) > 0:
		return s, ""
	case int64(utf8.RuneCountInString(s)) > limit:
		return nil, fmt.Sprintf("is longer than %d characters", limit)
	case int64(utf8.RuneCountInString(s)) < f.Min:
		return nil, fmt.Sprintf("is shorter than %d characters", f.Min)
	}
	if fits, err := regexp.MatchString(f.Pattern, s); err != nil || !fits {
		return nil, "does not match " + f.Pattern
	}
	return s, ""
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func empty(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case string:
		return x == ""
	case []any:
		return len(x) == 0
	case map[string]any:
		return len(x) == 0
	}
	return false
}

// text is a value as a word.
func text(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(raw)
}
