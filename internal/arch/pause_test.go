package arch

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stackwright.dev/stackwright/internal/operator"
)

// The kit asks an object for a method; a field without one is taken by the API server and does nothing.
func TestPausedFieldsHoldTheOperator(t *testing.T) {
	found := 0
	for kind, crd := range kinds(t) {
		v := crd.Spec.Versions[0]
		if _, ok := v.Schema.OpenAPIV3Schema.Properties["spec"].Properties["paused"]; !ok {
			continue
		}
		found++
		o, ok := paused(t, schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: kind}).(interface {
			Paused() bool
		})
		if !ok || !o.Paused() {
			t.Errorf("%s takes spec.paused and works on; give it a method Paused that returns the field", kind)
		}
	}
	if found == 0 {
		t.Error("no kind has a field spec.paused")
	}
}

// paused returns an object of a kind whose spec.paused is true.
func paused(t *testing.T, gvk schema.GroupVersionKind) runtime.Object {
	t.Helper()
	o, err := operator.Scheme().New(gvk)
	if err != nil {
		t.Fatal(err)
	}
	u := map[string]any{"spec": map[string]any{"paused": true}}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u, o); err != nil {
		t.Fatal(err)
	}
	return o
}
