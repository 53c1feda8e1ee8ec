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
		for _, c := range containers(objects) {
			more, _, _ := unstructured.NestedStringSlice(c, "args")
			args = append(args, more...)
		}
		if !slices.Contains(args, want) {
			t.Errorf("with %q the arguments are %q, want %s among them", given, args, want)
		}
	}
}

// An operator that is one of several has resources of its own, and the others those of the chart.
func TestOperatorResources(t *testing.T) {
	objects, err := rendered(t, "stackwright-operator", decode(t, "image: example.test/operator:1\noperators:\n"+
		"- {name: keystone, controllers: [keystone], resources: {requests: {cpu: 7m}}}\n"+
		"- {name: galera, controllers: [galera]}\nresources: {requests: {cpu: 9m}}\n"))
	must(t, err)
	var got []string
	for _, c := range containers(objects) {
		cpu, _, _ := unstructured.NestedString(c, "resources", "requests", "cpu")
		got = append(got, cpu)
	}
	if want := []string{"7m", "9m"}; !slices.Equal(got, want) {
		t.Errorf("requests of CPU are %v, want %v", got, want)
	}
}

// containers are those of all Deployments.
func containers(objects []map[string]any) []map[string]any {
	var all []map[string]any
	for _, o := range objects {
		list, _, _ := unstructured.NestedSlice(o, "spec", "template", "spec", "containers")
		for _, c := range list {
			all = append(all, c.(map[string]any))
		}
	}
	return all
}
