package body

import (
	"encoding/json"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// Difference is a field in which a resource differs from what is declared.
type Difference struct {
	Field           d.Field
	Desired, Actual any
}

// Diff returns in which declared fields a resource differs, in the order of the descriptor. Fields that the API does
// not show are left out.
func Diff(k *d.Kind, wanted, seen map[string]any) []Difference {
	var out []Difference
	for _, f := range k.Fields {
		want, ok := wanted[f.API]
		if !ok || f.WriteOnly || f.Local || f.Output || f.Const != nil {
			continue
		}
		if _, shown := seen[f.API]; f.Sometimes && !shown {
			continue
		}
		actual := Actual(f, seen)
		if !Same(f, want, actual) {
			out = append(out, Difference{f, want, actual})
		}
	}
	return out
}

// Same tells whether a declared value and an observed one mean the same.
func Same(f d.Field, want, seen any) bool {
	want = translated(f, want)
	switch {
	case empty(want) && empty(seen):
		return true
	case want == nil: // of an object without entries only what is in it would count
		return false
	}
	switch f.Type {
	case d.Objects, d.Strings:
		return sameList(f, list(want), list(seen))
	case d.Object:
		return sameObject(f.Fields, want, seen)
	case d.Map:
		return sameMap(f, want, seen)
	case d.JSON:
		return sameJSON(f, want, seen)
	}
	return canonical(f, want) == canonical(f, seen)
}

// empty: APIs do not tell no value from an empty one.
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

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func sameList(f d.Field, want, seen []any) bool {
	if f.Normal != d.Subset && len(want) != len(seen) {
		return false
	}
	ordered := f.Normal == "" && f.Type == d.Strings
	left := slices.Clone(seen)
	for i, w := range want {
		if ordered {
			if !sameEntry(f, w, seen[i]) {
				return false
			}
			continue
		}
		at := slices.IndexFunc(left, func(s any) bool { return sameEntry(f, w, s) })
		if at < 0 {
			return false
		}
		left = slices.Delete(left, at, at+1)
	}
	return true
}

func sameEntry(f d.Field, want, seen any) bool {
	if f.Type == d.Objects {
		return sameObject(f.Fields, want, seen)
	}
	return canonical(f, want) == canonical(f, seen)
}

// translated is what the API takes and shows for a declared value.
func translated(f d.Field, want any) any {
	if v, ok := f.Values[text(want)]; ok {
		return v
	}
	return want
}

// sameObject compares the declared fields only: the API may show more.
func sameObject(fields []d.Field, want, seen any) bool {
	w, _ := want.(map[string]any)
	s, _ := seen.(map[string]any)
	for _, f := range fields {
		if v, ok := w[f.API]; ok && !f.WriteOnly && !f.Local && !Same(f, v, Actual(f, s)) {
			return false
		}
	}
	return true
}

func sameMap(f d.Field, want, seen any) bool {
	w, _ := want.(map[string]any)
	s, _ := seen.(map[string]any)
	if f.Normal != d.Subset && len(w) != len(s) {
		return false
	}
	for k, v := range w {
		if have, ok := s[k]; !ok || text(v) != text(have) {
			return false
		}
	}
	return true
}

func sameJSON(f d.Field, want, seen any) bool {
	w, isMap := want.(map[string]any)
	s, _ := seen.(map[string]any)
	if f.Normal != d.Subset || !isMap {
		return reflect.DeepEqual(want, seen)
	}
	for k, v := range w {
		if !reflect.DeepEqual(v, s[k]) {
			return false
		}
	}
	return true
}

// canonical is a spelling that is the same for values that mean the same.
func canonical(f d.Field, v any) string {
	s := text(v)
	if f.By != "" {
		return last(s) // services may show another address of the same resource
	}
	switch f.Normal {
	case d.CIDR, d.CIDRs:
		if p, err := netip.ParsePrefix(s); err == nil {
			return p.Masked().String()
		}
		if a, err := netip.ParseAddr(s); err == nil {
			return netip.PrefixFrom(a, a.BitLen()).String()
		}
	case d.JSONText:
		var doc any
		if json.Unmarshal([]byte(s), &doc) == nil {
			return text(doc)
		}
	case d.MAC:
		if m, err := net.ParseMAC(s); err == nil {
			return m.String()
		}
	case d.DNS:
		return strings.ToLower(strings.TrimSuffix(s, "."))
	case d.Fold:
		return strings.ToLower(s)
	case d.Time:
		return instant(s)
	}
	return s
}

// last is the id at the end of an address.
func last(s string) string { return s[strings.LastIndex(s, "/")+1:] }

// instant: OpenStack leaves the zone out and means UTC, with or without parts of a second.
func instant(s string) string {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC().Truncate(time.Second).Format(time.RFC3339)
		}
	}
	return s
}

// text is how a value is compared: numbers and truths are often shown as strings.
func text(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case bool:
		return strconv.FormatBool(x)
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(raw)
}
