package reconcile_test

import (
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/step"
)

// A Secret with a copy comes back with its content, and so does its copy; with both gone it is a new one.
func TestCopiedSecretComesBack(t *testing.T) {
	made := 0
	generate := func(_ *scope, have map[string][]byte) (*step.Generated, error) {
		if len(have) == 0 {
			made++
			have = map[string][]byte{"key": []byte(strconv.Itoa(made))}
		}
		return &step.Generated{Secret: &corev1.Secret{Data: have}}, nil
	}
	def := define(step.Secret("key", generate, func(a *app) string { return a.Name + "-key" }, step.Copied[*app]()))
	inWorld(t, def, func(w *world) {
		get := func(name string) *corev1.Secret {
			sec := &corev1.Secret{}
			w.do(w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: name}, sec))
			return sec
		}
		remove := func(name string) { w.do(w.c.Delete(t.Context(), get(name))) }
		want := func(after, content string) {
			t.Helper()
			w.pass(settle)
			w.wantReady("one")
			for _, name := range []string{"one-key", "one-key-copy"} {
				if got := string(get(name).Data["key"]); got != content {
					t.Errorf("%s: Secret %s has key %q, want %q", after, name, got, content)
				}
			}
		}
		w.create(newApp("one"))
		want("made", "1")
		remove("one-key")
		want("deleted", "1")
		remove("one-key-copy")
		want("copy deleted", "1")
		change(w, &corev1.Secret{}, "one-key", func(s *corev1.Secret) { s.Data = nil })
		want("emptied", "1")
		change(w, &corev1.Secret{}, "one-key", func(s *corev1.Secret) { s.Data["key"] = []byte("restored") })
		want("edited", "restored")
		w.reqs.take()
		w.pass(time.Hour)
		w.wantRequests("at rest", 0)

		w.stop()
		remove("one-key")
		w.start()
		want("deleted while the operator was away", "restored")
		w.stop()
		remove("one-key")
		remove("one-key-copy")
		w.start()
		want("both deleted", "2")
	})
}
