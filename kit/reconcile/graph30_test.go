package reconcile_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/external"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"
)

type scope = step.Scope[*app]

// cloud is an external endpoint that keeps things by marker.
type cloud struct{ ids atomic.Int64 }

func (c *cloud) Observe(context.Context, string, string) (external.Observation[string], error) {
	return external.Observation[string]{State: external.Ready}, nil
}
func (c *cloud) Find(context.Context, external.Marker, string) ([]string, error) { return nil, nil }
func (c *cloud) Create(context.Context, external.Marker, string) (string, error) {
	return fmt.Sprint(c.ids.Add(1)), nil
}
func (c *cloud) Update(context.Context, string, string, []string) error { return nil }
func (c *cloud) Delete(context.Context, string) error                   { return nil }

// graph30 is the owner of the criteria: 30 children in 5 levels, 2 Deployments with gates, 1 Job, 2 external resources.
// Only the ConfigMap of step first depends on the spec. renders counts by step how often it was asked what it wants,
// and looks how often a Deployment was asked whether it is ready.
func graph30(renders map[string]*atomic.Int64, looks *atomic.Int64) kit.Definition[*app] {
	deployment := step.Ready[*app]("Deployment", func(o client.Object) (bool, string) {
		looks.Add(1)
		return gate.For(&appsv1.Deployment{})(o)
	})
	d := kit.Definition[*app]{Name: "graph", New: func() *app { return &app{} }}
	d.Refs = []ref.Ref[*app]{ref.Local("password", &corev1.Secret{}, func(a *app) string { return a.Spec.PasswordSecret },
		ref.Fields[*app]("password"))}
	maps := func(prefix string, n int, value func(*app, int) string) func(*scope) ([]client.Object, error) {
		return counted(renders, prefix, func(s *scope) ([]client.Object, error) {
			var out []client.Object
			for i := range n {
				cm := &corev1.ConfigMap{Data: map[string]string{"value": value(s.Owner(), i)}}
				cm.Name = fmt.Sprintf("%s-%s-%d", s.Owner().Name, prefix, i)
				out = append(out, cm)
			}
			return out, nil
		})
	}
	fixed := func(*app, int) string { return "fixed" }
	things := &cloud{}
	thing := func(name string) step.Externals[*app, string, string] {
		return step.Externals[*app, string, string]{
			Dial: func(*scope) (external.Client[string, string], error) { return things, nil },
			Want: counted(renders, name, func(s *scope) (string, error) { return s.Owner().Name, nil }),
		}
	}
	nothing := step.Uses(func(*app) any { return nil })
	cms := step.Makes[*app](&corev1.ConfigMap{})
	d.Steps = []step.Step[*app]{
		step.Objects("first", maps("first", 1, func(a *app, _ int) string { return a.Spec.Image }), cms),
		step.Objects("one", maps("one", 8, fixed), cms, nothing),
		step.External("thing-a", thing("thing-a"), nothing), step.External("thing-b", thing("thing-b"), nothing),
		step.Job("job", counted(renders, "job", job), nothing, step.After[*app]("one", "thing-a"),
			step.Condition[*app]("JobReady")),
		step.Objects("two", maps("two", 9, fixed), cms, nothing, step.After[*app]("one")),
		step.Objects("web", counted(renders, "web", workload("web")), nothing, step.Makes[*app](&appsv1.Deployment{}),
			step.After[*app]("job", "two"), step.Reads[*app]("password"), step.Condition[*app]("WebReady"), deployment),
		step.Objects("four", maps("four", 5, fixed), cms, nothing, step.After[*app]("web", "thing-b")),
		step.Objects("api", counted(renders, "api", workload("api")), nothing, step.Makes[*app](&appsv1.Deployment{}),
			step.After[*app]("four"), step.Condition[*app]("APIReady"), deployment),
		step.Objects("four-too", maps("five", 4, fixed), cms, nothing, step.After[*app]("web")),
	}
	return d
}

// counted counts the calls of what renders a step.
func counted[O any](n map[string]*atomic.Int64, name string, render func(*scope) (O, error)) func(*scope) (O, error) {
	calls := &atomic.Int64{}
	n[name] = calls
	return func(s *scope) (O, error) {
		calls.Add(1)
		return render(s)
	}
}

func pod() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "x"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "fixed"}}}}
}

func job(s *scope) (*batchv1.Job, error) {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: s.Owner().Name + "-job"},
		Spec: batchv1.JobSpec{Template: pod()}}, nil
}

func workload(suffix string) func(*scope) ([]client.Object, error) {
	return func(s *scope) ([]client.Object, error) {
		d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: new(int32(1)), Template: pod(),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}}}
		d.Name = s.Owner().Name + "-" + suffix
		return []client.Object{d}, nil
	}
}

