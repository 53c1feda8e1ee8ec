package body

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// Merge adds extra, a raw part of the body, to rendered fields. It refuses the names that a field of the kind has,
// declared or not: of two values for one name the API would get either.
func Merge(k *d.Kind, rendered, extra map[string]any) error {
	var taken []string
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if by := holder(k, rendered, name); by != "" {
			taken = append(taken, name+", which is "+by)
		}
	}
	if len(taken) > 0 {
		return fmt.Errorf("spec.extra has %s; remove that from spec.extra", strings.Join(taken, ", and "))
	}
	maps.Copy(rendered, extra)
	return nil
}

// Clashes refuses entries of a map that stand beside the other fields in the body, such as the properties of an image,
// under a name that another field has: of two values the API would get either.
func Clashes(k *d.Kind, rendered map[string]any) error {
	for _, f := range k.Fields {
		entries, ok := rendered[f.API].(map[string]any)
		if !ok || !f.Flat || f.Type != d.Map {
			continue
		}
		rest := maps.Clone(rendered)
		delete(rest, f.API)
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			if by := holder(k, rest, name); by != "" {
				return fmt.Errorf("spec.resource.%s has %s, which is %s; declare it there", f.Spec(), name, by)
			}
		}
	}
	return nil
}

// holder is what an API name stands for already, empty when it is free.
func holder(k *d.Kind, rendered map[string]any, name string) string {
	for _, f := range k.Fields {
		switch {
		case f.API == name && f.Const == nil:
			return "spec.resource." + f.Spec()
		case f.Flat && f.Type == d.Map:
			inside, _ := rendered[f.API].(map[string]any)
			if _, ok := inside[name]; ok {
				return "spec.resource." + f.Spec() + "." + name
			}
		case f.Flat:
			i := slices.IndexFunc(f.Fields, func(inner d.Field) bool { return inner.API == name })
			if i >= 0 {
				return "spec.resource." + f.Spec() + "." + f.Fields[i].Spec()
			}
		}
	}
	if _, known := k.Field(name); known || name == k.IDField() || name == k.Marker.Field {
		return "set by the operator"
	}
	return ""
}

// DiffExtra returns in which names of spec.extra a resource differs. What the API does not show is left out.
func DiffExtra(names []string, wanted, seen map[string]any) []Difference {
	var out []Difference
	for _, name := range names {
		if actual, shown := seen[name]; shown && !within(wanted[name], actual) {
			f := d.Field{API: name, As: "extra." + name, Type: d.JSON}
			out = append(out, Difference{f, wanted[name], actual})
		}
	}
	return out
}

// within tells whether an observed value has all that is wanted: APIs add to objects what they were not given.
func within(want, seen any) bool {
	if empty(want) && empty(seen) {
		return true
	}
	switch w := want.(type) {
	case map[string]any:
		s, _ := seen.(map[string]any)
		for name, v := range w {
			if !within(v, s[name]) {
				return false
			}
		}
		return true
	case []any:
		return slices.EqualFunc(w, list(seen), within)
	}
	return text(want) == text(seen)
}
