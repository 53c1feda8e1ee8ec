package reconcile_test

import (
	"context"
	"slices"
	"testing"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"
)

// A step that looks at the objects of another one runs behind it without waiting for it: what it has seen is never
// older than what it is taken to have seen. One that the other comes after looks at what an earlier run left.
func TestLookingIsNotWaiting(t *testing.T) {
	looks := func(s *step.Step[*app]) { s.Sees = append(s.Sees, "set") }
	var seen []string
	look := func(who string) func(context.Context, *scope) *outcome.Outcome {
		return func(_ context.Context, s *scope) *outcome.Outcome {
			what := who + " nothing"
			if s.Child("set", "ConfigMap", s.Owner().Name+"-set") != nil {
				what = who + " set"
			}
			if !slices.Contains(seen, what) {
				seen = append(seen, what)
			}
			return outcome.Done()
		}
	}
	inWorld(t, define(
		step.Check("behind", look("behind"), looks),
		step.Check("before", look("before"), looks),
		step.Objects("set", configMap("set", fixed), makesMaps, step.Reads[*app]("password"), step.After[*app]("before")),
	), func(w *world) {
		w.create(newApp("one"))
		if want := []string{"before nothing", "behind nothing"}; !slices.Equal(seen, want) {
			t.Errorf("while step set waits for its reference the others have seen %q, want %q", seen, want)
		}
		seen = nil
		w.do(w.c.Create(t.Context(), secret("password", map[string]string{"password": "x"})))
		w.readyAtOnce("one")
		if slices.Contains(seen, "behind nothing") || !slices.Contains(seen, "behind set") {
			t.Errorf("the step behind it has seen %q", seen)
		}
	})
}
