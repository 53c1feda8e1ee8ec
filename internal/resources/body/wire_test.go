package body_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

var thing = &d.Kind{
	Name: "Thing", Marker: d.Marker{Channel: d.MarkByTag, Field: "tags"}, State: d.State{Path: "status"},
	Fields: []d.Field{
		{API: "name"}, {API: "secret", WriteOnly: true, Normal: d.Base64}, {API: "local", Local: true},
		{API: "gateway", Values: map[string]any{"none": nil}},
		{API: "range", Type: d.Object, Flat: true, Fields: []d.Field{{API: "min", Type: d.Int}, {API: "max", Type: d.Int}}},
		{API: "hints", Type: d.Map, Beside: true}, {API: "lb_id", In: "lbs.0.id", Ref: "LB"},
		{API: "properties", Type: d.Map, Flat: true, Normal: d.Subset},
	},
}

func TestSent(t *testing.T) {
	inside, beside := body.Sent(thing, map[string]any{
		"name": "a", "secret": "word", "local": "x", "gateway": "none", "range": map[string]any{"min": 1.0},
		"hints": map[string]any{"near": "b"}, "lb_id": "7", "properties": map[string]any{"os": "debian"}, "extra": true,
	})
	want := map[string]any{"name": "a", "secret": "d29yZA==", "gateway": nil, "min": 1.0, "lb_id": "7", "os": "debian",
		"extra": true}
	if diff := cmp.Diff(want, inside); diff != "" {
		t.Errorf("in the envelope, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"hints": map[string]any{"near": "b"}}, beside); diff != "" {
		t.Errorf("beside it, -want +got:\n%s", diff)
	}
}

func TestSeen(t *testing.T) {
	seen := body.Seen(thing, map[string]any{
		"id": "1", "name": "a", "min": 1.0, "max": nil, "os": "debian", "status": "ACTIVE", "size": 5.0, "self": "/v2/1",
		"lbs": []any{map[string]any{"id": "7"}}, "updated_at": "now",
	})
	for path, want := range map[string]any{
		"range":      map[string]any{"min": 1.0, "max": nil},
		"properties": map[string]any{"os": "debian"},
		"lbs.0.id":   "7", "lbs.1.id": nil, "status": "ACTIVE", "id": "1",
	} {
		if diff := cmp.Diff(want, body.At(seen, path)); diff != "" {
			t.Errorf("%s, -want +got:\n%s", path, diff)
		}
	}
	if _, ok := seen["size"]; ok {
		t.Error("what no field shows is kept")
	}
}

func TestChanges(t *testing.T) {
	for name, c := range map[string]struct {
		field      d.Field
		want, seen any
		added      any
		removed    []any
	}{
		"map": {d.Field{Type: d.Map}, map[string]any{"a": "1", "b": "2"}, map[string]any{"b": "3", "c": "4"},
			map[string]any{"a": "1", "b": "2"}, []any{"c"}},
		"subset": {d.Field{Type: d.Map, Normal: d.Subset}, map[string]any{"a": "1"}, map[string]any{"a": "1", "c": "4"},
			nil, nil},
		"list": {d.Field{Type: d.Strings, Normal: d.CIDRs}, []any{"10.0.0.1", "::1/128"}, []any{"10.0.0.1/32", "10.0.0.2/32"},
			[]any{"::1/128"}, []any{"10.0.0.2/32"}},
		"value": {d.Field{}, "new", "old", "new", []any{"old"}},
		"none":  {d.Field{}, nil, "old", nil, []any{"old"}},
	} {
		t.Run(name, func(t *testing.T) {
			added, removed := body.Changes(c.field, c.want, c.seen)
			if diff := cmp.Diff([]any{c.added, c.removed}, []any{added, removed}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// What an API shows to some, or in some states, is compared when it is shown.
func TestDiffOfWhatIsShownSometimes(t *testing.T) {
	k := &d.Kind{Fields: []d.Field{{API: "provider:id", Type: d.Int, Sometimes: true}, {API: "id", Type: d.Int}}}
	wanted := map[string]any{"provider:id": 100.0, "id": 100.0}
	for name, c := range map[string]struct {
		seen map[string]any
		want []string
	}{
		"not shown": {map[string]any{}, []string{"id"}},
		"null":      {map[string]any{"provider:id": nil, "id": 100.0}, []string{"provider:id"}},
		"another":   {map[string]any{"provider:id": 101.0, "id": 100.0}, []string{"provider:id"}},
		"the same":  {map[string]any{"provider:id": 100.0, "id": 100.0}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, difference := range body.Diff(k, wanted, c.seen) {
				got = append(got, difference.Field.API)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// None is null, which is not the same as a field that nobody declares.
func TestNone(t *testing.T) {
	k := &d.Kind{Fields: []d.Field{
		{API: "port_id", Ref: "Port", Nullable: true}, {API: "network_id", Ref: "Network"},
		{API: "gateway", Type: d.Object, Nullable: true, Fields: []d.Field{{API: "mtu", Type: d.Int}}},
	}}
	none := map[string]any{"none": true}
	wanted, err := body.Render(k, map[string]any{"portRef": none, "gateway": none}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"port_id": nil, "gateway": nil}
	if diff := cmp.Diff(want, wanted); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	if sent, _ := body.Sent(k, wanted); cmp.Diff(want, sent) != "" {
		t.Errorf("what is sent is %v", sent)
	}
	for name, c := range map[string]struct {
		seen map[string]any
		want int
	}{
		"nothing":       {map[string]any{}, 0},
		"null":          {map[string]any{"port_id": nil, "gateway": nil, "network_id": "n"}, 0},
		"empty":         {map[string]any{"port_id": "", "gateway": map[string]any{}}, 0},
		"a port":        {map[string]any{"port_id": "p"}, 1},
		"a gateway":     {map[string]any{"gateway": map[string]any{"mtu": 1500.0}}, 1},
		"other entries": {map[string]any{"gateway": map[string]any{"id": "g"}}, 1},
	} {
		if got := body.Diff(k, wanted, c.seen); len(got) != c.want {
			t.Errorf("%s: it differs in %v", name, got)
		}
	}
}
