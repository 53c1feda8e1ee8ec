package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/reconcile"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"
)

// configMap renders one ConfigMap named after the owner.
func configMap(suffix string, value func(*scope) string) func(*scope) ([]client.Object, error) {
	return func(s *scope) ([]client.Object, error) {
		cm := &corev1.ConfigMap{Data: map[string]string{"value": value(s)}}
		cm.Name = s.Owner().Name + "-" + suffix
		return []client.Object{cm}, nil
	}
}

func fixed(*scope) string { return "fixed" }

func define(steps ...step.Step[*app]) kit.Definition[*app] {
	return kit.Definition[*app]{Name: "test", New: func() *app { return &app{} }, Steps: steps,
		Refs: []ref.Ref[*app]{ref.Local("password", &corev1.Secret{}, func(a *app) string { return a.Spec.PasswordSecret },
			ref.Fields[*app]("password"))}}
}

var (
	makesMaps = step.Makes[*app](&corev1.ConfigMap{})
	makesWeb  = step.Makes[*app](&appsv1.Deployment{})
)

// TestLateReference is criteria 15, 16 and 33: waiting costs nothing, what is waited for wakes exactly its referrers,
// and the metric of requests counts each.
func TestLateReference(t *testing.T) {
	const others = 200
	def := define(step.Objects("config", configMap("config", fixed), makesMaps, step.Reads[*app]("password"),
		step.Condition[*app]("ConfigReady")))
	inWorld(t, def, func(w *world) {
		for i := range others {
			a := newApp(fmt.Sprintf("other-%d", i))
			a.Spec.PasswordSecret = fmt.Sprintf("secret-%d", i)
			w.do(w.c.Create(w.t.Context(), a))
		}
		w.create(newApp("one"))
		c := w.condition("one", "ConfigReady")
		want := "Secret password does not exist in namespace default; create it with the keys password."
		if c.Message != want {
			t.Errorf("got message %q, want %q", c.Message, want)
		}
		w.reqs.take()
		w.pass(time.Minute)
		w.wantRequests("a minute of waiting", 0)
		before, events := requested(t, def.Name), w.reqs.events
		w.do(w.c.Create(w.t.Context(), secret("password", map[string]string{"password": "x"})))
		w.readyAtOnce("one")
		w.pass(settle)
		log := w.reqs.take()
		for _, l := range log {
			if strings.Contains(l, "other-") {
				t.Errorf("an owner that does not refer to the secret was woken: %s", l)
			}
		}
		sent := len(log) + w.reqs.events - events
		if n := requested(t, def.Name) - before; n != float64(sent) || count(log, "GET", "/secrets/password") != 1 {
			t.Errorf("the metric counts %v requests, %d were sent, %d of them events: %s", n, sent, w.reqs.events-events,
				strings.Join(log, "; "))
		}
	})
}

// readyAtOnce wants an owner ready within 100 ms from now, by the clock of the bubble.
func (w *world) readyAtOnce(name string) {
	w.t.Helper()
	begin := time.Now()
	for w.condition(name, "Ready").Status != metav1.ConditionTrue {
		if time.Since(begin) > 100*time.Millisecond {
			w.t.Fatal("the owner is not ready 100 ms after the change it waited for")
		}
		w.pass(time.Millisecond)
	}
	w.t.Logf("criterion 15: ready %d ms after what was waited for, processor time apart", time.Since(begin).Milliseconds())
}

