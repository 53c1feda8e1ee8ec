package body_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/internal/resources/body"
)

// Of a name that a field has there would be two values, and the API would get either of them.
func TestMerge(t *testing.T) {
	for name, refusal := range map[string]string{
		"name":    "spec.extra has name, which is spec.resource.name; remove that from spec.extra",
		"local":   "local, which is spec.resource.local",
		"min":     "min, which is spec.resource.range.min",
		"lb_id":   "lb_id, which is spec.resource.lbRef",
		"hints":   "hints, which is spec.resource.hints",
		"os":      "os, which is spec.resource.properties.os",
		"id":      "id, which is set by the operator",
		"tags":    "tags, which is set by the operator",
		"arch":    "",
		"unknown": "",
	} {
		t.Run(name, func(t *testing.T) {
			wanted := map[string]any{"properties": map[string]any{"os": "debian"}}
			err := body.Merge(thing, wanted, map[string]any{name: 1.0})
			switch {
			case refusal == "" && (err != nil || wanted[name] != 1.0):
				t.Errorf("the error is %v, and %v is wanted", err, wanted)
			case refusal != "" && (err == nil || !strings.Contains(err.Error(), refusal)):
				t.Errorf("the error is %v, want %s", err, refusal)
			case refusal != "" && wanted[name] != nil:
				t.Errorf("what is refused is wanted: %v", wanted)
			}
		})
	}
}

// The same holds for entries of a map that stand beside the other fields.
func TestClashes(t *testing.T) {
	for name, want := range map[string]string{
		"name": "spec.resource.properties has name, which is spec.resource.name; declare it there",
		"min":  "min, which is spec.resource.range.min",
		"id":   "id, which is set by the operator",
		"tags": "tags, which is set by the operator",
		"os":   "",
	} {
		err := body.Clashes(thing, map[string]any{"properties": map[string]any{name: "x"}})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", name, err, want)
		}
	}
}

func TestDiffExtra(t *testing.T) {
	for name, c := range map[string]struct {
		want, seen any
		differs    bool
	}{
		"the same":        {1.0, 1.0, false},
		"another number":  {1.0, 2.0, true},
		"letters":         {1.0, "1", false},
		"nothing":         {nil, "", false},
		"no longer there": {"a", nil, true},
		"more inside":     {map[string]any{"a": 1.0}, map[string]any{"a": 1.0, "b": 2.0}, false},
		"less inside":     {map[string]any{"a": 1.0, "b": 2.0}, map[string]any{"a": 1.0}, true},
		"no object":       {map[string]any{"a": 1.0}, "a", true},
		"a list":          {[]any{"a", "b"}, []any{"a", "b"}, false},
		"a longer list":   {[]any{"a"}, []any{"a", "b"}, true},
		"another order":   {[]any{"a", "b"}, []any{"b", "a"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var want, got []string
			if c.differs {
				want = []string{"extra.x"}
			}
			wanted := map[string]any{"x": c.want, "hidden": 1.0}
			for _, x := range body.DiffExtra([]string{"hidden", "x"}, wanted, map[string]any{"x": c.seen}) {
				got = append(got, x.Field.Spec())
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
