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
var borrowed = []string{"resources", "tolerations", "topologySpread"}

// shorten takes the descriptions out of borrowed types in all CRDs.
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
	versions, _ := asMap(tree["spec"])["versions"].([]any)
	for _, version := range versions {
		strip(asMap(asMap(asMap(version)["schema"])["openAPIV3Schema"]), false)
	}
	out, err := yaml.Marshal(tree)
	return append([]byte("---\n"), out...), err
}

// strip takes the descriptions out of what is below a schema and inside of a borrowed type.
func strip(schema map[string]any, inside bool) {
	for name, property := range asMap(schema["properties"]) {
		below(property, inside, inside || slices.Contains(borrowed, name))
	}
	for _, key := range []string{"items", "additionalProperties"} {
		below(schema[key], inside, inside)
	}
}

func below(node any, bare, inside bool) {
	schema := asMap(node)
	if schema == nil {
		return
	}
	if bare {
		delete(schema, "description")
	}
	strip(schema, inside)
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
