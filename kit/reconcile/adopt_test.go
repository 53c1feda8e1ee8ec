package reconcile_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"
)

// A step that adopts nothing leaves an object of somebody else alone, also when the cache shows it for another reason.
func TestNeverAdopts(t *testing.T) {
	def := define(step.Objects("config", configMap("config", fixed), makesMaps, step.Condition[*app]("ConfigReady"),
		step.Adopt[*app](step.Never)))
	def.Refs = append(def.Refs, ref.Local("maps", &corev1.ConfigMap{}, func(a *app) string { return a.Name + "-config" },
		ref.Optional[*app]()))
	inWorld(t, def, func(w *world) {
		theirs := &corev1.ConfigMap{Data: map[string]string{"value": "theirs"}}
		theirs.Name = "one-config"
		w.create(theirs, newApp("one"))
		if c := w.condition("one", "ConfigReady"); c.Reason != "Conflict" {
			t.Errorf("the condition is %v", c)
		}
		w.do(w.c.Delete(t.Context(), theirs))
		w.pass(time.Minute)
		w.wantReady("one")
		change(w, &corev1.ConfigMap{}, "one-config", func(m *corev1.ConfigMap) { m.Labels, m.Data = nil, nil })
		w.pass(time.Minute)
		w.wantReady("one") // what we made is ours though somebody took the labels away
	})
}
