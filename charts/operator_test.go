package charts_test

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The operator's Deployment has as many workers as are asked for.
func TestOperatorWorkers(t *testing.T) {
	for given, want := range map[string]string{"": "--workers=24", "workers: 60": "--workers=60", "workers: 0": ""} {
		objects, err := rendered(t, "stackwright-operator", decode(t, "image: example.test/operator:1\n"+given))
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "at '/workers'") {
				t.Errorf("%q is answered with %v", given, err)
			}
			continue
		}
		must(t, err)
		var args []string
		for _, o := range objects {
			containers, _, _ := unstructured.NestedSlice(o, "spec", "template", "spec", "containers")
			for _, c := range containers {
				more, _, _ := unstructured.NestedStringSlice(c.(map[string]any), "args")
				args = append(args, more...)
			}
		}
		if !slices.Contains(args, want) {
			t.Errorf("with %q the arguments are %q, want %s among them", given, args, want)
		}
	}
}