// TestAwaited is criterion 15: waiting for a child's readiness, or for what another custom resource says, costs
// nothing, and the owner has run 100 ms after the change.
func TestAwaited(t *testing.T) {
	other := ref.To("other", &app{}, func(a *app) []types.NamespacedName {
		if a.Name != "one" {
			return nil
		}
		return []types.NamespacedName{{Namespace: "default", Name: "other"}}
	}, ref.WaitFor[*app](gate.For(&app{})))
	for name, c := range map[string]struct {
		step   step.Step[*app]
		change func(*world)
	}{
		"a child": {step.Objects("web", workload("web"), makesWeb), func(w *world) {
			d := &appsv1.Deployment{}
			w.do(w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "one-web"}, d))
			d.Status = available(d)
			w.do(w.c.Status().Update(t.Context(), d))
		}},
		"another custom resource": {step.Objects("map", configMap("map", fixed), makesMaps, step.Reads[*app]("other")),
			func(w *world) {
				a := w.app("other")
				delete(a.Annotations, reconcile.AnnotationPaused)
				w.do(w.c.Update(t.Context(), a))
			}},
	} {
		t.Run(name, func(t *testing.T) {
			def := define(c.step)
			def.Refs = append(def.Refs, other)
			inWorld(t, def, func(w *world) {
				paused := newApp("other")
				paused.Annotations = map[string]string{reconcile.AnnotationPaused: "true"}
				w.create(paused, newApp("one"))
				w.pass(settle)
				w.reqs.take()
				w.pass(time.Minute)
				w.wantRequests("a minute of waiting", 0)
				if c := w.condition("one", "Ready"); c.Reason != "Waiting" {
					t.Fatalf("it does not wait: %s %s", c.Reason, c.Message)
				}
				c.change(w)
				w.readyAtOnce("one")
			})
		})
	}
}

// TestMissingOfTheCluster: what belongs to no namespace is not looked for in one.
func TestMissingOfTheCluster(t *testing.T) {
	def := define(step.Objects("config", configMap("config", fixed), makesMaps, step.Reads[*app]("class"),
		step.Condition[*app]("ConfigReady")))
	def.Refs = append(def.Refs, ref.To("class", &storagev1.StorageClass{},
		func(*app) []types.NamespacedName { return []types.NamespacedName{{Name: "fast"}} }))
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		want := "StorageClass fast does not exist; create it, or name one that exists: kubectl get storageclass."
		if c := w.condition("one", "ConfigReady"); c.Message != want {
			t.Errorf("got message %q, want %q", c.Message, want)
		}
	})
}

// TestMissingKey: a malformed Secret is named with what it lacks, and its repair is noticed.
func TestMissingKey(t *testing.T) {
	def := define(step.Objects("config",
		configMap("config", func(s *scope) string { return s.Value("password", "password") }),
		makesMaps, step.Reads[*app]("password")))
	inWorld(t, def, func(w *world) {
		w.create(secret("password", map[string]string{"passwort": "x"}), newApp("one"))
		if c, want := w.condition("one",
			"Ready"), `Secret password has no key "password"; add it.`; !strings.Contains(c.Message, want) {
			t.Errorf("got %q, want %q", c.Message, want)
		}
		change(w, &corev1.Secret{}, "password", func(s *corev1.Secret) { s.Data["password"] = []byte("x") })
		w.wantReady("one")
	})
}

// TestDigest is criterion 17.
func TestDigest(t *testing.T) {
	render := func(s *scope) ([]client.Object, error) {
		objs, err := workload("web")(s)
		objs[0].(*appsv1.Deployment).Spec.Template.Annotations = map[string]string{"digest": s.Digest("password", "password")}
		return objs, err
	}
	inWorld(t, define(step.Objects("web", render, makesWeb, step.Reads[*app]("password"))), func(w *world) {
		w.create(secret("password", map[string]string{"password": "x", "other": "y"}), newApp("one"))
		w.settled(2)
		web := func() string {
			d := &appsv1.Deployment{}
			w.do(w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "one-web"}, d))
			return fmt.Sprintf("%d %s", d.Generation, d.Spec.Template.Annotations["digest"])
		}
		before := web()
		change(w, &corev1.Secret{}, "password", func(s *corev1.Secret) { s.Data["other"] = []byte("z") })
		if after := web(); after != before {
			t.Errorf("an unused key rolled the pods: %s, then %s", before, after)
		}
		change(w, &corev1.Secret{}, "password", func(s *corev1.Secret) { s.Data["password"] = []byte("z") })
		if after := web(); after == before || !strings.HasPrefix(after, "2 ") {
			t.Errorf("a used key did not roll the pods once: %s, then %s", before, after)
		}
	})
}

