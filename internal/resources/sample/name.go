// Package sample makes examples of kinds: names and values for documents and tests.
package sample

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// Name is the name of a kind's object in the samples: that by which the samples of other kinds refer to it.
func Name(k *d.Kind, all []*d.Kind) string {
	for _, other := range all {
		declared, err := Declared(other)
		if err != nil {
			continue
		}
		if name := referred(k.Name, other.Fields, declared); name != "" {
			return name
		}
	}
	return "example"
}

// Declared is the spec.resource of a kind's sample, with whole numbers as integers.
func Declared(k *d.Kind) (map[string]any, error) {
	data, err := yaml.YAMLToJSONStrict([]byte(k.Sample))
	if err != nil {
		return nil, fmt.Errorf("reading the sample of %s: %w", k.Name, err)
	}
	declared := map[string]any{}
	if err := json.Unmarshal(data, &declared); err != nil {
		return nil, fmt.Errorf("reading the sample of %s: %w", k.Name, err)
	}
	return declared, nil
}

// referred is the first name by which fields refer to an object of a kind.
func referred(kind string, fields []d.Field, declared map[string]any) string {
	for _, f := range fields {
		for _, v := range list(declared[f.Spec()]) {
			value, _ := v.(map[string]any)
			name := referred(kind, f.Fields, value)
			if f.Ref == kind {
				name, _ = value["name"].(string)
			}
			if name != "" {
				return name
			}
		}
	}
	return ""
}

// list is a value, or the values of a list.
func list(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}
