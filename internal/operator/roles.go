package operator

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// Roles returns the rules of each controller, as the files of the chart have them, computed from what its graph reads
// and makes.
func (e Entries) Roles() (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, entry := range e {
		c, err := entry.New(nil)
		if err != nil {
			return nil, err
		}
		text, err := yaml.Marshal(map[string]any{"rules": kit.Rules(plural, c...)})
		if err != nil {
			return nil, fmt.Errorf("encoding the rules of %s: %w", entry.Name, err)
		}
		out[entry.Name] = text
	}
	return out, nil
}

// plural is the resource of a kind: of OpenStack's as its descriptor says, of our others as controller-gen names them,
// which is as Kubernetes guesses them, but that a guess cannot know which word is a plural already.
func plural(gvk schema.GroupVersionKind) string {
	if gvk.Group == openstackv1.GroupVersion.Group {
		for _, k := range kinds.All() {
			if k.Name == gvk.Kind {
				return k.Plural
			}
		}
	}
	if strings.HasSuffix(gvk.Kind, "Chassis") {
		return strings.ToLower(gvk.Kind) // the same for one and for many
	}
	if strings.HasSuffix(gvk.Group, ".stackwright.dev") {
		return strings.ToLower(gvk.Kind) + map[bool]string{true: "es", false: "s"}[strings.HasSuffix(gvk.Kind, "s")]
	}
	r, _ := meta.UnsafeGuessKindToResource(gvk)
	return r.Resource
}
