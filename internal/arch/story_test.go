package arch

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const storyData = "test/e2e/testdata/"

// What stories declare, and change it to, the API server takes: a story takes minutes to find out.
func TestStoriesDeclareWhatIsValid(t *testing.T) {
	objects, n := map[string]map[string]any{}, 0
	for _, file := range files(t, ".yaml") {
		if !strings.HasPrefix(file, storyData) || strings.HasSuffix(file, "edits.yaml") {
			continue
		}
		for doc := range strings.SplitSeq(string(readFile(t, file)), "\n---\n") {
			object, err := decode(doc)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			meta, _ := object["metadata"].(map[string]any)
			name, _ := meta["name"].(string)
			kind, _ := object["kind"].(string)
			objects[filepath.Base(file)+"/"+kind+"/"+name] = object
			complain(t, file, object)
		}
	}
	for edits, of := range map[string][]string{
		"networkedits.yaml": {"network.yaml", "packets.yaml"}, "serveredits.yaml": {"server.yaml", "kinds.yaml"},
	} {
		declared := map[string][2]map[string]any{}
		if err := yaml.UnmarshalStrict(readFile(t, storyData+edits), &declared); err != nil {
			t.Fatal(err)
		}
		for name, two := range declared {
			for _, fields := range two {
				complain(t, edits, changed(objects, of, name, fields))
				n++
			}
		}
	}
	if len(objects) < 90 || n < 60 {
		t.Errorf("there are %d objects and %d edits", len(objects), n)
	}
}

// changed is an object of one of some files with other fields of its resource; without a kind when there is none.
func changed(objects map[string]map[string]any, in []string, name string, fields map[string]any) map[string]any {
	for _, file := range in {
		object := objects[file+"/"+name]
		spec, _ := object["spec"].(map[string]any)
		resource, ok := spec["resource"].(map[string]any)
		if !ok {
			continue
		}
		object, spec, resource = maps.Clone(object), maps.Clone(spec), maps.Clone(resource)
		maps.Copy(resource, fields)
		object["spec"], spec["resource"] = spec, resource
		return object
	}
	return map[string]any{"apiVersion": "openstack.stackwright.dev/v1alpha1", "kind": name}
}

func complain(t *testing.T, file string, object map[string]any) {
	t.Helper()
	text, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range validate(t, string(text), map[string]bool{}) {
		t.Errorf("%s: %v: %s", file, object["metadata"], complaint)
	}
}
