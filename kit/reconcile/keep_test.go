package reconcile_test

import (
	"testing"

	"stackwright.dev/kit/step"
)

// The same step keeps its objects for one owner and removes them for another, and follows a change of mind.
func TestKeepWhenDecidesForEachOwner(t *testing.T) {
	for name, c := range map[string]struct {
		first, last bool
		want        string
	}{
		"kept":                 {true, true, "one-data"},
		"removed":              {false, false, ""},
		"kept after change":    {false, true, "one-data"},
		"removed after change": {true, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			def := define(step.Objects("data", configMap("data", fixed), makesMaps,
				step.KeepWhen(func(a *app) bool { return a.Spec.Public })))
			inWorld(t, def, func(w *world) {
				o := newApp("one")
				o.Spec.Public = c.first
				w.create(o)
				w.wantReady("one")
				change(w, &app{}, "one", func(a *app) { a.Spec.Public = c.last })
				w.pass(settle)
				w.do(w.c.Delete(t.Context(), w.app("one")))
				w.pass(settle)
				if got := w.maps(); got != c.want {
					t.Errorf("left are %q, want %q", got, c.want)
				}
			})
		})
	}
}
