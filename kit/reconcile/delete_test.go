package reconcile_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"
)

// chain is three levels of one ConfigMap each.
func chain() kit.Definition[*app] {
	return define(
		step.Objects("first", configMap("first", fixed), makesMaps, step.Reads[*app]("password")),
		step.Objects("second", configMap("second", fixed), makesMaps, step.After[*app]("first"),
			step.When(func(a *app) bool { return !a.Spec.Public })),
		step.Objects("third", configMap("third", func(s *scope) string { return s.Owner().Spec.Image }), makesMaps,
			step.After[*app]("second"), step.When(func(a *app) bool { return !a.Spec.Public })))
}

func (w *world) maps() string {
	w.t.Helper()
	l := &corev1.ConfigMapList{}
	w.do(w.c.List(w.t.Context(), l, client.InNamespace("default")))
	var names []string
	for _, cm := range l.Items {
		names = append(names, cm.Name)
	}
	return strings.Join(names, " ")
}

func (w *world) wantGone(name string) {
	w.t.Helper()
	if err := w.c.Get(w.t.Context(), client.ObjectKey{Namespace: "default", Name: name},
		&app{}); !apierrors.IsNotFound(err) {
		w.t.Errorf("%s is not gone: %v", name, err)
	}
	if m := w.maps(); m != "" {
		w.t.Errorf("left behind: %s", m)
	}
}

// TestDeletionOrder is criterion 13.
func TestDeletionOrder(t *testing.T) {
	inWorld(t, chain(), func(w *world) {
		w.create(secret("password", map[string]string{"password": "x"}), newApp("one"))
		w.wantReady("one")
		change(w, &corev1.ConfigMap{}, "one-second",
			func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/foreign"} })
		w.reqs.take()
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.pass(settle)
		if got := w.maps(); got != "one-first one-second" {
			t.Errorf("with the second level held there are: %s", got)
		}
		if c := w.condition("one", "Ready"); !strings.Contains(c.Message, "one-second") ||
			!strings.Contains(c.Message, "example.com/foreign") {
			t.Errorf("the finalizer that holds the deletion is not named: %q", c.Message)
		}
		if a := w.app("one"); a.Status.ObservedGeneration != a.Generation {
			t.Errorf("status is of generation %d, the object of %d", a.Status.ObservedGeneration, a.Generation)
		}
		change(w, &corev1.ConfigMap{}, "one-second", func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
		w.wantGone("one")
		var order []string
		for _, l := range w.reqs.take() {
			if n, ok := strings.CutPrefix(l, "DELETE /api/v1/namespaces/default/configmaps/one-"); ok {
				order = append(order, n)
			}
		}
		if got := strings.Join(order, " "); got != "third second first" {
			t.Errorf("deleted in the order %s", got)
		}
	})
}

// branches is chain beside a branch of two ConfigMaps that no step of chain has to do with. Of an app that is public
// only the roots stay.
func branches() kit.Definition[*app] {
	d := chain()
	on := step.When(func(a *app) bool { return !a.Spec.Public })
	d.Steps = append(d.Steps, step.Objects("apart", configMap("apart", fixed), makesMaps),
		step.Objects("beside", configMap("beside", fixed), makesMaps, step.After[*app]("apart"), on))
	return d
}

// TestStuckBranch is criterion 13: a child that somebody holds keeps its ancestors, and not other branches.
func TestStuckBranch(t *testing.T) {
	for name, c := range map[string]struct {
		leave            func(*world)
		stuck, at, after string
	}{
		"deleted": {func(w *world) { w.do(w.c.Delete(w.t.Context(), w.app("one"))) },
			"one-third", "one-first one-second one-third", ""},
		"deleted, in the middle": {func(w *world) { w.do(w.c.Delete(w.t.Context(), w.app("one"))) },
			"one-second", "one-first one-second", ""},
		"off": {func(w *world) { change(w, &app{}, "one", func(a *app) { a.Spec.Public = true }) },
			"one-third", "one-apart one-first one-second one-third", "one-apart one-first"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, branches(), func(w *world) {
				w.create(secret("password", map[string]string{"password": "x"}), newApp("one"))
				w.wantReady("one")
				hold := func(by ...string) {
					change(w, &corev1.ConfigMap{}, c.stuck, func(cm *corev1.ConfigMap) { cm.Finalizers = by })
				}
				hold("example.com/foreign")
				c.leave(w)
				w.pass(settle)
				if got := w.maps(); got != c.at {
					t.Errorf("while %s is held there are: %s", c.stuck, got)
				}
				if got := w.condition("one", "Ready"); c.after == "" && !strings.Contains(got.Message, c.stuck) {
					t.Errorf("what holds the deletion is not named: %q", got.Message)
				}
				hold()
				w.pass(settle)
				if got := w.maps(); got != c.after {
					t.Errorf("left behind: %s", got)
				}
			})
		})
	}
}

