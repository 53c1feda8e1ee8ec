//go:build apiserver && !bench

package reconcile_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/step"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

// onServer plays a definition with the owner "one" on a real API server. Nobody plays the controllers of workloads.
func onServer(t *testing.T, def kit.Definition[*app]) *kittest.World {
	t.Helper()
	s, hold := scheme(t), map[string]kittest.Behaviour{}
	for kind := range drifts {
		hold[kind] = kittest.Hold
	}
	return kittest.New(t, kittest.Scenario{
		Scheme: s, Config: live, CRDs: []string{"../examples/app/crd", "testdata/crd"}, Files: []string{"testdata/one.yaml"},
		Children: hold,
		Controllers: func(http.RoundTripper) ([]kit.Controller, error) {
			c, err := kit.New(def, s)
			return []kit.Controller{c}, err
		},
	})
}

// TestServerDrift is criterion 9 on a real API server, for all kinds at once: an edit of a field that is ours, and a
// deletion, are healed within a second by one apply; so are edits made while the operator was down. Edits of fields
// that are not ours cause no write.
func TestServerDrift(t *testing.T) {
	var steps []step.Step[*app]
	names := slices.Sorted(maps.Keys(drifts))
	for _, kind := range names {
		render := func(*scope) ([]client.Object, error) { return []client.Object{drifts[kind].object()}, nil }
		o := []step.Option[*app]{step.Makes[*app](drifts[kind].object())}
		if kind != "Secret" { // who looks into Secrets would have all of them sent
			o = append(o, step.Ready[*app](kind, gate.Exists))
		}
		steps = append(steps, step.Objects("make-"+strings.ToLower(kind), render, o...))
	}
	onServer(t, define(steps...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		for _, kind := range names {
			o := drifts[kind].object()
			healed(p, kind+": an edit of ours", o.GetName(), func() { edit(p, kind, drifts[kind].edit) })
			healed(p, kind+": a deletion", o.GetName(), func() { remove(p, kind) })
		}
		_, writes := p.During(func() {
			for _, kind := range names {
				edit(p, kind, addNote)
			}
			p.Settle()
		})
		if len(writes) > 0 {
			t.Errorf("edits of fields that are not ours caused %d writes: %s", len(writes), strings.Join(writes, "\n"))
		}
		_, writes = p.During(func() {
			p.Stop()
			for _, kind := range names {
				edit(p, kind, drifts[kind].edit)
				edit(p, kind, addNote)
			}
			p.Start()
			p.Settle()
		})
		for _, kind := range names {
			if n := about(writes, drifts[kind].object().GetName()); n != 1 {
				t.Errorf("%s: edited while the operator was down: %d writes, want 1:\n%s", kind, n, strings.Join(writes, "\n"))
			}
		}
		p.Ready()
	})
}

// healed wants one write of an object within a second, and no other soon after.
func healed(p *kittest.Play, what, name string, disturb func()) {
	p.T.Helper()
	_, writes := p.During(func() {
		begin := time.Now()
		_, seen := p.During(disturb)
		n := about(seen, name)
		for n == 0 && time.Since(begin) < time.Second {
			_, seen := p.During(func() { p.Pass(5 * time.Millisecond) })
			n += about(seen, name)
		}
		p.T.Logf("%s: healed after %d ms", what, time.Since(begin).Milliseconds())
		p.Pass(200 * time.Millisecond)
	})
	if n := about(writes, name); n != 1 {
		p.T.Errorf("%s: %d writes within a second, want 1:\n%s", what, n, strings.Join(writes, "\n"))
	}
}

// about counts the writes of an object.
func about(writes []string, name string) int {
	n := 0
	for _, w := range writes {
		if strings.Contains(w, "/"+name+"?") || strings.HasSuffix(w, "/"+name) {
			n++
		}
	}
	return n
}

// read reads the object of a kind as it is now.
func read(p *kittest.Play, kind string) client.Object {
	p.T.Helper()
	o := drifts[kind].object()
	if err := p.Client.Get(p.T.Context(), client.ObjectKey{Namespace: "default", Name: o.GetName()}, o); err != nil {
		p.T.Fatalf("%s: %v", kind, err)
	}
	return o
}

// edit is what a person does with kubectl edit.
func edit(p *kittest.Play, kind string, f func(client.Object)) {
	p.T.Helper()
	o := read(p, kind)
	f(o)
	if err := p.Client.Update(p.T.Context(), o); err != nil {
		p.T.Fatalf("%s: %v", kind, err)
	}
}

// remove deletes an object, and lets it go as the controllers do that hold it.
func remove(p *kittest.Play, kind string) {
	p.T.Helper()
	o := read(p, kind)
	err := p.Client.Delete(p.T.Context(), o, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err == nil && len(o.GetFinalizers()) > 0 {
		err = client.IgnoreNotFound(p.Client.Patch(p.T.Context(), o,
			client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))))
	}
	if err != nil {
		p.T.Fatalf("%s: %v", kind, err)
	}
}

// TestServerOrphan replaces a StatefulSet on a real API server while its pod stays; kittest is the garbage collector.
func TestServerOrphan(t *testing.T) {
	onServer(t, governed(step.OnImmutable[*app](step.Orphan))).Run(t, func(p *kittest.Play) {
		p.Ready()
		key := client.ObjectKey{Namespace: "default", Name: "one"}
		old, set, after := &appsv1.StatefulSet{}, &appsv1.StatefulSet{}, &corev1.Pod{}
		must(t, p.Client.Get(t.Context(), key, old))
		before := aPod(old)
		must(t, p.Client.Create(t.Context(), before))
		p.Change("App/one", "spec.image", "app:2")
		p.Settle()
		p.Ready()
		must(t, p.Client.Get(t.Context(), key, set))
		if set.UID == old.UID || set.Spec.ServiceName != "app-2" {
			t.Errorf("the set was not made again: %s, %s", set.UID, set.Spec.ServiceName)
		}
		must(t, p.Client.Get(t.Context(), client.ObjectKeyFromObject(before), after))
		if after.UID != before.UID || after.DeletionTimestamp != nil || len(after.OwnerReferences) > 0 {
			t.Errorf("the pod did not stay: %s %v %v", after.UID, after.DeletionTimestamp, after.OwnerReferences)
		}
		must(t, p.Client.Delete(t.Context(), after, client.GracePeriodSeconds(0)))
	})
}
