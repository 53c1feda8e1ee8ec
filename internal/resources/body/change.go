package body

import (
	"slices"
	"strings"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// Changes are the entries of a list or map that have to be added to what is there, and those that have to be removed;
// of a single value, the new one and the old one.
func Changes(f d.Field, want, seen any) (added any, removed []any) {
	switch f.Type {
	case d.Map:
		return changesOfMap(f, want, seen)
	case d.Strings, d.Objects:
		return changesOfList(f, list(want), list(seen))
	}
	if !empty(seen) {
		removed = []any{seen}
	}
	if empty(want) {
		return nil, removed
	}
	return want, removed
}

func changesOfMap(f d.Field, want, seen any) (added any, removed []any) {
	w, _ := want.(map[string]any)
	s, _ := seen.(map[string]any)
	more := map[string]any{}
	for key, v := range w {
		if have, ok := s[key]; !ok || text(have) != text(v) {
			more[key] = v
		}
	}
	for key := range s {
		if _, ok := w[key]; !ok && f.Normal != d.Subset {
			removed = append(removed, key)
		}
	}
	slices.SortFunc(removed, func(a, b any) int { return strings.Compare(text(a), text(b)) })
	if len(more) == 0 {
		return nil, removed
	}
	return more, removed
}

func changesOfList(f d.Field, want, seen []any) (added any, removed []any) {
	more := []any{}
	left := slices.Clone(seen)
	for _, w := range want {
		at := slices.IndexFunc(left, func(s any) bool { return sameEntry(f, w, s) })
		if at < 0 {
			more = append(more, sent(f, w))
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
	for _, s := range left {
		removed = append(removed, known(f, s))
	}
	if len(more) == 0 {
		return nil, removed
	}
	return more, removed
}

// known is an observed entry with the fields alone that can be declared.
func known(f d.Field, seen any) any {
	m, ok := seen.(map[string]any)
	if !ok || len(f.Fields) == 0 {
		return seen
	}
	out := map[string]any{}
	for _, inner := range f.Fields {
		if v := Actual(inner, m); v != nil {
			out[inner.API] = v
		}
	}
	return out
}
