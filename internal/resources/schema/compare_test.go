package schema_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/schema"
)

const things = `{"things": {
 "create": {"name": {"type": "string", "max": 64, "required": true}, "size": {"type": "integer", "min": 1},
  "mode": {"type": "string", "enum": ["a", "b"]}, "colour": {}},
 "update": {"name": {"type": "string"}, "mode": {"type": "string"}},
 "read": {"name": {}, "mode": {}, "sizes": {}}
}}`

func TestCompare(t *testing.T) {
	name := d.Field{API: "name", Named: true, Max: 64}
	mode := d.Field{API: "mode", Enum: []string{"b", "a"}}
	size := d.Field{API: "size", Type: d.Int, Min: 1, CreateOnly: true, In: "sizes.0"}
	cases := map[string]struct {
		fields []d.Field
		want   []string
	}{
		"same": {[]d.Field{name, mode, size}, []string{"the API has more: colour"}},
		"not known": {[]d.Field{name, mode, size, {API: "weight"}},
			[]string{"weight: requests to make it do not take it", "weight: requests to change it do not take it",
				"weight: answers do not show weight", "the API has more: colour"}},
		"not changeable": {[]d.Field{name, mode, size, {API: "colour", WriteOnly: true}},
			[]string{"colour: requests to change it do not take it"}},
		"create-only": {[]d.Field{{API: "name", Required: true, CreateOnly: true}, mode, size},
			[]string{"name: create-only, though requests to change it take it", "the API has more: colour"}},
		"limits": {[]d.Field{{API: "name", Max: 65}, {API: "mode", Enum: []string{"a"}},
			{API: "size", CreateOnly: true, WriteOnly: true, Min: 1}},
			[]string{"name: at most 65, the API takes 64", "name: not required, though the API requires it",
				"mode: values [a], the API has [a b]", "size: type string, the API has integer", "the API has more: colour"}},
		"flat": {[]d.Field{name, {API: "how", Type: d.Object, Flat: true, Fields: []d.Field{mode}}, size},
			[]string{"the API has more: colour"}},
		"later": {[]d.Field{name, mode, {API: "size", Type: d.Int, Min: 1, Later: true, Via: "resize", In: "sizes"}},
			[]string{"size: set later, though requests to make it take it", "the API has more: colour"}},
	}
	schemas, err := schema.Load(fstest.MapFS{"toys.json": {Data: []byte(things)}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			k := d.Kind{Name: "Thing", Service: "toys", Path: "/things", Items: "things", Fields: c.fields}
			if diff := cmp.Diff(c.want, schemas.Compare(&k)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCompareWithoutSchema(t *testing.T) {
	got := schema.Schemas{}.Compare(&d.Kind{Name: "Thing", Service: "toys", Items: "things"})
	if diff := cmp.Diff([]string{"the packages have no schema"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLoadNamesTheFileThatIsWrong(t *testing.T) {
	_, err := schema.Load(fstest.MapFS{"toys.json": {Data: []byte("{")}})
	if err == nil || err.Error() != "reading toys.json: unexpected end of JSON input" {
		t.Errorf("got %v", err)
	}
}
