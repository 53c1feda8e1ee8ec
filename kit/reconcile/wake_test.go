package reconcile_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"
)

// A Check step that learns something from outside is run when the outside says so, and the steps that see it render
// what it has recorded.
func TestWakeAndWhatAStepRecords(t *testing.T) {
	leader, tell := "a", func() {}
	look := step.Check("look", func(_ context.Context, s *scope) *outcome.Outcome {
		if s.Cell().ID == leader {
			return nil
		}
		s.Cell().ID = leader
		return outcome.FromError(s.Save())
	})
	point := step.Objects("point", func(s *scope) ([]client.Object, error) {
		m := &corev1.ConfigMap{Data: map[string]string{"leader": s.Owner().Status.Externals[0].ID}}
		m.Name = s.Owner().Name + "-leader"
		return []client.Object{m}, nil
	}, makesMaps, step.Sees[*app]("look"))
	def := define(look, point)
	def.Wake = func(ctx context.Context, wake func(types.NamespacedName)) {
		tell = func() { wake(types.NamespacedName{Namespace: "default", Name: "one"}) }
		<-ctx.Done()
	}
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		w.wantReady("one")
		w.reqs.take()
		for _, leader = range []string{"b", "c"} {
			tell()
			w.pass(settle)
			m := &corev1.ConfigMap{}
			w.do(w.c.Get(t.Context(), types.NamespacedName{Namespace: "default", Name: "one-leader"}, m))
			if m.Data["leader"] != leader {
				t.Errorf("the object says %q, the step has recorded %q", m.Data["leader"], leader)
			}
		}
		w.reqs.take()
		tell()
		w.pass(settle)
		w.wantRequests("a wake-up without news", 0)
	})
}

// What Report tells of the outside is written when the outside says so, also while all steps rest.
func TestWakeWritesWhatReportTells(t *testing.T) {
	var tell atomic.Pointer[func()]
	var seen atomic.Bool
	def := define(step.Objects("map", configMap("map", fixed), makesMaps))
	def.Report = func(_ step.View, o *app) {
		if seen.Load() {
			condition.Set(&o.Status.Conditions, metav1.Condition{Type: "Heard", Status: condition.True, Reason: "Heard"})
		}
	}
	def.Wake = func(ctx context.Context, wake func(types.NamespacedName)) {
		tell.Store(new(func() { wake(types.NamespacedName{Namespace: "default", Name: "one"}) }))
		<-ctx.Done()
	}
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		w.wantReady("one")
		seen.Store(true)
		(*tell.Load())()
		w.pass(settle)
		if c := w.condition("one", "Heard"); c.Status != condition.True {
			t.Errorf("what was heard is %s in the status", c.Status)
		}
		w.reqs.take()
		(*tell.Load())()
		w.pass(settle)
		w.wantRequests("a wake-up without news", 0)
	})
}

// A step that failed is tried at once when the outside says that it is worth it, and not before its pause is over when
// the owner is only woken.
func TestRetryEndsThePause(t *testing.T) {
	var tried atomic.Int32
	var wake, retry atomic.Pointer[func()]
	def := define(step.Check("ask", func(context.Context, *scope) *outcome.Outcome {
		tried.Add(1)
		return outcome.Fail(outcome.Unavailable, errors.New("nobody answers"))
	}))
	tell := func(f *atomic.Pointer[func()]) func(context.Context, func(types.NamespacedName)) {
		return func(ctx context.Context, told func(types.NamespacedName)) {
			f.Store(new(func() { told(types.NamespacedName{Namespace: "default", Name: "one"}) }))
			<-ctx.Done()
		}
	}
	def.Wake, def.Retry = tell(&wake), tell(&retry)
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		w.pass(time.Hour)
		for before := tried.Load(); tried.Load() == before; { // then its next pause, of minutes, has just begun
			w.pass(time.Second)
		}
		for _, c := range []struct {
			what string
			tell *atomic.Pointer[func()]
			want int32
		}{{"woken", &wake, 0}, {"told to retry", &retry, 1}, {"told again", &retry, 1}} {
			before := tried.Load()
			(*c.tell.Load())()
			w.pass(time.Second)
			if got := tried.Load() - before; got != c.want {
				t.Errorf("%s, the step is tried %d times, want %d", c.what, got, c.want)
			}
		}
	})
}

// What failed for hours is tried soon again when its inputs are others, though these fail as well: a person who
// corrects one of two mistakes sees the second at once.
func TestOtherInputsFailAnew(t *testing.T) {
	var tried atomic.Int32
	def := define(step.Check("ask", func(_ context.Context, s *scope) *outcome.Outcome {
		tried.Add(1)
		return outcome.Fail(outcome.Unavailable, errors.New(string(s.Content("password")["password"])))
	}, step.Reads[*app]("password")))
	inWorld(t, def, func(w *world) {
		w.create(secret("password", map[string]string{"password": "wrong"}), newApp("one"))
		w.pass(time.Hour)
		change(w, &corev1.Secret{}, "password", func(s *corev1.Secret) { s.Data["password"] = []byte("wrong, too") })
		before := tried.Load()
		w.pass(10 * time.Second)
		if again := tried.Load() - before; again < 2 {
			t.Errorf("within 10 s after its inputs changed the step is tried %d times more, want at least 2", again)
		}
	})
}
