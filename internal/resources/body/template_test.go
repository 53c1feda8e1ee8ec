package body_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/internal/resources/body"
)

func TestTemplate(t *testing.T) {
	values := map[string]any{"value": 3.0, "removed": []any{"a", "b"}, "tenant_id": "x"}
	for text, want := range map[string]any{
		`{"os-extend": {"new_size": {value}}}`:      map[string]any{"os-extend": map[string]any{"new_size": 3.0}},
		`{"keys": {removed}}`:                       map[string]any{"keys": []any{"a", "b"}},
		`{"metadata": {removed: null}}`:             map[string]any{"metadata": map[string]any{"a": nil, "b": nil}},
		`{"a": {"tenant": {tenant_id}}, "b": {no}}`: map[string]any{"a": map[string]any{"tenant": "x"}},
		`{"os-start": null}`:                        map[string]any{"os-start": nil},
	} {
		got, err := body.Template(text, values)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, -want +got:\n%s", text, diff)
		}
	}
	if _, err := body.Template(`{"open`, nil); err == nil {
		t.Error("what is no JSON is taken")
	}
}

func TestPath(t *testing.T) {
	got, missing := body.Path("/types/{id}/extra_specs/{removed}", map[string]any{"id": "1", "removed": "a/b c"})
	if got != "/types/1/extra_specs/a%2Fb%20c" || missing != "" {
		t.Errorf("the path is %s, missing %q", got, missing)
	}
	if _, missing := body.Path("/zones/{zone_id}/recordsets", nil); missing != "zone_id" {
		t.Errorf("missing is %q", missing)
	}
}
