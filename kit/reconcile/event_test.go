package reconcile_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"
)

// teller notes when events are told, by step and reason. Real recorders gather them in series, of which requests tell
// little.
type teller map[string][]time.Time

// Eventf takes an event.
func (e teller) Eventf(_, _ runtime.Object, _, reason, action, _ string, _ ...any) {
	k := action + "/" + reason
	e[k] = append(e[k], time.Now())
}

// TestFlappingStep is criterion 22: a step that is now done and now not tells so once in five minutes, and goes on to.
func TestFlappingStep(t *testing.T) {
	const pause = 5 * time.Minute
	base, err := template()
	must(t, err)
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, api: base.Fresh()}
		w.reqs = &requests{next: w.api.Config().Transport}
		w.c, err = client.New(w.api.Config(), client.Options{Scheme: scheme(t)})
		w.do(err)
		var n atomic.Int64
		check := func(_ context.Context, s *scope) *outcome.Outcome {
			s.Tell(step.Note{Reason: "Looked", Message: "It was looked at."})
			if n.Add(1)%2 == 0 {
				return nil
			}
			out := outcome.Wait("water", "Waits for water; fill it up.")
			out.Reason = fmt.Sprint("Low", n.Load()%3)
			return out
		}
		l, mgr := newLoop(t, define(step.Check("water", check, step.Condition[*app]("WaterReady")),
			step.Objects("config", configMap("config", fixed), makesMaps)), w.api.Config())
		told := teller{}
		l.Recorder = told
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- mgr.Start(ctx) }()
		defer func() {
			cancel()
			w.do(<-done)
		}()
		w.create(newApp("one"))
		for range 120 {
			_, err := l.Reconcile(t.Context(), ctrlreconcile.Request{NamespacedName: types.NamespacedName{
				Namespace: "default", Name: "one"}})
			w.do(err)
			w.pass(30 * time.Second)
		}
		want := []string{"Ready/Low0", "Ready/Low1", "Ready/Low2", "Ready/Ready", "WaterReady/Low0", "WaterReady/Low1",
			"WaterReady/Low2", "WaterReady/Ready", "water/Looked"}
		if got := slices.Sorted(maps.Keys(told)); !slices.Equal(got, want) {
			t.Errorf("events tell %q, want %q", got, want)
		}
		for what, times := range told {
			for i := range len(times) - 1 {
				if d := times[i+1].Sub(times[i]); d < pause {
					t.Errorf("%s is told again after %s", what, d)
				}
			}
			if len(times) < 9 {
				t.Errorf("%s is told %d times within an hour", what, len(times))
			}
		}
	})
}
