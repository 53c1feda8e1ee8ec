package reconcile_test

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit"
	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"
)

// What a step advises is in its condition, and counts neither for Ready nor for Stalled.
func TestAdvice(t *testing.T) {
	advise := step.Check("spare", func(context.Context, *scope) *outcome.Outcome {
		return outcome.Wait("a spare", "App one has no spare; add one.")
	}, step.Advises[*app]("SpareThere"))
	inWorld(t, define(advise), func(w *world) {
		w.create(newApp("one"))
		w.pass(time.Hour)
		w.wantReady("one")
		c := w.condition("one", "SpareThere")
		if c.Status != metav1.ConditionFalse || c.Message != "App one has no spare; add one." {
			t.Errorf("the advice is %s: %s", c.Status, c.Message)
		}
		for _, kind := range []string{condition.Stalled, condition.Reconciling} {
			if c := w.condition("one", kind); c.Status != "Absent" {
				t.Errorf("%s is %s: %s", kind, c.Status, c.Message)
			}
		}
		w.reqs.take()
		w.pass(time.Hour)
		w.wantRequests("an hour with an advice", 0)
	})
}

// Nothing can be made to wait for an advice.
func TestNobodyWaitsForAdvice(t *testing.T) {
	good := func(context.Context, *scope) *outcome.Outcome { return nil }
	for name, steps := range map[string][]step.Step[*app]{
		"a step after it": {step.Check("spare", good, step.Advises[*app]("SpareThere")),
			step.Check("then", good, step.After[*app]("spare"))},
		"objects": {step.Objects("spare", workload("web"), makesWeb, step.Advises[*app]("SpareThere"))},
	} {
		_, err := kit.New(define(steps...), scheme(t))
		if err == nil || !strings.Contains(err.Error(), "step spare only advises") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
