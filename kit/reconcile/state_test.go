package reconcile_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"
)

// metric adds up the series of a metric that have all the labels, given as name and value in turn; there tells whether
// there is one.
func metric(tb testing.TB, name string, labels ...string) (sum float64, there bool) {
	tb.Helper()
	all, err := metrics.Registry.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range all {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			has := map[string]string{}
			for _, l := range m.GetLabel() {
				has[l.GetName()] = l.GetValue()
			}
			fits := true
			for i := 0; i < len(labels); i += 2 {
				fits = fits && has[labels[i]] == labels[i+1]
			}
			if fits {
				sum, there = sum+m.GetCounter().GetValue()+m.GetGauge().GetValue()+
					float64(m.GetHistogram().GetSampleCount()), true
			}
		}
	}
	return sum, there
}

// requested is how many requests the runs of a controller say they have sent.
func requested(tb testing.TB, controller string) (sum float64) {
	tb.Helper()
	all, err := metrics.Registry.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range all {
		for _, m := range f.GetMetric() {
			if f.GetName() == "kit_reconcile_requests" && m.GetLabel()[0].GetValue() == controller {
				sum += m.GetHistogram().GetSampleSum()
			}
		}
	}
	return sum
}

// given is a step with something that ends, unless an owner has the annotation own.
func given(end *time.Time) step.Step[*app] {
	return step.Check("given", func(context.Context, *scope) *outcome.Outcome {
		return &outcome.Outcome{State: outcome.StateDone, After: time.Until(*end), Ends: *end}
	}, step.When(func(a *app) bool { return a.Annotations["own"] == "" }))
}

// TestStateShows: the metrics tell how many objects are ready, which steps wait and for how long, and when Secrets are
// to be renewed or what was given ends; asking for them costs no request, and what waits no more has no series.
func TestStateShows(t *testing.T) {
	const life = 3 * time.Hour
	open := false
	secret := func(name string, next time.Duration) step.Step[*app] {
		generate := func(_ *scope, have map[string][]byte) (*step.Generated, error) {
			if have == nil || next > 0 {
				have = map[string][]byte{"key": []byte(time.Now().String())}
			}
			return &step.Generated{Secret: &corev1.Secret{Data: have}, Next: next}, nil
		}
		return step.Secret(name, generate, func(a *app) string { return a.Name + "-" + name })
	}
	waits := step.Check("waits", func(context.Context, *scope) *outcome.Outcome {
		if open {
			return nil
		}
		return outcome.Wait("Door", "Waits until the door is open; open it.")
	})
	var end time.Time
	inWorld(t, define(secret("renewed", life), secret("kept", 0), waits, given(&end)), func(w *world) {
		name := w.def.Name
		end = time.Now().Add(2 * life)
		want := func(name string, want float64, labels ...string) {
			t.Helper()
			if got, there := metric(t, name, labels...); !there || got < want-1 || got > want+1 {
				t.Errorf("%s %v is %v (%v), want %v", name, labels, got, there, want)
			}
		}
		w.create(newApp("one"), newApp("two"))
		w.pass(settle)
		w.pass(time.Hour)
		w.reqs.take()
		want("kit_objects", 2, "controller", name, "ready", "False")
		want("kit_objects", 0, "controller", name, "ready", "True")
		want("kit_steps_waiting", 2, "controller", name, "step", "waits")
		want("kit_step_longest_wait_seconds", 3600, "controller", name, "step", "waits")
		want("kit_secret_renewal_seconds", (life - time.Hour).Seconds(), "controller", name, "step", "renewed")
		want("kit_secret_age_seconds", 3600, "controller", name, "step", "kept")
		want("kit_secret_renewal_seconds", (2*life - time.Hour).Seconds(), "controller", name, "step", "given")
		w.wantRequests("asking for metrics", 0)
		want("kit_step_seconds", 2, "controller", name, "step", "kept")
		open = true
		for _, name := range []string{"one", "two"} {
			change(w, &app{}, name, func(a *app) {
				a.Annotations["kit.stackwright.dev/reconcile"], a.Annotations["own"] = "1", "yes"
			})
		}
		w.pass(3 * time.Hour)
		want("kit_objects", 2, "controller", name, "ready", "True")
		want("kit_secret_renewal_seconds", (2 * time.Hour).Seconds(), "controller", name, "step", "renewed")
		if v, there := metric(t, "kit_secret_renewal_seconds", "controller", name, "step", "given"); there {
			t.Errorf("a step that is off has a Secret that ends in %v s", v)
		}
		for _, gone := range []string{"kit_steps_waiting", "kit_steps_failed", "kit_step_longest_wait_seconds"} {
			if v, there := metric(t, gone, "controller", name); there {
				t.Errorf("%s is still there: %v", gone, v)
			}
		}
	})
}

// TestAgeIsThatOfTheContent: the age of a Secret begins anew when the same Secret gets another content, and goes on
// when the operator starts again or the Secret comes back from its copy. Noting that costs no write of its own.
func TestAgeIsThatOfTheContent(t *testing.T) {
	password := step.Secret("password", func(s *scope, _ map[string][]byte) (*step.Generated, error) {
		return &step.Generated{Secret: &corev1.Secret{Data: map[string][]byte{"key": []byte(s.Owner().Spec.Image)}}}, nil
	}, func(a *app) string { return a.Name + "-password" }, step.Copied[*app]())
	inWorld(t, define(password), func(w *world) {
		want := func(after string, want time.Duration) {
			t.Helper()
			age, there := metric(t, "kit_secret_age_seconds", "controller", w.def.Name, "step", "password")
			if !there || age < want.Seconds() || age > (want+2*time.Minute).Seconds() { // a start takes a minute
				t.Errorf("%s: the age is %v s (%v), want %v", after, age, there, want.Seconds())
			}
		}
		get := func() *corev1.Secret {
			s := &corev1.Secret{}
			w.do(w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "one-password"}, s))
			return s
		}
		w.create(newApp("one"))
		w.pass(time.Hour)
		want("made", time.Hour)
		change(w, &app{}, "one", func(a *app) { a.Spec.Image = "rotated:2" })
		want("rotated", 0)
		w.reqs.take()
		w.pass(time.Hour)
		w.wantRequests("at rest", 0)
		want("at rest", time.Hour)
		version := get().ResourceVersion
		w.stop()
		w.start()
		w.pass(time.Hour)
		want("started again", 2*time.Hour)
		if now := get().ResourceVersion; now != version {
			t.Errorf("the Secret is written at the start: version %s, then %s", version, now)
		}
		w.do(w.c.Delete(t.Context(), get()))
		w.pass(settle)
		want("back from its copy", 2*time.Hour)
	})
}
