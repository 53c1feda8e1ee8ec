//go:build apiserver

package install

import (
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// input is what a person writes, and what is said to it.
type input struct {
	Case string `json:"case"`
	Kind string `json:"kind"`
	// Name is made of the case when it is empty.
	Name string         `json:"name"`
	Spec map[string]any `json:"spec"`
	// After is what the spec is changed to.
	After map[string]any `json:"after"`
	Says  string         `json:"says"`
}

func inputs(t *testing.T, file string) []input {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	var out []input
	must(t, yaml.UnmarshalStrict(text, &out))
	if len(out) == 0 {
		t.Fatalf("%s has no cases", file)
	}
	return out
}

func (in *input) object(ns string) *unstructured.Unstructured {
	name := in.Name
	if name == "" {
		name = strings.ReplaceAll(in.Case, " ", "-")
	}
	if in.Kind == "OpenStackRelease" {
		ns = ""
	}
	u := object(in.Kind, ns, name, "{}")
	u.Object["spec"] = in.Spec
	return u
}

// What is wrong in itself is refused when it is written.
func TestServerRefusesBadInput(t *testing.T) {
	c, ns := installed(t)
	for _, in := range inputs(t, "testdata/input.yaml") {
		if err := c.Create(t.Context(), in.object(ns)); err == nil || !strings.Contains(err.Error(), in.Says) {
			t.Errorf("%s: the answer is %v\nwant %s", in.Case, err, in.Says)
		}
	}
}

// What cannot become of what is there is refused, too.
func TestServerRefusesBadChanges(t *testing.T) {
	c, ns := installed(t)
	for _, in := range inputs(t, "testdata/change.yaml") {
		u := in.object(ns)
		must(t, c.Create(t.Context(), u))
		u.Object["spec"] = in.After
		if err := c.Update(t.Context(), u); err == nil || !strings.Contains(err.Error(), in.Says) {
			t.Errorf("%s: the answer is %v\nwant %s", in.Case, err, in.Says)
		}
	}
}
