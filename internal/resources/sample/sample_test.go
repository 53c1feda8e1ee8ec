package sample

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

func TestValue(t *testing.T) {
	two := []d.Field{{API: "kind", Enum: []string{"only"}}, {API: "size", Type: d.Int}}
	for name, c := range map[string]struct {
		field    d.Field
		n        int
		want     any
		wantNone bool
	}{
		"reference":       {field: d.Field{Ref: "Project"}, n: 1, want: map[string]any{"name": "other-1"}},
		"references":      {field: d.Field{Ref: "Project", Type: d.Strings}, want: []any{map[string]any{"name": "other-0"}}},
		"number":          {field: d.Field{Type: d.Int}, n: 1, want: int64(2)},
		"least number":    {field: d.Field{Type: d.Int, HasMin: true, Min: -1}, want: int64(-1)},
		"no third number": {field: d.Field{Type: d.Int, Max: 2}, n: 2, wantNone: true},
		"bool":            {field: d.Field{Type: d.Bool}, n: 1, want: true},
		"no third bool":   {field: d.Field{Type: d.Bool}, n: 2, wantNone: true},
		"enum":            {field: d.Field{Enum: []string{"a", "b"}}, n: 1, want: "b"},
		"no second enum":  {field: d.Field{Enum: []string{"a"}}, n: 1, wantNone: true},
		"strings":         {field: d.Field{Type: d.Strings, Enum: []string{"a"}}, want: []any{"a"}},
		"least length":    {field: d.Field{Min: 8}, want: "text-0xx"},
		"too long":        {field: d.Field{Max: 3}, wantNone: true},
		"time":            {field: d.Field{Normal: d.Time}, n: 1, want: "2031-01-01T00:00:00Z"},
		"object": {field: d.Field{Type: d.Object, Fields: two}, n: 1,
			want: map[string]any{"kind": "only", "size": int64(2)}},
		"no second object": {field: d.Field{Type: d.Object, Fields: two[:1]}, n: 1, wantNone: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := Value(c.field, c.n)
			if ok == c.wantNone {
				t.Fatalf("value is %v, %t", got, ok)
			}
			if diff := cmp.Diff(c.want, got); ok && diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestMatching(t *testing.T) {
	for _, pattern := range []string{
		"^[a-zA-Z0-9+.-]+:.+", "^[0-9]{4,6}$", "^(a|b)[xy]{3,}$", "^x[0-9a-f]*$",
		"^([0-9]{1,3}\\.){3}[0-9]{1,3}(/[0-9]{1,2})?$", "^CUSTOM_[A-Z0-9_]+$",
	} {
		a, okA := matching(pattern, 0, 5)
		b, okB := matching(pattern, 1, 5)
		fits := regexp.MustCompile(pattern).MatchString
		if !okA || !okB || a == b || !fits(a) || !fits(b) {
			t.Errorf("%s: %q, %t and %q, %t", pattern, a, okA, b, okB)
		}
	}
	if got, ok := matching("^only$", 1, 0); ok {
		t.Errorf("a second string for ^only$ is %q", got)
	}
}

func TestNameIsWhatOthersReferTo(t *testing.T) {
	project := &d.Kind{Name: "Project"}
	refers := []d.Field{{API: "project_id", Ref: "Project"}}
	user := &d.Kind{Name: "User", Fields: []d.Field{{API: "roles", Type: d.Objects, Fields: refers}},
		Sample: "roles: [{projectRef: {id: x}}, {projectRef: {name: shop}}]"}
	all := []*d.Kind{project, user}
	if got := Name(project, all); got != "shop" {
		t.Errorf("the project is %s, want shop", got)
	}
	if got := Name(user, all); got != "example" {
		t.Errorf("the user is %s, want example", got)
	}
}

func TestFullLeavesOutWhatExcludesEachOther(t *testing.T) {
	k := &d.Kind{Name: "Thing", OneOf: [][]string{{"a", "b"}, {"c", "d"}}, Sample: "b: given",
		Fields: []d.Field{{API: "a"}, {API: "b"}, {API: "c"}, {API: "d"}, {API: "e", Const: 1}, {API: "f", Type: d.Bool}}}
	got, err := Full(k)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"b": "given", "c": "text-0", "f": false}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