// TestOutlives: what others need to go is there until they are gone, though they do not wait for it to come.
func TestOutlives(t *testing.T) {
	d := chain()
	d.Steps = append(d.Steps, step.Objects("broker", configMap("broker", fixed), makesMaps,
		step.Outlives[*app]("second"), step.When(func(a *app) bool { return !a.Spec.Public })))
	for name, leave := range map[string]func(*world){
		"deleted": func(w *world) { w.do(w.c.Delete(w.t.Context(), w.app("one"))) },
		"off":     func(w *world) { change(w, &app{}, "one", func(a *app) { a.Spec.Public = true }) },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, d, func(w *world) {
				w.create(secret("password", map[string]string{"password": "x"}), newApp("one"))
				w.wantReady("one")
				change(w, &corev1.ConfigMap{}, "one-third",
					func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/foreign"} })
				leave(w)
				w.pass(settle)
				if got := w.maps(); got != "one-broker one-first one-second one-third" {
					t.Errorf("while the third is held there are: %s", got)
				}
				change(w, &corev1.ConfigMap{}, "one-third", func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
				w.pass(settle)
				if got := w.maps(); strings.Contains(got, "broker") {
					t.Errorf("left behind: %s", got)
				}
			})
		})
	}
}

// TestDeletionWhileDown is criterion 12: with the operator down, the Secret gone and nothing that renders any more.
func TestDeletionWhileDown(t *testing.T) {
	inWorld(t, chain(), func(w *world) {
		w.create(secret("password", map[string]string{"password": "x"}), newApp("one"))
		w.wantReady("one")
		w.stop()
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.do(w.c.Delete(t.Context(), secret("password", nil)))
		unable := func(*scope) ([]client.Object, error) { return nil, errors.New("cannot render") }
		for i := range w.def.Steps {
			w.def.Steps[i].Render = unable
		}
		w.start()
		w.pass(settle)
		w.wantGone("one")
	})
}

// TestPrune is criterion 14.
func TestPrune(t *testing.T) {
	var fail atomic.Bool
	def := chain()
	render := def.Steps[0].Render
	def.Steps[0].Render = func(s *scope) ([]client.Object, error) {
		if fail.Load() {
			return nil, errors.New("broken")
		}
		return render(s)
	}
	inWorld(t, def, func(w *world) {
		w.create(secret("password", map[string]string{"password": "x"}), newApp("one"))
		fail.Store(true)
		change(w, &app{}, "one", func(a *app) { a.Spec.Public = true })
		if got := w.maps(); got != "one-first one-second one-third" {
			t.Errorf("pruned in a run with an error: %s", got)
		}
		fail.Store(false)
		w.reqs.take()
		w.pass(3 * time.Minute)
		if got := w.maps(); got != "one-first" {
			t.Errorf("not pruned: %s", got)
		}
		log := strings.Join(w.reqs.take(), " ")
		if strings.Index(log, "DELETE /api/v1/namespaces/default/configmaps/one-third") > strings.Index(log,
			"DELETE /api/v1/namespaces/default/configmaps/one-second") {
			t.Errorf("pruned in the wrong order: %s", log)
		}
		w.wantReady("one")
	})
}

// TestPruneIsNotForgotten: what two steps stop to want at once goes one after the other, also when a step fails in the
// run in which they say so.
func TestPruneIsNotForgotten(t *testing.T) {
	var fail atomic.Bool
	pair := func(name string) func(*scope) ([]client.Object, error) {
		one, two := configMap(name, fixed), configMap(name+"-extra", fixed)
		return func(s *scope) ([]client.Object, error) {
			out, err := one(s)
			if err != nil || s.Owner().Spec.Public {
				return out, err
			}
			more, err := two(s)
			return append(out, more...), err
		}
	}
	broken := func(*scope) ([]client.Object, error) {
		if fail.Load() {
			return nil, errors.New("broken")
		}
		return nil, nil
	}
	def := define(step.Objects("a", pair("a"), makesMaps), step.Objects("b", pair("b"), makesMaps, step.After[*app]("a")),
		step.Objects("c", broken, makesMaps))
	for name, fails := range map[string]bool{"all is well": false, "a step fails": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, def, func(w *world) {
				w.create(newApp("one"))
				w.pass(settle)
				fail.Store(fails)
				change(w, &app{}, "one", func(a *app) { a.Spec.Public = true })
				w.pass(settle)
				fail.Store(false)
				w.pass(3 * time.Minute)
				w.wantReady("one")
				if got := w.maps(); got != "one-a one-b" {
					t.Errorf("there are %s", got)
				}
			})
		})
	}
}

