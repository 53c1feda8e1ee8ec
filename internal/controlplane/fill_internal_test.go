package controlplane

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// filler gives to each field a value that no other one has, so that two that are mistaken for each other are seen.
type filler struct{ n int64 }

func (f *filler) next() int64 { f.n++; return f.n }

func (f *filler) name() string { return "x" + strconv.FormatInt(f.next(), 10) }

// fill sets all that a value consists of. Lists and maps get one item.
func (f *filler) fill(v reflect.Value) {
	if f.whole(v) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Struct:
		for _, part := range v.Fields() {
			f.fill(part)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key)
		f.fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	default:
		f.single(v)
	}
}

// whole sets what is one value to JSON, whatever it has inside.
func (f *filler) whole(v reflect.Value) bool {
	switch at := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*at = resource.MustParse(strconv.FormatInt(f.next(), 10) + "Gi")
	case *servicev1.Value:
		at.Raw = []byte(strconv.Quote(f.name()))
	default:
		return false
	}
	return true
}

// single sets a value that has no parts. One of a kind that it does not know would be a panic.
func (f *filler) single(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.name())
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.SetInt(f.next())
	}
}

// leaves are the single values of an object as JSON has it, by their paths.
func leaves(t *testing.T, object any) map[string]any {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	return below("", tree)
}

func below(path string, tree any) map[string]any {
	out := map[string]any{}
	switch x := tree.(type) {
	case map[string]any:
		for k, v := range x {
			maps.Copy(out, below(strings.TrimPrefix(path+"."+k, "."), v))
		}
	case []any:
		for i, v := range x {
			maps.Copy(out, below(fmt.Sprintf("%s[%d]", path, i), v))
		}
	default:
		out[path] = x
	}
	return out
}

// What is filled has nothing that JSON leaves out, and no value twice.
func TestFill(t *testing.T) {
	type Item struct {
		Name string `json:"name,omitempty"`
		On   *bool  `json:"on,omitempty"`
	}
	var v struct {
		Item   `json:",inline"`
		Items  []Item            `json:"items,omitempty"`
		Labels map[string]int32  `json:"labels,omitempty"`
		Size   resource.Quantity `json:"size,omitzero"`
		Value  servicev1.Value   `json:"value"`
	}
	(&filler{}).fill(reflect.ValueOf(&v).Elem())
	want := map[string]any{"name": "x1", "on": true, "items[0].name": "x2", "items[0].on": true, "labels.x3": 4.0,
		"size": "5Gi", "value": "x6"}
	if got := leaves(t, v); !maps.Equal(got, want) {
		t.Errorf("it is %v, want %v", got, want)
	}
}
