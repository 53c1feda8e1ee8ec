package kinds_test

import (
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

func TestSamplesHaveTheFieldsOfTheirKinds(t *testing.T) {
	for _, k := range kinds.All() {
		var sample map[string]any
		if err := yaml.UnmarshalStrict([]byte(k.Sample), &sample); err != nil {
			t.Errorf("the sample of %s: %v", k.Name, err)
			continue
		}
		for _, problem := range sampleProblems(k.Fields, sample) {
			t.Errorf("the sample of %s %s", k.Name, problem)
		}
		for _, group := range k.OneOf {
			if n := declared(k, sample, group); n != 1 {
				t.Errorf("the sample of %s has %d of %s", k.Name, n, group)
			}
		}
	}
}

func sampleProblems(fields []d.Field, sample map[string]any) []string {
	var list []string
	known := map[string]bool{}
	for _, f := range fields {
		value, ok := sample[f.Spec()]
		known[f.Spec()] = true
		switch {
		case !ok && f.Required && !f.Named:
			list = append(list, "lacks "+f.Spec())
		case ok && !fits(f, value):
			list = append(list, "has a wrong "+f.Spec())
		}
		for _, entry := range entries(f, value) {
			list = append(list, sampleProblems(f.Fields, entry)...)
		}
	}
	for name := range sample {
		if !known[name] {
			list = append(list, "has an unknown "+name)
		}
	}
	return list
}

// entries returns the objects of an object or list of objects.
func entries(f d.Field, value any) []map[string]any {
	switch v := value.(type) {
	case map[string]any:
		if len(f.Fields) > 0 {
			return []map[string]any{v}
		}
	case []any:
		var list []map[string]any
		for _, e := range v {
			if m, ok := e.(map[string]any); ok && len(f.Fields) > 0 {
				list = append(list, m)
			}
		}
		return list
	}
	return nil
}

// fits tells whether a value has the type of a field.
func fits(f d.Field, value any) bool {
	isString := func(v any) bool { _, ok := v.(string); return ok }
	switch {
	case f.IsRef() && f.Type != d.Strings, f.Type == d.Secret, f.Type == d.Object:
		_, ok := value.(map[string]any)
		return ok
	case f.Type == d.Int:
		_, ok := value.(float64)
		return ok
	case f.Type == d.Bool:
		_, ok := value.(bool)
		return ok
	case f.Type == d.Strings, f.Type == d.Objects:
		_, ok := value.([]any)
		return ok
	case f.Type == d.Map:
		m, ok := value.(map[string]any)
		for _, v := range m {
			ok = ok && isString(v)
		}
		return ok
	case f.Type == d.String:
		return isString(value) && (len(f.Enum) == 0 || slices.Contains(f.Enum, value.(string)))
	}
	return true
}

func declared(k *d.Kind, sample map[string]any, group []string) int {
	n := 0
	for _, api := range group {
		f, _ := k.Field(api)
		if _, ok := sample[f.Spec()]; ok {
			n++
		}
	}
	return n
}
