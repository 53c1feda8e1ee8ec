package infratest

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/owner"
)

// BadInputs are what keeps an operator from applying the StatefulSet of a cluster that runs, until a person comes. ca
// is the field that names the Secret of an authority, claim one of a member; the world's StorageClass is fast.
func BadInputs(object, ca, claim string) map[string]func(*kittest.Play) {
	return map[string]func(*kittest.Play){
		"a CA that there is not": func(p *kittest.Play) { p.Change(object, ca, "none") },
		"a class that is gone":   func(p *kittest.Play) { p.Remove("StorageClass/fast") },
		"a claim that lost its volume": func(p *kittest.Play) {
			p.Behave("PersistentVolumeClaim/"+claim, func(*kittest.Play, *unstructured.Unstructured) map[string]any {
				return map[string]any{"phase": "Lost"}
			})
		},
	}
}

// DespiteBadInput plays f on clusters of a Galera or the like, whose StatefulSet each of inputs keeps from being
// applied.
func DespiteBadInput(t *testing.T, scenario func(*testing.T) kittest.Scenario, inputs map[string]func(*kittest.Play),
	object string, f func(*kittest.Play)) {
	t.Helper()
	for name, spoil := range inputs {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
				p.Ready()
				spoil(p)
				p.Settle()
				if n := stuck(p, object); n == 0 {
					t.Fatal("nothing keeps the StatefulSet from being applied")
				}
				f(p)
			})
		})
	}
}

// stuck counts the steps of an object that make StatefulSets and that others block.
func stuck(p *kittest.Play, object string) int {
	p.T.Helper()
	n := 0
	list, _, _ := unstructured.NestedSlice(p.Object(object).Object, "status", "steps")
	for _, s := range list {
		one, _ := s.(map[string]any)
		name, _ := one["name"].(string)
		if strings.HasSuffix(name, "statefulset") && one["state"] == string(owner.StepBlocked) {
			n++
		}
	}
	return n
}
