package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// borrowed fields have a type of Kubernetes, which its own reference describes. A control plane has them once for each
// service, and what is said inside of them would be most of its CRD.
var borrowed = fields{"resources", "tolerations", "topologySpread"}

// repeated fields are the same in every service of a control plane; the services' own kinds say what is inside of them.
var repeated = fields{"expose", "extraVolumes"}

// composite is the kind that has the services' fields.
const composite = "OpenStackControlPlane"

// shorten takes the descriptions out of borrowed types in all CRDs, and what no container of ours can use: claims of
// devices, which a pod would have to make.
func shorten(root string) error {
	for _, file := range glob(root, crds+"/*.yaml") {
		content, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("shortening a CRD: %w", err)
		}
		short, err := shortened(content)
		if err != nil {
			return fmt.Errorf("shortening %s: %w", filepath.Base(file), err)
		}
		if err := os.WriteFile(file, short, 0o600); err != nil {
			return fmt.Errorf("shortening a CRD: %w", err)
		}
	}
	return nil
}

func shortened(crd []byte) ([]byte, error) {
	var tree map[string]any
	if err := yaml.Unmarshal(crd, &tree); err != nil {
		return nil, err
	}
	spec := asMap(tree["spec"])
	bare := borrowed
	if asMap(spec["names"])["kind"] == composite {
		bare = slices.Concat(borrowed, repeated)
	}
	versions, _ := spec["versions"].([]any)
	for _, version := range versions {
		bare.strip(asMap(asMap(asMap(version)["schema"])["openAPIV3Schema"]), false)
	}
	out, err := yaml.Marshal(tree)
	return append([]byte("---\n"), out...), err
}

// fields are names of fields whose insides are said elsewhere.
type fields []string

// strip takes the descriptions out of what is below a schema and inside of one of the fields.
func (f fields) strip(schema map[string]any, inside bool) {
	properties := asMap(schema["properties"])
	if inside {
		delete(properties, "claims")
	}
	for name, property := range properties {
		f.below(property, inside, inside || slices.Contains(f, name))
	}
	for _, key := range []string{"items", "additionalProperties"} {
		f.below(schema[key], inside, inside)
	}
}

func (f fields) below(node any, bare, inside bool) {
	schema := asMap(node)
	if schema == nil {
		return
	}
	if bare {
		delete(schema, "description")
	}
	f.strip(schema, inside)
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