func TestGraph30(t *testing.T) {
	renders, looks := map[string]*atomic.Int64{}, &atomic.Int64{}
	inWorld(t, graph30(renders, looks), func(w *world) {
		w.create(secret("password", map[string]string{"password": "x", "other": "y"}))
		w.reqs.take()
		w.create(newApp("big"))
		for range 5 {
			w.roll()
		}
		w.wantReady("big")
		log := w.reqs.take()
		children := len(w.app("big").Status.Inventory)
		status, owner := count(log, "PATCH", "apps/big/status"), count(log, "PATCH", "apps/big")-count(log, "PATCH",
			"apps/big/status")
		applies := count(log, "PATCH", "") - status - owner
		reads := count(log, "GET", "/secrets/password")
		t.Logf("criterion 3: children %d, applies %d, owner writes %d, status writes %d, reads %d", children, applies, owner,
			status, reads)
		if children != 30 || applies != 30 || owner != 1 || status > 7 || reads != 1 || len(log) != 32+status {
			t.Errorf("want 30 children, 30 applies, 1 owner write, at most 7 status writes, 1 read of the Secret, nothing "+
				"else: %s", strings.Join(log, "; "))
		}
		quiet(w, renders, looks)
		oneField(w, renders)
	})
}

// Criterion 3: what is of one level is sent at once. Each write takes a tenth of a second here.
func TestLevelsAreSentAtOnce(t *testing.T) {
	inWorld(t, graph30(map[string]*atomic.Int64{}, &atomic.Int64{}), func(w *world) {
		const each = 100 * time.Millisecond
		w.create(secret("password", map[string]string{"password": "x"}))
		w.reqs.slow, w.reqs.sent = each, map[string][]time.Time{}
		w.create(newApp("big"))
		for range 10 {
			w.roll()
		}
		w.wantReady("big")
		for _, level := range [][]string{{"first", "one"}, {"two", "job"}, {"web"}, {"four", "five"}, {"api"}} {
			children, took := sentWithin(w.reqs.sent, level, each)
			t.Logf("criterion 3: level of %s: %d children in %s where each takes %s", strings.Join(level, " and "), children,
				took, each)
			if children == 0 || took > each*3/2 {
				t.Errorf("the level of %s takes %s, at most one and a half times the %s of its slowest child",
					strings.Join(level, " and "), took, each)
			}
		}
	})
}

// sentWithin is how many children of these steps were written, and how long from the first write's begin to the last
// one's end.
func sentWithin(sent map[string][]time.Time, steps []string, each time.Duration) (children int, took time.Duration) {
	var all []time.Time
	for path, times := range sent {
		if slices.ContainsFunc(steps, func(step string) bool { return strings.Contains(path, "/big-"+step) }) {
			children++
			all = append(all, times...)
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	return children, slices.MaxFunc(all, time.Time.Compare).Sub(slices.MinFunc(all, time.Time.Compare)) + each
}

// quiet is criteria 1, 2 and 22: nothing is asked, written or told at rest, nor after an event that changes no verdict.
func quiet(w *world, renders map[string]*atomic.Int64, looks *atomic.Int64) {
	w.t.Helper()
	before, told := total(renders, ""), w.reqs.events
	if told == 0 {
		w.t.Error("no event tells that it is ready")
	}
	change(w, &app{}, "big", func(a *app) {
		a.SetAnnotations(merge(a.GetAnnotations(), "kit.stackwright.dev/reconcile",
			"now"))
	})
	w.wantRequests("run at rest", 0)
	d := &appsv1.Deployment{}
	w.do(w.c.Get(w.t.Context(), client.ObjectKey{Namespace: "default", Name: "big-web"}, d))
	d.Status.Conditions[0].Message = "new words"
	looked := looks.Load()
	w.do(w.c.Status().Update(w.t.Context(), d))
	w.pass(settle)
	w.wantRequests("status event without a new verdict", 0)
	if n := looks.Load() - looked; n != 1 {
		w.t.Errorf("%d gates were asked after an event of one child, want 1", n)
	}
	if n := w.reqs.events - told; n != 0 {
		w.t.Errorf("%d events were sent at rest", n)
	}
	if n := total(renders, "") - before; n != 0 {
		w.t.Errorf("runs at rest rendered %d steps", n)
	}
}

func merge(m map[string]string, k, v string) map[string]string {
	out := map[string]string{k: v}
	for a, b := range m {
		if a != k {
			out[a] = b
		}
	}
	return out
}

func total(renders map[string]*atomic.Int64, but string) int64 {
	var n int64
	for k, v := range renders {
		if k != but {
			n += v.Load()
		}
	}
	return n
}

// oneField is criterion 4: one changed field makes one render, of the one step of ten that uses it, and one apply.
func oneField(w *world, renders map[string]*atomic.Int64) {
	w.t.Helper()
	before, first := total(renders, "first"), renders["first"].Load()
	change(w, &app{}, "big", func(a *app) { a.Spec.Image = "app:2" })
	if n := total(renders, "first") - before; n != 0 {
		w.t.Errorf("%d steps rendered besides the one that uses the field", n)
	}
	if n := renders["first"].Load() - first; n != 1 {
		w.t.Errorf("the step that uses the field rendered %d times, want once", n)
	}
	log := w.reqs.take()
	status := count(log, "PATCH", "/status")
	applies := count(log, "PATCH", "") - status
	w.t.Logf("criterion 4: applies %d, status writes %d", applies, status)
	if applies != 1 || status > 2 || len(log) != applies+status {
		w.t.Errorf("want 1 apply and at most 2 status writes: %s", strings.Join(log, "; "))
	}
	w.wantReady("big")
}
