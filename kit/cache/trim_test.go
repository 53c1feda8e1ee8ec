package cache_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"unsafe"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit/cache"
)

// record decodes an object and trims it, as an informer does.
func record(t *testing.T, name string) *corev1.ConfigMap {
	t.Helper()
	const text = `{"metadata": {"name": %q, "namespace": "somewhere",
		"labels": {"kit.stackwright.dev/controller": "shops", "example.org/color": "blue-%[1]s"},
		"annotations": {"kit.stackwright.dev/step": "family"},
		"ownerReferences": [{"apiVersion": "example.org/v1", "kind": "Shop", "name": "s", "uid": "u"}],
		"managedFields": [{"manager": "shops", "operation": "Apply", "fieldsV1": {"f:data": {}}}]}}`
	o := &corev1.ConfigMap{}
	if err := json.Unmarshal(fmt.Appendf(nil, text, name), o); err != nil {
		t.Fatal(err)
	}
	cache.Trim(o, map[string]bool{"shops": true})
	return o
}

// Records share the strings that many of them have, and keep what they say.
func TestRecordsShareStrings(t *testing.T) {
	shared := func(o *corev1.ConfigMap) map[string]string {
		out := map[string]string{"namespace": o.Namespace, "api version": o.OwnerReferences[0].APIVersion,
			"kind": o.OwnerReferences[0].Kind, "manager": o.ManagedFields[0].Manager}
		for k, v := range o.Labels {
			out["key "+k] = k
			if k != "example.org/color" {
				out["value of "+k] = v
			}
		}
		for k, v := range o.Annotations {
			out["key "+k], out["value of "+k] = k, v
		}
		return out
	}
	one, other := record(t, "one"), record(t, "other")
	left, right := shared(one), shared(other)
	if len(left) != 9 {
		t.Errorf("there are %d strings to share, want 9: %q", len(left), left)
	}
	for what, s := range left {
		if s != right[what] || unsafe.StringData(s) != unsafe.StringData(right[what]) {
			t.Errorf("%s is %q and %q, each a string of its own", what, s, right[what])
		}
	}
	if got := other.Labels["example.org/color"]; got != "blue-other" || other.Namespace != "somewhere" {
		t.Errorf("the record says %q in namespace %q", got, other.Namespace)
	}
}
