package reconcile_test

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/step"
)

// TestUndeclared: what a step does not declare would not make it look again. It is not done, and says what to add.
func TestUndeclared(t *testing.T) {
	maps := func(look func(*scope), o ...step.Option[*app]) step.Step[*app] {
		render := func(s *scope) ([]client.Object, error) {
			look(s)
			return configMap("config", fixed)(s)
		}
		return step.Objects("config", render, append(o, makesMaps)...)
	}
	now := func(s *scope) { s.Now() }
	for name, c := range map[string]struct {
		step step.Step[*app]
		want string
	}{
		"a reference": {maps(func(s *scope) { s.Get("password") }),
			`step config uses "password" without declaring it; add it to step.Reads`},
		"a step": {maps(func(s *scope) { s.Child("web", "Deployment", "one-web") }),
			`step config uses "web" without declaring it; add it to step.Sees`},
		"the time":             {maps(now), "step config asks for the time without saying how often; add step.Every"},
		"the time, with Every": {maps(now, step.Every[*app](time.Hour)), ""},
		"the time, by a Job": {step.Job("config", func(s *scope) (*batchv1.Job, error) {
			now(s)
			return job(s)
		}), "step config asks for the time"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, define(c.step), func(w *world) {
				w.create(secret("password", map[string]string{"password": "x"}), newApp("one"))
				if c.want == "" {
					w.wantReady("one")
					return
				}
				if got := w.condition("one", "Ready"); got.Status != "False" || !strings.Contains(got.Message, c.want) {
					t.Errorf("it says %s %q, want %q", got.Status, got.Message, c.want)
				}
			})
		})
	}
}
