package body_test

import (
	"testing"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// spelling has values that are the same as another one, and some that are not.
type spelling struct {
	field       d.Field
	want        any
	same, other []any
}

func spellings() map[string]spelling {
	strings := func(n d.Normal) d.Field { return d.Field{Type: d.Strings, Normal: n} }
	pairs := d.Field{Type: d.Objects, Normal: d.Set, Fields: []d.Field{{API: "ip"}, {API: "mac", Normal: d.MAC}}}
	pair := func(ip, mac string) any { return map[string]any{"ip": ip, "mac": mac} }
	return map[string]spelling{
		"as it is": {d.Field{}, "Web", []any{"Web"}, []any{"web", "Web.", " Web", nil}},
		"number":   {d.Field{Type: d.Int}, 5.0, []any{5.0, "5"}, []any{5.5, "50", nil}},
		"truth":    {d.Field{Type: d.Bool}, true, []any{true, "true"}, []any{false, "1", nil}},
		"mac": {d.Field{Normal: d.MAC}, "FA:16:3E:0A:00:01",
			[]any{"fa:16:3e:0a:00:01", "fa-16-3e-0a-00-01", "FA16.3E0A.0001"},
			[]any{"fa:16:3e:0a:00:02", "fa:16:3e:0a:00", nil}},
		"no mac": {d.Field{Normal: d.MAC}, "any", []any{"any"}, []any{"ANY"}},
		"dns": {d.Field{Normal: d.DNS}, "Shop.Example.org.",
			[]any{"shop.example.org", "shop.example.org.", "SHOP.EXAMPLE.ORG"},
			[]any{"shop.example.org..", "shop-example.org.", "web.shop.example.org.", nil}},
		"fold": {d.Field{Normal: d.Fold}, "TCP", []any{"tcp", "Tcp"}, []any{"udp", "tcp.", nil}},
		"time": {d.Field{Normal: d.Time}, "2030-01-01T00:00:00Z",
			[]any{"2030-01-01T00:00:00", "2030-01-01 00:00:00", "2030-01-01T00:00:00.000000Z", "2030-01-01T00:00:00.123456",
				"2030-01-01T01:00:00+01:00"},
			[]any{"2030-01-01T00:00:01Z", "2030-01-01T00:00:00+01:00", "2030-01-01", nil}},
		"json": {d.Field{Normal: d.JSONText}, `{"a": 1, "b": ["x", "y"]}`,
			[]any{`{"b":["x","y"],"a":1}`, `{"a":1.0,"b":["x","y"]}`},
			[]any{`{"a":1,"b":["y","x"]}`, `{"a":1}`, `{"a":"1","b":["x","y"]}`, `{"a":1,"b":["x","y"]`, nil}},
		"no json": {d.Field{Normal: d.JSONText}, "a b", []any{"a b"}, []any{"a  b"}},
		"cidr": {d.Field{Normal: d.CIDR}, "192.0.2.17/24", []any{"192.0.2.0/24"},
			[]any{"192.0.2.0/25", "192.0.3.0/24", nil}},
		"address": {d.Field{Normal: d.CIDR}, "2001:DB8:0:0::1", []any{"2001:db8::1/128", "2001:db8::1"},
			[]any{"2001:db8::/64"}},
		"cidrs": {strings(d.CIDRs), []any{"192.0.2.1", "2001:db8::/32"},
			[]any{[]any{"2001:DB8::/32", "192.0.2.1/32"}}, []any{[]any{"192.0.2.1/32"}, []any{"192.0.2.1", "192.0.2.1"}}},
		"set": {strings(d.Set), []any{"a", "b", "b"}, []any{[]any{"b", "a", "b"}},
			[]any{[]any{"a", "b"}, []any{"a", "a", "b"}, []any{"a", "b", "b", "c"}, []any{"A", "b", "b"}}},
		"list": {strings(""), []any{"a", "b"}, []any{[]any{"a", "b"}}, []any{[]any{"b", "a"}, []any{"a"}}},
		"subset": {strings(d.Subset), []any{"b", "a"}, []any{[]any{"a", "b"}, []any{"a", "c", "b"}},
			[]any{[]any{"a", "c"}, []any{"a"}}},
		"objects": {pairs, []any{pair("::1", "FA-16-3E-00-00-01"), pair("::2", "fa:16:3e:00:00:02")},
			[]any{[]any{pair("::2", "fa:16:3e:00:00:02"), pair("::1", "fa:16:3e:00:00:01")}},
			[]any{[]any{pair("::1", "fa:16:3e:00:00:02"), pair("::2", "fa:16:3e:00:00:01")}, []any{pair("::1", "")}}},
	}
}

// Services write down in one way what clients may spell in many. What is taken for another value is sent again and
// again; what is taken for the same is never put right.
func TestSpellings(t *testing.T) {
	for name, c := range spellings() {
		t.Run(name, func(t *testing.T) {
			for _, seen := range append(c.same, c.want) {
				if !body.Same(c.field, c.want, seen) {
					t.Errorf("%v is not the same as %v", seen, c.want)
				}
			}
			for _, seen := range c.other {
				if body.Same(c.field, c.want, seen) {
					t.Errorf("%v is the same as %v", seen, c.want)
				}
			}
		})
	}
}
