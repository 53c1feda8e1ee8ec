package reconcile_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/step"
)

// TestEditBeforeTheClaim is criterion 20: what somebody changes after the owner was read, and before the finalizer is
// put on it, is neither told to be done before every step has looked at it, nor overlooked.
func TestEditBeforeTheClaim(t *testing.T) {
	extra := step.Objects("extra", configMap("extra", fixed), makesMaps,
		step.When(func(a *app) bool { return a.Spec.Image == "app:2" }))
	def := define(step.Objects("config", configMap("config", fixed), makesMaps), extra)
	maps := func(w *world) (names []string) {
		l := &corev1.ConfigMapList{}
		w.do(w.c.List(t.Context(), l, client.InNamespace("default")))
		for i := range l.Items {
			names = append(names, l.Items[i].Name)
		}
		return names
	}
	for name, c := range map[string]struct {
		edit string
		want func(*world)
	}{
		"a step is switched on": {`{"spec":{"image":"app:2"}}`, func(w *world) {
			w.wantReady("one")
			if got := strings.Join(maps(w), " "); got != "one-config one-extra" {
				t.Errorf("there are the objects %q", got)
			}
		}},
		"it is paused": {`{"metadata":{"annotations":{"kit.stackwright.dev/paused":"true"}}}`, func(w *world) {
			if c := w.condition("one", condition.Paused); c.Status != metav1.ConditionTrue || len(maps(w)) > 0 {
				t.Errorf("condition Paused is %s, and there are the objects %q", c.Status, maps(w))
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, def, func(w *world) {
				var rival atomic.Bool
				rival.Store(true)
				w.reqs.before = func(h *http.Request) {
					switch {
					case strings.HasSuffix(h.URL.Path, "/apps/one") && rival.Swap(false):
						w.edit("one", c.edit)
					case strings.HasSuffix(h.URL.Path, "/one-extra"):
						w.wantUnfinished("one")
					}
				}
				w.create(newApp("one"))
				c.want(w)
			})
		})
	}
}

// edit patches an owner, in the goroutine of somebody else's request.
func (w *world) edit(name, patch string) {
	w.t.Helper()
	if err := w.c.Patch(w.t.Context(), newApp(name), client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		w.t.Error(err)
	}
}

// wantUnfinished wants a status that is of an older generation than the owner.
func (w *world) wantUnfinished(name string) {
	w.t.Helper()
	a := &app{}
	if err := w.c.Get(w.t.Context(), client.ObjectKeyFromObject(newApp(name)), a); err != nil {
		w.t.Error(err)
	}
	if a.Status.ObservedGeneration == a.Generation {
		w.t.Errorf("before the last step has made its object the status is of generation %d: %v", a.Generation,
			a.Status.Conditions)
	}
}
