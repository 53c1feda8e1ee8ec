package reconcile_test

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/step"
)

// A newer operator makes an object by another step, or by one of another name. The object stays: whoever makes it anew
// has lost what was in it. Until the other step has run nobody knows whether it wants the object.
func TestObjectsMoveBetweenSteps(t *testing.T) {
	a, b := configMap("a", fixed), configMap("b", fixed)
	both := func(s *scope) ([]client.Object, error) {
		first, err := a(s)
		second, also := b(s)
		return append(first, second...), errors.Join(err, also)
	}
	before := define(step.Objects("both", both, makesMaps))
	waits := step.Reads[*app]("password") // which is made last
	for name, after := range map[string]kit.Definition[*app]{
		"to a new step":          define(step.Objects("both", a, makesMaps), step.Objects("own", b, makesMaps)),
		"to one that waits":      define(step.Objects("both", a, makesMaps), step.Objects("own", b, makesMaps, waits)),
		"with their step":        define(step.Objects("all", both, makesMaps)),
		"with a step that waits": define(step.Objects("all", both, makesMaps, waits)),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, before, func(w *world) {
				w.create(newApp("one"))
				w.wantReady("one")
				uid := w.uid(&corev1.ConfigMap{}, "one-b")
				w.stop()
				w.def = after
				w.start()
				w.pass(time.Minute)
				w.create(secret("password", map[string]string{"password": "x"}))
				w.pass(time.Minute)
				w.wantReady("one")
				if now := w.uid(&corev1.ConfigMap{}, "one-b"); now != uid {
					t.Errorf("the object is another one, %s after %s", now, uid)
				}
				w.do(w.c.Delete(t.Context(), w.app("one")))
				w.pass(settle)
				w.wantGone("one")
			})
		})
	}
}
