package conformance

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest/apiserver"
)

func widgets(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	raw, err := os.ReadFile("../apiserver/testdata/widgets.yaml")
	if err != nil {
		t.Fatalf("reading the definition: %v", err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(raw, crd); err != nil {
		t.Fatalf("reading the definition: %v", err)
	}
	return crd
}

// all are the conversations: the cases, and one for each kind.
func all() map[string]func(*talk) {
	out := maps.Clone(cases)
	for ref, k := range kinds {
		out["kind-"+ref[:len(ref)-2]] = func(c *talk) { k.converse(c, ref) }
	}
	return out
}

// converse asks what decides about drift: does a repeated apply write, and does our ownership entry tell of edits?
func (k owned) converse(c *talk, ref string) {
	patch := c.merge
	if k.strategic {
		patch = c.strategic
	}
	c.whole = true
	c.force("kit", ref, k.object)
	c.whole = false
	if k.restless {
		c.unheard(func() { c.force("kit", ref, k.object) })
	}
	c.force("kit", ref, k.object)
	c.force("kit", ref, k.object)
	patch(ref, k.edit)
	c.force("kit", ref, k.object)
	patch(ref, k.addition)
	c.force("kit", ref, k.object)
	c.force("other", ref, k.object)
	c.force("kit", ref, k.object)
}

// TestMemory holds the server in memory to what the real one said.
func TestMemory(t *testing.T) {
	s, err := apiserver.New(widgets(t))
	if err != nil {
		t.Fatalf("starting the server: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(all())) {
		t.Run(name, func(t *testing.T) {
			c := newTalk(t, s.Fresh().Config())
			all()[name](c)
			want, err := os.ReadFile("testdata/" + name + ".txt")
			if err != nil {
				t.Fatalf("reading what the real server said: %v", err)
			}
			if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(c.log.String(), "\n")); d != "" {
				t.Errorf("the server in memory says something else than the real one (-real +memory):\n%s", d)
			}
		})
	}
}
