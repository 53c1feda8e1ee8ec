package reconcile_test

import (
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/examples/app/api/v1alpha1"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"
)

// holding is a controller whose owners hold their Secret.
func holding() kit.Definition[*app] {
	def := define(step.Objects("config", configMap("config", fixed), makesMaps, step.Reads[*app]("password")))
	ref.Hold[*app]()(&def.Refs[0])
	return def
}

// held tells by how many finalizers a Secret is held; -1 when it is gone.
func (w *world) held(name string) int {
	w.t.Helper()
	s := &corev1.Secret{}
	err := w.c.Get(w.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, s)
	if apierrors.IsNotFound(err) {
		return -1
	}
	w.do(err)
	return len(s.Finalizers)
}

func (w *world) wantHeld(when string, want int) {
	w.t.Helper()
	if got := w.held("password"); got != want {
		w.t.Errorf("%s the Secret has %d finalizers, want %d", when, got, want)
	}
}

// A Secret that is deleted stays, with its content, until the last owner that refers to it is gone.
func TestWhatIsHeldGoesLast(t *testing.T) {
	inWorld(t, holding(), func(w *world) {
		w.create(secret("password", map[string]string{"password": "x"}), newApp("one"), newApp("two"))
		w.wantReady("two")
		w.wantHeld("with two owners", 2)
		w.reqs.take()
		w.do(w.c.Delete(t.Context(), secret("password", nil)))
		w.pass(settle)
		w.wantHeld("deleted,", 2)
		w.stop()
		w.start()
		change(w, &app{}, "one", func(a *app) { a.Spec.Image = "app:2" })
		w.wantReady("one") // a step runs, and the Secret that goes is not let go
		w.wantHeld("after a restart", 2)
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.pass(settle)
		w.wantHeld("with one owner", 1)
		w.do(w.c.Delete(t.Context(), w.app("two")))
		w.pass(settle)
		w.wantHeld("without owners", -1)
		w.wantGone("two")
	})
}

// An owner that refers to another Secret lets the first one go, and holds nothing that it does not refer to.
func TestWhatIsNotReferredToIsLetGo(t *testing.T) {
	inWorld(t, holding(), func(w *world) {
		w.create(secret("password", map[string]string{"password": "x"}), secret("other", map[string]string{"password": "y"}),
			newApp("one"))
		w.wantHeld("at first", 1)
		change(w, &app{}, "one", func(a *app) { a.Spec.PasswordSecret = "other" })
		w.wantHeld("after a change", 0)
		if n := w.held("other"); n != 1 {
			t.Errorf("the other Secret has %d finalizers", n)
		}
	})
}

// A key without a name stands for all objects of a kind in a namespace: any that comes, changes or goes wakes.
func TestReferenceToAllOfANamespace(t *testing.T) {
	def := define(step.Objects("config", configMap("config", func(s *scope) string {
		var names []string
		for _, o := range s.All("things") {
			names = append(names, o.GetName())
		}
		return strings.Join(names, " ")
	}), makesMaps, step.Reads[*app]("things")))
	def.Refs = append(def.Refs, ref.To("things", &thing{}, func(*app) []types.NamespacedName {
		return []types.NamespacedName{{Namespace: "default"}}
	}))
	value := func(w *world) string {
		cm := &corev1.ConfigMap{}
		w.do(w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "one-config"}, cm))
		return cm.Data["value"]
	}
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		w.wantReady("one") // none is fine
		b, a := &thing{}, &thing{}
		b.Name, a.Name = "b", "a"
		w.create(b, a)
		if got := value(w); got != "a b" {
			t.Errorf("seen are %q, want a b", got)
		}
		w.do(w.c.Delete(t.Context(), a))
		w.pass(settle)
		if got := value(w); got != "b" {
			t.Errorf("seen are %q, want b", got)
		}
	})
}

// A key without anything stands for all objects of a kind, in whatever namespace they are.
func TestReferenceToAllNamespaces(t *testing.T) {
	def := define(step.Objects("config", configMap("config", func(s *scope) string {
		var names []string
		for _, o := range s.All("things") {
			names = append(names, o.GetNamespace()+"/"+o.GetName())
		}
		return strings.Join(names, " ")
	}), makesMaps, step.Reads[*app]("things")))
	def.Refs = append(def.Refs, ref.To("things", &thing{}, func(*app) []types.NamespacedName {
		return []types.NamespacedName{{}}
	}))
	inWorld(t, def, func(w *world) {
		seen := func(want string) {
			t.Helper()
			cm := &corev1.ConfigMap{}
			w.pass(settle)
			w.do(w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "one-config"}, cm))
			if got := cm.Data["value"]; got != want {
				t.Errorf("seen are %q, want %q", got, want)
			}
		}
		w.create(newApp("one"))
		w.wantReady("one")
		b, a := &thing{}, &thing{}
		b.Name, a.Name, a.Namespace = "b", "a", "other"
		w.create(b, a)
		seen("default/b other/a")
		w.do(w.c.Delete(t.Context(), a))
		seen("default/b")
	})
}

// A definition is told of each owner before its first run, of changes of its spec, and that it is gone.
func TestNotice(t *testing.T) {
	var mu sync.Mutex
	var told []string
	def := define(step.Objects("config", configMap("config", func(*scope) string {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, "run")
		return ""
	}), makesMaps))
	def.Notice = func(o *app, gone bool) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, map[bool]string{true: "gone", false: o.Spec.Image}[gone])
	}
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		change(w, &app{}, "one", func(a *app) { a.Spec.Image = "app:2" })
		change(w, &app{}, "one", func(a *app) { a.Labels = map[string]string{"a": "b"} })
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.pass(settle)
		mu.Lock()
		defer mu.Unlock()
		// Its deletion is a change of its generation.
		if got := strings.Join(told, " "); got != "app:1 run app:2 run app:2 gone" {
			t.Errorf("told were %s", got)
		}
	})
}

// raw reads an object as the API server has it.
func (w *world) raw(gvk schema.GroupVersionKind, name string) *unstructured.Unstructured {
	w.t.Helper()
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	w.do(w.c.Get(w.t.Context(), types.NamespacedName{Namespace: "default", Name: name}, u))
	return u
}

// restore applies an object as it is read, with all that others have put into it.
func (w *world) restore(gvk schema.GroupVersionKind, name string) {
	w.t.Helper()
	u := w.raw(gvk, name)
	u.SetManagedFields(nil)
	u.SetResourceVersion("")
	unstructured.RemoveNestedField(u.Object, "status")
	w.do(w.c.Apply(w.t.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("restore"),
		client.ForceOwnership))
	w.pass(settle)
}

// Who applies an object as he has read it owns its finalizers, too. They go all the same.
func TestFinalizersThatOthersHaveApplied(t *testing.T) {
	inWorld(t, holding(), func(w *world) {
		w.create(secret("password", map[string]string{"password": "x"}), newApp("one"))
		w.wantReady("one")
		w.restore(v1alpha1.GroupVersion.WithKind("App"), "one")
		w.restore(corev1.SchemeGroupVersion.WithKind("Secret"), "password")
		w.wantHeld("restored,", 1)
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.pass(settle)
		w.wantGone("one")
		w.wantHeld("without owners", 0)
	})
}
