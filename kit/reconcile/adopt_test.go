package reconcile_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// TestOfAnotherController finds an object in the way that another controller has: it stays as it is, whether the cache
// shows it or not, and whether ours would have an owner reference or not, until that one has let it go.
func TestOfAnotherController(t *testing.T) {
	shown := ref.Local("maps", &corev1.ConfigMap{}, func(a *app) string { return a.Name + "-config" },
		ref.Optional[*app]())
	for name, c := range map[string]struct {
		refs []ref.Ref[*app]
		kept bool
	}{
		"in the cache":           {refs: []ref.Ref[*app]{shown}},
		"not in the cache":       {},
		"kept and in the cache":  {refs: []ref.Ref[*app]{shown}, kept: true},
		"kept, not in the cache": {kept: true},
	} {
		t.Run(name, func(t *testing.T) {
			def := define(step.Objects("config", configMap("config", fixed), makesMaps, step.Condition[*app]("ConfigReady"),
				step.KeepWhen(func(*app) bool { return c.kept })))
			def.Refs = append(def.Refs, c.refs...)
			inWorld(t, def, func(w *world) {
				theirs := &corev1.ConfigMap{Data: map[string]string{"value": "theirs"}}
				theirs.Name = "one-config"
				theirs.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web",
					UID: "theirs", Controller: new(true)}}
				w.create(theirs, newApp("one"))
				con := w.condition("one", "ConfigReady")
				if want := "ConfigMap one-config belongs to Deployment web; "; con.Reason != "Conflict" ||
					!strings.Contains(con.Message, want) {
					t.Errorf("the condition is %v, want a Conflict: %s", con, want)
				}
				change(w, theirs, "one-config", func(m *corev1.ConfigMap) {
					if m.Data["value"] != "theirs" || len(m.Labels) > 0 || len(m.OwnerReferences) != 1 {
						t.Errorf("the object has become %v", m)
					}
					m.OwnerReferences = nil
				})
				w.pass(time.Minute)
				w.wantReady("one")
			})
		})
	}
}

// TestTwoOwnersOfOneName makes two owners render an object of one name: one of them has it, the other says so, and
// neither writes it again and again. When the one that has it goes, the other makes it.
func TestTwoOwnersOfOneName(t *testing.T) {
	shared := func(s *scope) ([]client.Object, error) {
		cm := &corev1.ConfigMap{Data: map[string]string{"value": s.Owner().Name}}
		cm.Name = "shared"
		return []client.Object{cm}, nil
	}
	for name, kept := range map[string]bool{"deleted with its owner": false, "kept": true} {
		t.Run(name, func(t *testing.T) {
			def := define(step.Objects("config", shared, makesMaps, step.Condition[*app]("ConfigReady"),
				step.KeepWhen(func(*app) bool { return kept })))
			inWorld(t, def, func(w *world) {
				w.create(newApp("one"))
				w.create(newApp("two"))
				w.wantReady("one")
				c := w.condition("two", "ConfigReady")
				if c.Reason != "Conflict" || !strings.Contains(c.Message, "ConfigMap shared belongs to App default/one") {
					t.Errorf("the condition of the second is %v", c)
				}
				w.reqs.take()
				w.pass(time.Minute)
				w.wantRequests("a minute in which both want it", 0)
				w.do(w.c.Delete(t.Context(), w.app("one")))
				w.pass(time.Minute)
				w.wantReady("two")
			})
		})
	}
}

// TestTakenObjectStays gives an object of one owner to another, as that one's apply does when its cache is late: the
// first does not take it back, and leaves it when it goes.
func TestTakenObjectStays(t *testing.T) {
	def := define(step.Objects("config", configMap("config", fixed), makesMaps, step.Condition[*app]("ConfigReady")))
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		w.create(newApp("two"))
		theirs := &corev1.ConfigMap{}
		w.do(w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "two-config"}, theirs))
		change(w, &corev1.ConfigMap{}, "one-config", func(m *corev1.ConfigMap) {
			m.Labels, m.Annotations, m.OwnerReferences = theirs.Labels, theirs.Annotations, theirs.OwnerReferences
		})
		if c := w.condition("one", "ConfigReady"); c.Reason != "Conflict" {
			t.Errorf("the condition of the first is %v", c)
		}
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.pass(time.Minute)
		w.do(w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "one-config"}, &corev1.ConfigMap{}))
	})
}

// TestTwoStepsOfOneName has two steps of a graph render one object, which is a mistake of who wrote the graph.
func TestTwoStepsOfOneName(t *testing.T) {
	def := define(step.Objects("first", configMap("config", fixed), makesMaps, step.Condition[*app]("FirstReady")),
		step.Objects("second", configMap("config", func(*scope) string { return "else" }), makesMaps,
			step.After[*app]("first"), step.Condition[*app]("SecondReady")))
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		c := w.condition("one", "SecondReady")
		if c.Status != "False" || !strings.Contains(c.Message, "ConfigMap one-config is made by step first already") {
			t.Errorf("the condition of the second step is %v", c)
		}
		w.reqs.take()
		w.pass(10 * time.Minute)
		w.wantRequests("ten minutes later", 0)
		cm := &corev1.ConfigMap{}
		w.do(w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "one-config"}, cm))
		if cm.Data["value"] != "fixed" {
			t.Errorf("the object has the value %q, want that of the first step", cm.Data["value"])
		}
	})
}
