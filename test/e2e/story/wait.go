package story

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"
)

const pace = 200 * time.Millisecond

// Eventually asks check again and again until it returns nil, and fails the test with its last answer after within.
// It returns how long it took.
func (w *World) Eventually(within time.Duration, what string, check func(context.Context) error) time.Duration {
	w.Helper()
	began := time.Now()
	within *= time.Duration(max(1, w.Slack))
	last := errors.New("was not asked")
	err := wait.PollUntilContextTimeout(w.Context(), pace, within, true, func(ctx context.Context) (bool, error) {
		answer := check(ctx)
		// The look that the deadline cuts off says less than the one before.
		if ctx.Err() == nil || answer == nil {
			last = answer
		}
		return answer == nil, nil
	})
	if err != nil {
		w.Fatalf("%s: not within %s: %v", what, within, last)
	}
	took := time.Since(began)
	w.Logf("%s: %s", what, took.Round(time.Millisecond))
	return took
}

// Holds asks check again and again for as long as d, and fails the test when it once does not return nil.
func (w *World) Holds(d time.Duration, what string, check func(context.Context) error) {
	w.Helper()
	if err := holds(w.Context(), d, check); err != nil {
		w.Fatalf("%s: did not hold: %v", what, err)
	}
}

// holds lets the check that is under way after d come to its end: being cut off says nothing.
func holds(ctx context.Context, d time.Duration, check func(context.Context) error) error {
	began := time.Now()
	return wait.PollUntilContextTimeout(ctx, pace, d+time.Minute, true, func(ctx context.Context) (bool, error) {
		err := check(ctx)
		return time.Since(began) >= d, err
	})
}

// Ready waits until obj passes the gate of its kind, and fills it.
func (w *World) Ready(within time.Duration, obj client.Object) time.Duration {
	w.Helper()
	what := fmt.Sprintf("%T %s is ready", obj, obj.GetName())
	ready := gate.For(obj)
	return w.Eventually(within, what, func(ctx context.Context) error {
		if err := w.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
			return err
		}
		if ok, why := ready(obj); !ok {
			return errors.New(why)
		}
		return nil
	})
}

// Gone waits until obj does not exist.
func (w *World) Gone(within time.Duration, obj client.Object) time.Duration {
	w.Helper()
	what := fmt.Sprintf("%T %s is gone", obj, obj.GetName())
	return w.Eventually(within, what, func(ctx context.Context) error {
		err := w.Get(ctx, client.ObjectKeyFromObject(obj), obj)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New("it is still there"), err)
	})
}

// Says is a check that a condition of obj is False with words in its reason or message. It reads obj.
func (w *World) Says(obj client.Object, condition, words string) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := w.Get(ctx, w.Key(obj), obj); err != nil {
			return err
		}
		u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		if err != nil {
			return err
		}
		list, _, err := unstructured.NestedSlice(u, "status", "conditions")
		for _, c := range list {
			c, _ := c.(map[string]any)
			said := fmt.Sprint(c["reason"], ": ", c["message"])
			if c["type"] == condition && c["status"] == "False" && strings.Contains(said, words) {
				return nil
			}
		}
		return errors.Join(fmt.Errorf("the conditions are %v", list), err)
	}
}
