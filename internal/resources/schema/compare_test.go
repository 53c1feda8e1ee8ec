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

const boxes = `{"boxes": {"create": {"walls": {"type": "array", "fields": {
  "height": {"type": "integer", "min": 1, "required": true}, "paint": {"type": "object", "fields": {
   "colour": {"type": "string", "max": 16, "enum": ["blue", "red"]}}},
  "door": {"type": "boolean"}}}}, "read": {"walls": {}}}}`

// What is in objects, and in those in them, is compared, too.
func TestCompareInside(t *testing.T) {
	height := d.Field{API: "height", Type: d.Int, Min: 1, Required: true}
	colour := d.Field{API: "colour", Max: 16, Enum: []string{"red", "blue"}}
	door := d.Field{API: "door", Type: d.Bool}
	paint := func(fields ...d.Field) d.Field { return d.Field{API: "paint", Type: d.Object, Fields: fields} }
	cases := map[string]struct {
		fields []d.Field
		want   []string
	}{
		"same": {[]d.Field{height, paint(colour), door}, nil},
		"any":  {nil, nil},
		"less": {[]d.Field{height}, []string{"walls: the API has more in it: door, paint"}},
		"deep": {[]d.Field{height, door, paint(d.Field{API: "shade"})}, []string{
			"walls.paint.shade: requests do not take it", "walls.paint: the API has more in it: colour"}},
		"limits": {[]d.Field{{API: "height", Type: d.Int}, door, paint(d.Field{API: "colour", Max: 20, Enum: colour.Enum})},
			[]string{"walls.height: at least 0, the API takes 1", "walls.height: not required, though the API requires it",
				"walls.paint.colour: at most 20, the API takes 16"}},
		"values": {[]d.Field{height, door, paint(d.Field{API: "colour", Max: 16, Enum: []string{"red"}})},
			[]string{"walls.paint.colour: values [red], the API has [blue red]"}},
		"types": {[]d.Field{height, {API: "door"}, paint(colour)},
			[]string{"walls.door: type string, the API has boolean"}},
		"to make it": {[]d.Field{height, door, paint(colour), {API: "sum", Output: true}, {API: "way", Local: true}}, nil},
	}
	schemas, err := schema.Load(fstest.MapFS{"toys.json": {Data: []byte(boxes)}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			k := d.Kind{Name: "Box", Service: "toys", Path: "/boxes", Items: "boxes", Fields: []d.Field{
				{API: "walls", Type: d.Objects, CreateOnly: true, Fields: c.fields}}}
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