// TestStepRemoved: what a step made that a newer binary does not have is removed.
func TestStepRemoved(t *testing.T) {
	inWorld(t, chain(), func(w *world) {
		w.create(secret("password", map[string]string{"password": "x"}), newApp("one"))
		w.stop()
		w.def.Steps = w.def.Steps[:2]
		w.start()
		w.pass(settle)
		if got := w.maps(); got != "one-first one-second" {
			t.Errorf("got %s", got)
		}
		w.wantReady("one")
	})
}

// TestStepRemovedIsStuck: what no step stands for any more keeps all others, and is named.
func TestStepRemovedIsStuck(t *testing.T) {
	inWorld(t, chain(), func(w *world) {
		w.create(secret("password", map[string]string{"password": "x"}), newApp("one"))
		change(w, &corev1.ConfigMap{}, "one-third",
			func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/foreign"} })
		w.stop()
		w.def.Steps = w.def.Steps[:2]
		w.start()
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.pass(settle)
		if c := w.condition("one", "Ready"); !strings.Contains(c.Message,
			"ConfigMap one-third is deleted and held by finalizer example.com/foreign; see that the controller runs") {
			t.Errorf("what holds the deletion is not named: %q", c.Message)
		}
		change(w, &corev1.ConfigMap{}, "one-third", func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
		w.wantGone("one")
	})
}

// TestReleaseRefused: what refuses to let go is asked again, after pauses that grow to minutes. Pauses of attempts to
// make it do not hold its deletion up.
func TestReleaseRefused(t *testing.T) {
	var willing atomic.Bool
	var released atomic.Int32
	no := func() *outcome.Outcome { return outcome.Refuse("No", "No, not like this") }
	inWorld(t, define(step.Step[*app]{Name: "thing", Kind: step.KindExternal,
		Act: func(_ context.Context, s *scope) *outcome.Outcome {
			s.Cell().ID = "thing"
			return no()
		},
		Release: func(context.Context, *scope) *outcome.Outcome {
			if released.Add(1); !willing.Load() {
				return no()
			}
			return nil
		}}), func(w *world) {
		w.create(newApp("one"))
		w.pass(settle)
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.pass(settle)
		if n := released.Load(); n != 1 {
			t.Errorf("it is asked to let go %d times at once", n)
		}
		w.pass(time.Hour)
		if n := released.Load(); n < 20 || n > 60 {
			t.Errorf("it is asked to let go %d times within an hour", n)
		}
		if c := w.condition("one", "Ready"); !strings.Contains(c.Message, "No, not like this; if the resource") {
			t.Errorf("the object says %q", c.Message)
		}
		willing.Store(true)
		w.pass(3 * time.Minute)
		w.wantGone("one")
	})
}

// TestReleaseReads: what lets go of an external resource reads what its step declares, whether the object is deleted or
// the step is switched off, or both.
func TestReleaseReads(t *testing.T) {
	for name, leave := range map[string]func(*world){
		"deleted":  func(w *world) { w.do(w.c.Delete(w.t.Context(), w.app("one"))) },
		"off":      func(w *world) { change(w, &app{}, "one", func(a *app) { a.Spec.Public = true }) },
		"off, too": func(w *world) { off(w); w.do(w.c.Delete(w.t.Context(), w.app("one"))) },
	} {
		t.Run(name, func(t *testing.T) {
			var read atomic.Value
			inWorld(t, define(step.Step[*app]{Name: "thing", Kind: step.KindExternal, Reads: []string{"password"},
				When: func(a *app) bool { return !a.Spec.Public },
				Act: func(_ context.Context, s *scope) *outcome.Outcome {
					s.Cell().ID = "thing"
					return nil
				},
				Release: func(_ context.Context, s *scope) *outcome.Outcome {
					read.Store(s.Value("password", "password"))
					return outcome.FromError(s.Err())
				}}), func(w *world) {
				w.create(secret("password", map[string]string{"password": "x"}), newApp("one"))
				w.wantReady("one")
				leave(w)
				w.pass(time.Minute)
				if got := read.Load(); got != "x" {
					t.Errorf("what lets go reads %q", got)
				}
			})
		})
	}
}

// off switches the step off while the operator does not run.
func off(w *world) {
	w.stop()
	change(w, &app{}, "one", func(a *app) { a.Spec.Public = true })
	w.start()
}

// TestLostStatus: an inventory that backup tools dropped is found again by labels; nothing is orphaned.
func TestLostStatus(t *testing.T) {
	inWorld(t, chain(), func(w *world) {
		w.create(secret("password", map[string]string{"password": "x"}), newApp("one"))
		w.stop()
		a := w.app("one")
		a.Status.Inventory, a.Status.Steps = nil, nil
		w.do(w.c.Status().Update(t.Context(), a))
		w.start()
		w.wantReady("one")
		if n := len(w.app("one").Status.Inventory); n != 3 {
			t.Errorf("inventory has %d items", n)
		}
		w.stop()
		a = w.app("one")
		a.Status.Inventory, a.Status.Steps = nil, nil
		w.do(w.c.Status().Update(t.Context(), a))
		w.do(w.c.Delete(t.Context(), a))
		w.start()
		w.pass(settle)
		w.wantGone("one")
	})
}

// A guard sees what the steps have made and what the owner refers to.
func TestGuardSees(t *testing.T) {
	def := chain()
	def.Guard = func(v step.View, _ *app) string {
		if v.Referenced("service")[0] == nil {
			return ""
		}
		return "The Service is there, and " + v.Child("first", "ConfigMap", "one-first").GetName()
	}
	def.Refs = append(def.Refs, ref.Local("service", &corev1.Service{}, func(a *app) string { return a.Name }))
	inWorld(t, def, func(w *world) {
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: "default"},
			Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
		w.create(service, secret("password", map[string]string{"password": "x"}), newApp("one"))
		w.wantReady("one")
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.pass(settle)
		if c := w.condition("one", "Ready"); c.Message != "The Service is there, and one-first" {
			t.Errorf("the guard says %q", c.Message)
		}
		w.do(w.c.Delete(t.Context(), service))
		w.pass(settle)
		w.wantGone("one")
	})
}

// TestGuard: a guarded deletion keeps the object running until the guard lets go.
func TestGuard(t *testing.T) {
	def := chain()
	def.Guard = func(_ step.View, a *app) string {
		if a.Annotations["confirm"] == a.Name {
			return ""
		}
		return "The object is live; annotate it with confirm=" + a.Name + " to let it go."
	}
	inWorld(t, def, func(w *world) {
		w.create(secret("password", map[string]string{"password": "x"}), newApp("one"))
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.pass(settle)
		if c := w.condition("one", "Ready"); c.Reason != "DeletionHeld" || !strings.Contains(c.Message, "confirm=one") {
			t.Errorf("got %s %q", c.Reason, c.Message)
		}
		w.do(w.c.Delete(t.Context(),
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "one-third", Namespace: "default"}}))
		w.pass(settle)
		if got := w.maps(); got != "one-first one-second one-third" {
			t.Errorf("a held object is not kept running: %s", got)
		}
		change(w, &app{}, "one", func(a *app) { a.SetAnnotations(merge(a.Annotations, "confirm", "one")) })
		w.wantGone("one")
	})
}

