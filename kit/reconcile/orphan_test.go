package reconcile_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/step"
)

// governed makes a StatefulSet whose serviceName, which cannot change, is the owner's image.
func governed(o ...step.Option[*app]) kit.Definition[*app] {
	return define(step.Objects("set", func(s *scope) ([]client.Object, error) {
		set := &appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Replicas: new(int32(1)), Selector: selector, Template: pod(),
			ServiceName: strings.ReplaceAll(s.Owner().Spec.Image, ":", "-")}}
		set.Name = s.Owner().Name
		return []client.Object{set}, nil
	}, append(o, step.Makes[*app](&appsv1.StatefulSet{}), step.Ready[*app]("StatefulSet", gate.Exists))...))
}

// aPod is the pod that the StatefulSet's controller would make.
func aPod(set *appsv1.StatefulSet) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: set.Name + "-0", Namespace: set.Namespace,
		Labels: map[string]string{"app": "x"}, OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}}, Spec: pod().Spec}
}

// An immutable field of a StatefulSet changes. By default that is an error; under Orphan the set is replaced while its
// pods stay.
func TestOrphan(t *testing.T) {
	t.Run("refuse", func(t *testing.T) {
		inWorld(t, governed(), func(w *world) {
			w.create(newApp("one"))
			change(w, &app{}, "one", func(a *app) { a.Spec.Image = "app:2" })
			if c := w.condition("one", "Ready"); c.Reason != "InvalidSpec" || !strings.Contains(c.Message, "serviceName") &&
				!strings.Contains(c.Message, "statefulset spec") {
				t.Errorf("the condition says %s: %s", c.Reason, c.Message)
			}
			// A person who makes room is not kept waiting until the next try, which is an hour away.
			set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: "default"}}
			w.do(w.c.Delete(t.Context(), set))
			w.pass(settle)
			w.do(w.c.Get(t.Context(), client.ObjectKeyFromObject(set), set))
			w.wantReady("one")
		})
	})
	t.Run("orphan", func(t *testing.T) {
		inWorld(t, governed(step.OnImmutable[*app](step.Orphan)), func(w *world) {
			w.create(newApp("one"))
			key := types.NamespacedName{Namespace: "default", Name: "one"}
			old, set, p := &appsv1.StatefulSet{}, &appsv1.StatefulSet{}, &corev1.Pod{}
			w.do(w.c.Get(t.Context(), key, old))
			w.do(w.c.Create(t.Context(), aPod(old)))
			change(w, &app{}, "one", func(a *app) { a.Spec.Image = "app:2" })
			w.do(w.c.Get(t.Context(), key, set))
			if set.DeletionTimestamp == nil || !slices.Equal(set.Finalizers, []string{metav1.FinalizerOrphanDependents}) {
				t.Fatalf("the set is to go at %v with finalizers %v, want it to wait for its dependents to be let go",
					set.DeletionTimestamp, set.Finalizers)
			}
			w.collect(set, "one-0")
			w.do(w.c.Get(t.Context(), key, set))
			if set.UID == old.UID || set.Spec.ServiceName != "app-2" {
				t.Errorf("the set was not made again: %s, %s", set.UID, set.Spec.ServiceName)
			}
			w.do(w.c.Get(t.Context(), types.NamespacedName{Namespace: "default", Name: "one-0"}, p))
			if p.DeletionTimestamp != nil || len(p.OwnerReferences) > 0 {
				t.Errorf("the pod did not stay as it was: %v, %v", p.DeletionTimestamp, p.OwnerReferences)
			}
			w.wantReady("one")
		})
	})
}

// TestRecreate is criterion 19: the object is deleted by its uid and made again, its dependents go with it.
func TestRecreate(t *testing.T) {
	inWorld(t, governed(step.OnImmutable[*app](step.Recreate)), func(w *world) {
		w.create(newApp("one"))
		key := types.NamespacedName{Namespace: "default", Name: "one"}
		old, set := &appsv1.StatefulSet{}, &appsv1.StatefulSet{}
		w.do(w.c.Get(t.Context(), key, old))
		w.reqs.take()
		change(w, &app{}, "one", func(a *app) { a.Spec.Image = "app:2" })
		w.do(w.c.Get(t.Context(), key, set))
		if set.UID == old.UID || set.Spec.ServiceName != "app-2" {
			t.Errorf("the set was not made again: %s for %q", set.UID, set.Spec.ServiceName)
		}
		deletes := slices.DeleteFunc(w.reqs.take(), func(r string) bool { return !strings.HasPrefix(r, "DELETE") })
		if len(deletes) != 1 || !strings.Contains(deletes[0], "/statefulsets/one") {
			t.Errorf("deleted was %q, want the set once", deletes)
		}
		w.wantReady("one")
		w.pass(time.Hour)
		w.wantRequests("an hour after it", 0)
	})
}

// collect is the garbage collector: it lets the dependent go and then the object.
func (w *world) collect(set *appsv1.StatefulSet, dependent string) {
	w.t.Helper()
	change(w, &corev1.Pod{}, dependent, func(p *corev1.Pod) { p.OwnerReferences = nil })
	set.Finalizers = nil
	w.do(w.c.Update(w.t.Context(), set))
	w.pass(settle)
}