// TestPause is criterion 25.
func TestPause(t *testing.T) {
	inWorld(t, define(step.Objects("config", configMap("config", fixed), makesMaps)), func(w *world) {
		a := newApp("one")
		a.Annotations = map[string]string{"kit.stackwright.dev/paused": "true"}
		w.create(a)
		if log := w.reqs.take(); len(log) != 1 || !strings.HasSuffix(log[0], "/status") {
			t.Errorf("a paused owner got more than its condition: %v", log)
		}
		w.wantPaused("the annotation kit.stackwright.dev/paused")
		if w.reqs.events != 1 {
			t.Errorf("%d events tell of the pause, want 1", w.reqs.events)
		}
		change(w, &app{}, "one", func(a *app) { a.Annotations["cluster.x-k8s.io/paused"] = "" })
		w.wantPaused("the annotation kit.stackwright.dev/paused and the annotation cluster.x-k8s.io/paused")
		change(w, &app{}, "one", func(a *app) { delete(a.Annotations, "kit.stackwright.dev/paused") })
		w.wantPaused("the annotation cluster.x-k8s.io/paused")
		change(w, &app{}, "one", func(a *app) { a.Annotations = nil })
		w.wantReady("one")
		if c := w.condition("one", "Paused"); c.Status != "Absent" {
			t.Errorf("condition Paused is still %s", c.Status)
		}
		change(w, &app{}, "one", func(a *app) { a.Annotations["kit.stackwright.dev/paused"] = "true" })
		w.pausedStays()
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.pass(settle)
		if c := w.condition("one", "Paused"); !strings.Contains(c.Message, "waits to be deleted") {
			t.Errorf("deletion under pause is not announced: %q", c.Message)
		}
		change(w, &app{}, "one", func(a *app) { delete(a.Annotations, "kit.stackwright.dev/paused") })
		if err := w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "one"},
			&app{}); client.IgnoreNotFound(err) != nil || err == nil {
			t.Errorf("the owner is not gone after the pause: %v", err)
		}
	})
}

// wantPaused wants that "one" is paused by what is named, and says so.
func (w *world) wantPaused(by string) {
	w.t.Helper()
	c, want := w.condition("one", "Paused"), "The object is paused; remove "+by+" to go on."
	if c.Status != metav1.ConditionTrue || c.Message != want {
		w.t.Errorf("condition Paused is %s %q, want %q", c.Status, c.Message, want)
	}
}

// pausedStays changes what the paused owner asks for, and its object: neither is acted on.
func (w *world) pausedStays() {
	w.t.Helper()
	w.reqs.take()
	events := w.reqs.events
	change(w, &app{}, "one", func(a *app) { a.Spec.Image = "app:2" })
	foreign := map[string]string{"foreign": "yes"}
	change(w, &corev1.ConfigMap{}, "one-config", func(c *corev1.ConfigMap) { c.Data = foreign })
	w.pass(time.Hour)
	w.wantRequests("an hour of pause with a changed owner and a changed object", 0)
	if n := w.reqs.events - events; n != 0 {
		w.t.Errorf("%d events were sent in an hour of pause", n)
	}
	c := &corev1.ConfigMap{}
	w.do(w.c.Get(w.t.Context(), client.ObjectKey{Namespace: "default", Name: "one-config"}, c))
	if c.Data["foreign"] != "yes" {
		w.t.Errorf("the object was healed under pause: %v", c.Data)
	}
}

// panics is what the metric of panics says of a step.
func panics(tb testing.TB, step string) float64 {
	tb.Helper()
	n, _ := metric(tb, "kit_step_panics_total", "step", step)
	return n
}

// TestPanic is criterion 26.
func TestPanic(t *testing.T) {
	broken := func(*scope) ([]client.Object, error) { panic("a bug") }
	before := panics(t, "broken")
	inWorld(t, define(step.Objects("broken", broken, makesMaps, step.Condition[*app]("BrokenReady")),
		step.Objects("config", configMap("config", fixed), makesMaps, step.Condition[*app]("ConfigReady"))), func(w *world) {
		w.create(newApp("one"))
		if c := w.condition("one", "BrokenReady"); c.Reason != "Panicked" || !strings.Contains(c.Message, "a bug") {
			t.Errorf("got %s %q", c.Reason, c.Message)
		}
		if c := w.condition("one", "ConfigReady"); c.Status != metav1.ConditionTrue {
			t.Errorf("the other step did not proceed: %s", c.Message)
		}
		if n := panics(t, "broken") - before; n != 1 {
			t.Errorf("the metric has counted %v panics, want 1", n)
		}
	})
}