// TestNamesakeLeaves: what a former object of the same name has made, and is on its way out, is made once it is gone.
// Somebody has taken the finalizer of the former one away.
func TestNamesakeLeaves(t *testing.T) {
	two := func(s *scope) ([]client.Object, error) {
		a, err := configMap("a", fixed)(s)
		b, also := configMap("b", fixed)(s)
		return append(a, b...), errors.Join(err, also)
	}
	inWorld(t, define(step.Objects("both", two, makesMaps)), func(w *world) {
		w.create(newApp("one"))
		w.wantReady("one")
		w.stop()
		foreign := []string{"example.com/foreign"}
		change(w, &corev1.ConfigMap{}, "one-b", func(cm *corev1.ConfigMap) { cm.Finalizers = foreign })
		change(w, &app{}, "one", func(a *app) { a.Finalizers = nil })
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.do(w.c.DeleteAllOf(t.Context(), &corev1.ConfigMap{}, client.InNamespace("default")))
		w.do(w.c.Create(t.Context(), newApp("one")))
		w.start()
		w.pass(time.Minute)
		if c := w.condition("one", "Ready"); !strings.Contains(c.Message, "it is made again when it is gone") {
			t.Errorf("the object says %s %q", c.Reason, c.Message)
		}
		change(w, &corev1.ConfigMap{}, "one-b", func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
		w.pass(time.Minute)
		w.wantReady("one")
		if got := w.maps(); got != "one-a one-b" {
			t.Errorf("there are %s", got)
		}
	})
}
