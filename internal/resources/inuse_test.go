package resources_test

import (
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// A resource stays until no object refers to it any more, whatever kind it is and whatever refers to it.
func TestDeleteReferred(t *testing.T) {
	var alone []string
	for _, k := range writable() {
		by := referrer(t, k)
		if by == nil {
			alone = append(alone, k.Name)
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			kittest.New(t, by.scenario()).Run(t, func(p *kittest.Play) { staysWhileReferred(by, p) })
		})
	}
	if len(alone) > 51 {
		t.Errorf("nothing refers to %d kinds: %s", len(alone), alone)
	}
}

func staysWhileReferred(by *world, p *kittest.Play) {
	p.T.Helper()
	p.Ready()
	used := by.also.Name
	ours := func() int { return len(cloudOf(p).All(used)) - by.seeded(used) }
	before := ours()
	p.Remove(used + "/used")
	p.Pass(time.Hour)
	if p.Object(used+"/used") == nil || ours() != before {
		p.T.Fatalf("it went while %s refers to it", by.kind.Name)
	}
	if c := p.Condition(used+"/used", "Ready"); !strings.Contains(c.Message, by.kind.Name+" sample") {
		p.T.Errorf("the condition does not say what refers to it: %v", c)
	}
	p.Remove(by.kind.Name + "/sample")
	p.Pass(later)
	if p.Object(used+"/used") != nil {
		p.T.Error("it is still there though nothing refers to it")
	}
}

// referrer is a world in which the sample of another kind refers to an object of k; nil when no sample does.
func referrer(t *testing.T, k *d.Kind) *world {
	t.Helper()
	for _, other := range kinds.Served() {
		if other.ReadOnly || other == k {
			continue
		}
		w := newWorld(t, other)
		declared, _ := w.spec()["resource"].(map[string]any)
		if !refer(other.Fields, declared, k.Name) {
			continue
		}
		sample := map[string]any{}
		if err := yaml.Unmarshal([]byte(k.Sample), &sample); err != nil {
			t.Fatal(err)
		}
		for _, f := range k.Fields {
			if f.Output {
				delete(sample, f.Spec()) // its Secret is there already, for the other kind to read
			}
		}
		w.resolve(k.Fields, sample)
		w.also = k
		w.objects = append(w.objects, map[string]any{"apiVersion": openstackv1.GroupVersion.String(), "kind": k.Name,
			"metadata": map[string]any{"name": "used", "namespace": "default"}, "spec": map[string]any{"resource": sample}})
		return w
	}
	return nil
}

// refer lets the first field that is declared and refers to a kind do so by the name of an object.
func refer(fields []d.Field, declared map[string]any, kind string) bool {
	for _, f := range fields {
		v := declared[f.Spec()]
		if body.RefKind(f, fields, declared) != kind || f.Output {
			continue
		}
		if list, ok := v.([]any); ok && len(list) > 0 {
			v = list[0]
		}
		if m, ok := v.(map[string]any); ok && m["id"] != nil {
			delete(m, "id")
			m["name"] = "used"
			return true
		}
	}
	return false
}
