package sample

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// Value is the n-th value that a field takes, counted from 0; false when it has no such value.
func Value(f d.Field, n int) (any, bool) {
	switch {
	case f.IsRef() && f.Type == d.Strings:
		return []any{reference(n)}, true
	case f.IsRef():
		return reference(n), true
	}
	switch f.Type {
	case d.Int:
		return number(f, n)
	case d.Bool:
		return n == 1, n < 2
	case d.Strings:
		v, ok := word(f, n)
		return []any{v}, ok
	case d.Map, d.JSON:
		return map[string]any{"key": fmt.Sprintf("value-%d", n)}, true
	case d.Object:
		return object(f, n)
	case d.Objects:
		v, ok := object(f, n)
		return []any{v}, ok
	case d.Secret:
		return map[string]any{"name": fmt.Sprintf("secret-%d", n), "key": "value"}, true
	default:
		return word(f, n)
	}
}

func reference(n int) map[string]any {
	return map[string]any{"name": fmt.Sprintf("other-%d", n)}
}

func number(f d.Field, n int) (any, bool) {
	v := int64(1 + n)
	if f.HasMin || f.Min != 0 {
		v = f.Min + int64(n)
	}
	return v, f.Max == 0 || v <= f.Max
}

// object is an object of which each field has its n-th value, or its last one.
func object(f d.Field, n int) (any, bool) {
	out, differs := map[string]any{}, n == 0
	for _, inner := range f.Fields {
		if inner.Const != nil {
			continue
		}
		v, ok := Value(inner, n)
		if !ok {
			v, ok = Value(inner, 0)
		} else {
			differs = true
		}
		if ok {
			out[inner.Spec()] = v
		}
	}
	return out, differs
}

// word is a string within the bounds of a field.
func word(f d.Field, n int) (any, bool) {
	if len(f.Enum) > 0 {
		if n < len(f.Enum) {
			return f.Enum[n], true
		}
		return nil, false
	}
	text, ok := plain(f.Normal, n), true
	if f.Pattern != "" {
		text, ok = matching(f.Pattern, n, int(f.Min))
	}
	text += strings.Repeat("x", max(0, int(f.Min)-len(text)))
	return text, ok && int64(len(text)) <= cmp.Or(f.Max, int64(len(text)))
}

// plain is a string of the sort that a rule of comparison is for.
func plain(n d.Normal, i int) string {
	switch n {
	case d.CIDR:
		return fmt.Sprintf("10.%d.0.0/24", i)
	case d.MAC:
		return fmt.Sprintf("fa:16:3e:00:00:%02x", i)
	case d.DNS:
		return fmt.Sprintf("shop-%d.example.org.", i)
	case d.Time:
		return fmt.Sprintf("20%02d-01-01T00:00:00Z", 30+i)
	default:
		return fmt.Sprintf("text-%d", i)
	}
}

// Full is a spec.resource with every field of a kind that can be declared at once: what the sample has, and else the
// first value. Of fields that exclude each other it has the sample's, or the first.
func Full(k *d.Kind) (map[string]any, error) {
	declared, err := Declared(k)
	if err != nil {
		return nil, err
	}
	for _, f := range k.Fields {
		if f.Const != nil || declared[f.Spec()] != nil || excluded(k, f, declared) {
			continue
		}
		v, ok := Value(f, 0)
		if !ok {
			return nil, fmt.Errorf("field %s of %s: no value within its bounds is known", f.API, k.Name)
		}
		declared[f.Spec()] = v
	}
	return declared, nil
}

// excluded tells that another field of a group is declared already.
func excluded(k *d.Kind, f d.Field, declared map[string]any) bool {
	for _, names := range slices.Concat(k.OneOf, k.AtMostOne) {
		if !slices.Contains(names, f.API) {
			continue
		}
		for _, api := range names {
			if other, _ := k.Field(api); declared[other.Spec()] != nil {
				return true
			}
		}
	}
	return false
}
