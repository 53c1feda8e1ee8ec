package reconcile_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/reconcile"
	"stackwright.dev/kit/step"
)

// far is a controller whose only object stands for something far away: a finalizer, which the test takes for its
// controller's, holds it until it is given up. It is gone for good without the Secret.
func far() kit.Definition[*app] {
	return define(step.Objects("far", configMap("far", fixed), makesMaps, step.Reads[*app]("password"),
		step.ForsakeWhen(func(s *scope) bool { return s.Get("password") == nil })))
}

func (w *world) givenUp(name string) bool {
	w.t.Helper()
	cm := &corev1.ConfigMap{}
	w.do(w.c.Get(w.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, cm))
	return cm.Annotations[reconcile.AnnotationAbandon] == "*"
}

// What an object stands for is given up when it is gone for good, when a person says so, and not otherwise.
func TestForsake(t *testing.T) {
	for name, c := range map[string]struct {
		before func(w *world)
		want   bool
	}{
		"it is there": {func(*world) {}, false},
		"it is gone": {func(w *world) {
			w.do(w.c.Delete(w.t.Context(), secret("password", nil)))
			w.pass(settle)
		}, true},
		"a person says so": {func(w *world) {
			change(w, &app{}, "one", func(a *app) {
				a.SetAnnotations(merge(a.Annotations, reconcile.AnnotationAbandon, "other, far"))
			})
		}, true},
		"a person means another": {func(w *world) {
			change(w, &app{}, "one", func(a *app) {
				a.SetAnnotations(merge(a.Annotations, reconcile.AnnotationAbandon, "other"))
			})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, far(), func(w *world) {
				w.create(secret("password", map[string]string{"password": "x"}), newApp("one"))
				w.wantReady("one")
				change(w, &corev1.ConfigMap{}, "one-far",
					func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/far"} })
				c.before(w)
				w.do(w.c.Delete(t.Context(), w.app("one")))
				w.pass(settle)
				if got := w.givenUp("one-far"); got != c.want {
					t.Errorf("given up is %v, want %v", got, c.want)
				}
				if c := w.condition("one", "Ready"); !strings.Contains(c.Message, "kit.stackwright.dev/abandon=far") {
					t.Errorf("it does not say how to give up: %s", c.Message)
				}
				// A person who loses patience says it later.
				change(w, &app{}, "one", func(a *app) {
					a.SetAnnotations(merge(a.Annotations, reconcile.AnnotationAbandon, "far"))
				})
				w.pass(settle)
				if !w.givenUp("one-far") {
					t.Error("it is not given up although a person says so")
				}
				change(w, &corev1.ConfigMap{}, "one-far", func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
				w.wantGone("one")
			})
		})
	}
}
