package infratest

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
)

// TellsOfPods plays an object whose image is not to be had: condition says so of the first pod of one of its
// StatefulSets.
func TellsOfPods(t *testing.T, scenario func(*testing.T) kittest.Scenario, object, set, condition string) {
	t.Helper()
	s := scenario(t)
	s.Children["StatefulSet"] = kittest.With(kittest.Ready, map[string]any{"readyReplicas": int64(0),
		"availableReplicas": int64(0)})
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Create(pulling(p.Object("StatefulSet/cloud/" + set)))
		p.Settle()
		says := "pod " + set + "-0: its image cannot be pulled: not found; load or push that image"
		if c := p.Condition(object, condition); c.Status != "False" || !strings.Contains(c.Message, says) {
			t.Errorf("%s is %s: %s", condition, c.Status, c.Message)
		}
	})
}

// pulling is the first pod of a StatefulSet, whose image is not to be had.
func pulling(set *unstructured.Unstructured) *unstructured.Unstructured {
	labels, _, _ := unstructured.NestedMap(set.Object, "spec", "template", "metadata", "labels")
	spec, _, _ := unstructured.NestedMap(set.Object, "spec", "template", "spec")
	name, _, _ := unstructured.NestedString(spec["containers"].([]any)[0].(map[string]any), "name")
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": set.GetName() + "-0", "namespace": set.GetNamespace(), "labels": labels,
			"ownerReferences": []any{map[string]any{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": set.GetName(),
				"uid": string(set.GetUID()), "controller": true}}},
		"spec": spec,
		"status": map[string]any{"phase": "Pending", "containerStatuses": []any{map[string]any{"name": name, "ready": false,
			"restartCount": int64(0), "image": "", "imageID": "",
			"state": map[string]any{"waiting": map[string]any{"reason": "ErrImagePull", "message": "not found"}}}}},
	}}
}
