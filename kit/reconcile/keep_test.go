package reconcile_test

import (
	"fmt"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/examples/app/api/v1alpha1"
	"stackwright.dev/kit/step"
)

// The same step keeps its objects for one owner and removes them for another, and follows a change of mind.
func TestKeepWhenDecidesForEachOwner(t *testing.T) {
	for name, c := range map[string]struct {
		first, last bool
		want        string
	}{
		"kept":                 {true, true, "one-data"},
		"removed":              {false, false, ""},
		"kept after change":    {false, true, "one-data"},
		"removed after change": {true, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			def := define(step.Objects("data", configMap("data", fixed), makesMaps,
				step.KeepWhen(func(a *app) bool { return a.Spec.Public })))
			inWorld(t, def, func(w *world) {
				o := newApp("one")
				o.Spec.Public = c.first
				w.create(o)
				w.wantReady("one")
				change(w, &app{}, "one", func(a *app) { a.Spec.Public = c.last })
				w.pass(settle)
				w.do(w.c.Delete(t.Context(), w.app("one")))
				w.pass(settle)
				if got := w.maps(); got != c.want {
					t.Errorf("left are %q, want %q", got, c.want)
				}
			})
		})
	}
}

// Objects are found again by the beginning of an apply set's id. Two owners whose ids begin alike do not take each
// other's, not even objects without an owner reference.
func TestNeighboursKeepTheirs(t *testing.T) {
	gk := v1alpha1.GroupVersion.WithKind("App").GroupKind()
	seen, pair := map[string]string{}, []string{}
	for i := 0; len(pair) == 0; i++ {
		name := fmt.Sprintf("app-%d", i)
		begin := apply.SetID(name, "default", gk)[:len("applyset-")+2]
		if other := seen[begin]; other != "" {
			pair = []string{other, name}
		}
		seen[begin] = name
	}
	def := define(step.Objects("config", func(s *scope) ([]client.Object, error) {
		objs, err := configMap("config", fixed)(s)
		objs[0].SetNamespace("elsewhere")
		return objs, err
	}, makesMaps))
	inWorld(t, def, func(w *world) {
		w.create(newApp(pair[0]), newApp(pair[1]))
		w.stop()
		for _, name := range pair { // status is lost, as when a backup is restored
			a := w.app(name)
			a.Status = v1alpha1.AppStatus{}
			w.do(w.c.Status().Update(t.Context(), a))
		}
		w.start()
		for _, name := range pair {
			w.wantReady(name)
			inv := w.app(name).Status.Inventory
			if len(inv) != 1 || inv[0].Name != name+"-config" {
				t.Errorf("the inventory of %s is %v", name, inv)
			}
		}
		if log := w.reqs.take(); count(log, "DELETE", "") > 0 {
			t.Errorf("something was deleted: %v", log)
		}
	})
}