// TestPanicOnRelease: a panic of what lets go of a resource is counted like any other, and the next attempt goes on.
func TestPanicOnRelease(t *testing.T) {
	var mended atomic.Bool
	before := panics(t, "leaving")
	inWorld(t, define(step.Step[*app]{Name: "leaving", Kind: step.KindExternal,
		Act: func(_ context.Context, s *scope) *outcome.Outcome {
			s.Cell().ID = "thing"
			return nil
		},
		Release: func(context.Context, *scope) *outcome.Outcome {
			if !mended.Load() {
				panic("a bug")
			}
			return nil
		}}), func(w *world) {
		w.create(newApp("one"))
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.pass(settle)
		if c := w.condition("one", "Ready"); !strings.Contains(c.Message, "a bug; this is a bug of controller") {
			t.Errorf("the object says %s %q", c.Reason, c.Message)
		}
		if n := panics(t, "leaving") - before; n != 1 {
			t.Errorf("the metric has counted %v panics, want 1", n)
		}
		mended.Store(true)
		w.pass(3 * time.Minute)
		w.wantGone("one")
	})
}

// TestConditions is criteria 20 to 22: a day at rest moves no transition time and sends no event, and messages of two
// runs in one state are the same.
func TestConditions(t *testing.T) {
	var bad atomic.Bool
	bad.Store(true)
	render := func(s *scope) ([]client.Object, error) {
		if bad.Load() {
			return nil, errors.New("dialing galera: connection refused; start it")
		}
		return configMap("config", fixed)(s)
	}
	inWorld(t, define(step.Objects("config", render, makesMaps, step.Condition[*app]("ConfigReady"))), func(w *world) {
		w.create(newApp("one"))
		first := w.condition("one", "ConfigReady")
		w.pass(10 * time.Minute)
		second := w.condition("one", "ConfigReady")
		if first.Message != second.Message || !first.LastTransitionTime.Equal(&second.LastTransitionTime) {
			t.Errorf("the condition moved while its state did not: %v, then %v", first, second)
		}
		w.reqs.mu.Lock()
		events := count(w.reqs.log, "POST", "/events")
		w.reqs.mu.Unlock()
		if events > 3 {
			t.Errorf("%d events of two conditions in ten minutes of the same failure", events)
		}
		bad.Store(false)
		w.pass(3 * time.Minute)
		w.wantReady("one")
		before := w.app("one")
		w.reqs.take()
		for hour := range 24 { // what is not ours moves
			change(w, &corev1.ConfigMap{}, "one-config", func(c *corev1.ConfigMap) {
				c.Annotations["example.com/hour"] = strconv.Itoa(hour)
			})
			w.pass(time.Hour)
		}
		w.wantRequests("a day at rest", 0)
		if after := w.app("one"); after.ResourceVersion != before.ResourceVersion {
			t.Error("the owner was written at rest")
		}
		if after := w.app("one"); after.Status.ObservedGeneration != after.Generation {
			t.Errorf("observed generation %d of %d", after.Status.ObservedGeneration, after.Generation)
		}
	})
}

