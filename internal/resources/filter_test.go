package resources_test

import (
	"fmt"
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// What exists is taken over by a filter that has its key, and is not made again.
func TestImportByFilter(t *testing.T) {
	each(t, byFilter, func(w *world, p *kittest.Play) {
		if f, _ := w.kind.Field(w.kind.Key[0]); w.kind.Keyed() || f.Type == d.Secret {
			return // what is declared says which one it is, or only a Secret does
		}
		p.Settle()
		p.Ready()
		if n := len(made(w, p)); n != 0 {
			p.T.Errorf("%d were made besides the one that was there", n)
		}
		for _, r := range writes(p) {
			if r.Method == http.MethodPost && isList(w.kind, r.Path) {
				p.T.Errorf("%s %s was sent", r.Method, r.Path)
			}
		}
		if id, _, _ := unstructured.NestedString(p.Object(w.kind.Name+"/sample").Object, "status", "id"); id == "" {
			p.T.Error("the status has no id")
		}
	})
}

// byFilter lets the sample be imported by the fields of its key.
func byFilter(w *world) {
	w.foreign("")
	declared, _ := w.spec()["resource"].(map[string]any)
	fields, err := body.Render(w.kind, declared, "sample", w)
	if err != nil {
		w.t.Fatal(err)
	}
	filter := map[string]any{}
	for _, api := range w.kind.Key {
		f, _ := w.kind.Field(api)
		switch v := fields[api].(type) {
		case nil, []any, map[string]any:
		default:
			filter[f.Shown()] = fmt.Sprint(v)
		}
	}
	w.spec()["import"] = map[string]any{"filter": filter}
}