// TestLostRaces: races for the status that were lost, and won at the second try, do not make the next one wait longer.
func TestLostRaces(t *testing.T) {
	image := func(s *scope) string { return s.Owner().Spec.Image }
	inWorld(t, define(step.Objects("config", configMap("config", image), makesMaps)), func(w *world) {
		w.create(newApp("one"))
		var rival atomic.Bool
		w.reqs.before = func(h *http.Request) {
			if strings.HasSuffix(h.URL.Path, "/apps/one/status") && rival.Swap(false) {
				label := fmt.Sprintf(`{"metadata":{"labels":{"rival":"%d"}}}`, time.Now().UnixNano())
				if err := w.c.Patch(t.Context(), newApp("one"), client.RawPatch(types.MergePatchType, []byte(label))); err != nil {
					t.Error(err)
				}
			}
		}
		for n := range 10 {
			rival.Store(true)
			change(w, &app{}, "one", func(a *app) { a.Spec.Image = fmt.Sprintf("app:%d", n+2) })
			if a := w.app("one"); rival.Load() || a.Status.ObservedGeneration != a.Generation {
				t.Fatalf("after %d lost races the status is of generation %d, the object of %d", n+1,
					a.Status.ObservedGeneration, a.Generation)
			}
		}
	})
}

// TestRenderWaits: a step that cannot say yet what it wants is not done because it is looked at once more.
func TestRenderWaits(t *testing.T) {
	var known atomic.Bool
	render := func(s *scope) ([]client.Object, error) {
		if !known.Load() {
			return nil, &outcome.Missing{On: "the address", Message: "There is no address yet."}
		}
		return configMap("a", fixed)(s)
	}
	inWorld(t, define(step.Objects("entry", render, makesMaps)), func(w *world) {
		ask := func(value string) {
			change(w, &app{}, "one", func(a *app) {
				a.Annotations = merge(a.Annotations, reconcile.AnnotationReconcile, value)
			})
		}
		w.create(newApp("one"))
		for _, value := range []string{"1", "2"} {
			ask(value)
			if c := w.condition("one", "Ready"); !strings.Contains(c.Message, "There is no address yet.") {
				t.Errorf("the object says %s %q", c.Reason, c.Message)
			}
		}
		w.reqs.take()
		w.pass(time.Minute)
		w.wantRequests("a minute in which nothing changes", 0)
		known.Store(true)
		ask("3")
		w.wantReady("one")
		if got := w.maps(); got != "one-a" {
			t.Errorf("there are %s", got)
		}
	})
}

// TestTakenBack: a change that was applied in part, before one object was refused, is taken back from all of them.
func TestTakenBack(t *testing.T) {
	render := func(s *scope) ([]client.Object, error) {
		a, err := configMap("a", func(s *scope) string { return s.Owner().Spec.Image })(s)
		b, also := configMap("b", fixed)(s)
		b[0].SetAnnotations(map[string]string{strings.ReplaceAll(s.Owner().Spec.Image, ":", "-"): ""})
		return append(a, b...), errors.Join(err, also)
	}
	image := step.Uses(func(a *app) any { return a.Spec.Image })
	inWorld(t, define(step.Objects("both", render, makesMaps, image)), func(w *world) {
		w.create(newApp("one"))
		w.wantReady("one")
		before := w.app("one").Spec.Image
		for _, image := range []string{"no key of an annotation", before} {
			change(w, &app{}, "one", func(a *app) { a.Spec.Image = image })
		}
		w.wantReady("one")
		m := &corev1.ConfigMap{}
		w.do(w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "one-a"}, m))
		if got := m.Data["value"]; got != before {
			t.Errorf("the first object has %q, want %q", got, before)
		}
	})
}

// TestStalled: what waits for longer than the deadline says so, and no longer than it waits.
func TestStalled(t *testing.T) {
	def := define(step.Objects("web", workload("web"), makesWeb, step.Condition[*app]("WebReady")))
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		w.pass(9 * time.Minute)
		if c := w.condition("one", condition.Stalled); c.Status != "Absent" {
			t.Errorf("after nine minutes the object has stalled: %v", c)
		}
		w.pass(2 * time.Minute)
		if c := w.condition("one", condition.Stalled); c.Status != metav1.ConditionTrue ||
			!strings.Contains(c.Message, "Deployment one-web") {
			t.Errorf("after eleven minutes the condition is %v", c)
		}
		w.reqs.take()
		w.pass(time.Hour)
		w.wantRequests("an hour in which it has stalled", 0)
		w.roll()
		w.wantReady("one")
		if c := w.condition("one", condition.Stalled); c.Status != "Absent" {
			t.Errorf("an object that is ready has stalled: %v", c)
		}
	})
}
