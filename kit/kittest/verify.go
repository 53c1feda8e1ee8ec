package kittest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Update says that goldens are to be rewritten: the tests run with -update. Packages that use kittest take it instead
// of a flag of their own.
var Update = flag.Bool("update", false, "rewrite golden files")

// Run plays the scenario and then f.
func (w *World) Run(t *testing.T, f func(*Play)) {
	t.Helper()
	w.play(t, nil, f)
}

// Ready plays the scenario and wants every owner to be ready.
func (w *World) Ready(t *testing.T) {
	t.Helper()
	w.play(t, nil, func(p *Play) { p.Ready() })
}

// Ready fails unless each owner has condition Ready with status True at its generation.
func (p *Play) Ready() {
	p.T.Helper()
	n := 0
	for _, u := range p.Objects() {
		if !p.world.owned(u.GroupVersionKind()) {
			continue
		}
		n++
		c := p.Condition(u.GetKind()+"/"+u.GetNamespace()+"/"+u.GetName(), "Ready")
		if c.Status != metav1.ConditionTrue || c.ObservedGeneration != u.GetGeneration() {
			p.T.Errorf("%s is not ready at generation %d: %s %s %q at %d",
				name(u), u.GetGeneration(), c.Status, c.Reason, c.Message, c.ObservedGeneration)
		}
	}
	if n == 0 {
		p.T.Error("there is no owner; name a file with one in Scenario.Files")
	}
}

// Condition returns a condition of `Kind/name`; it is empty when there is none.
func (p *Play) Condition(ref, condition string) metav1.Condition {
	p.T.Helper()
	u := p.Object(ref)
	if u == nil {
		p.T.Fatalf("reading condition %s: %s does not exist", condition, ref)
	}
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, e := range list {
		m, _ := e.(map[string]any)
		if m["type"] != condition {
			continue
		}
		text := func(k string) string { s, _ := m[k].(string); return s }
		g, _ := m["observedGeneration"].(int64)
		return metav1.Condition{Type: condition, Status: metav1.ConditionStatus(text("status")), Reason: text("reason"),
			Message: text("message"), ObservedGeneration: g}
	}
	return metav1.Condition{Type: condition}
}

// Golden compares what the operator applies, level by level, with a file.
func (w *World) Golden(t *testing.T, file string) {
	t.Helper()
	w.play(t, nil, func(p *Play) { Golden(t, file, strings.Join(p.intents(), "---\n")) })
}

// Golden compares text with a file, or rewrites the file under -update.
func Golden(t *testing.T, file, got string) {
	t.Helper()
	if *Update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatalf("making the folder of a golden: %v", err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatalf("writing a golden: %v", err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("reading a golden: %v; run the test with -update to make it", err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s differs (-want +got); if that is meant, run the test with -update:\n%s", file, d)
	}
}

// Budget wants the next reconcile of a settled world to send at most that many requests.
func (w *World) Budget(t *testing.T, reads, writes int) {
	t.Helper()
	w.play(t, nil, func(p *Play) {
		for _, u := range p.owners() {
			r, wr := p.During(func() {
				base := u.DeepCopy()
				u.SetAnnotations(merge(u.GetAnnotations(), "kit.stackwright.dev/reconcile", "now"))
				p.must("asking for a reconcile", p.Client.Patch(p.T.Context(), u, client.MergeFrom(base)))
				p.Settle()
			})
			if len(r) > reads || len(wr) > writes {
				p.T.Errorf("reconciling %s at rest: %d reads and %d writes, want at most %d and %d:\n%s",
					name(u), len(r), len(wr), reads, writes, strings.Join(append(r, wr...), "\n"))
			}
		}
	})
}

func merge(m map[string]string, k, v string) map[string]string {
	out := map[string]string{k: v}
	for key, val := range m {
		if key != k {
			out[key] = val
		}
	}
	return out
}

func (p *Play) owners() []*unstructured.Unstructured {
	p.T.Helper()
	var out []*unstructured.Unstructured
	for _, u := range p.Objects() {
		if p.world.owned(u.GroupVersionKind()) {
			out = append(out, u)
		}
	}
	return out
}

// During returns the reads and writes that the operator sends while f runs; watches are not reads.
func (p *Play) During(f func()) (reads, writes []string) {
	p.T.Helper()
	from := p.journal.len()
	f()
	for _, x := range p.journal.since(from) {
		switch {
		case x.Write():
			writes = append(writes, x.String())
		case !strings.Contains(x.Path, "watch="):
			reads = append(reads, x.String())
		}
	}
	return reads, writes
}

// Delete deletes the owners and wants nothing to be left but the other objects of Files. before prepares the deletion,
// it may be nil: it stops the operator, removes a Secret or a definition. A stopped operator is started after the
// deletion.
func (w *World) Delete(t *testing.T, before func(*Play)) {
	t.Helper()
	w.play(t, nil, func(p *Play) {
		if before != nil {
			before(p)
		}
		for _, u := range p.owners() {
			p.must("deleting "+name(u), client.IgnoreNotFound(p.Client.Delete(p.T.Context(), u)))
		}
		p.Settle()
		if p.stopped {
			p.Start()
			p.Settle()
		}
		p.Empty()
	})
}

// Empty fails if there is an object that Files does not have, or an owner.
func (p *Play) Empty() {
	p.T.Helper()
	given := map[string]bool{}
	for _, u := range p.world.objects {
		given[name(u)] = !p.world.owned(u.GroupVersionKind())
	}
	for _, u := range p.Objects() {
		if !given[name(u)] && u.GetKind() != "CustomResourceDefinition" {
			p.T.Errorf("%s is left, with finalizers %v", name(u), u.GetFinalizers())
		}
	}
	if o, ok := p.Outside.(interface{ Snapshot() string }); ok && o.Snapshot() != "" {
		p.T.Errorf("left outside of Kubernetes:\n%s", o.Snapshot())
	}
}

// Drift has a person change a field that the operator owns, once while it runs and once while it is down, and wants one
// apply to bring back the whole state. A nil value removes the field; an empty path deletes the object.
func (w *World) Drift(t *testing.T, ref, path string, value any) {
	t.Helper()
	w.edit(t, ref, path, value, 1)
}

// Foreign has a person change a field that the operator does not own, and wants no write.
func (w *World) Foreign(t *testing.T, ref, path string, value any) {
	t.Helper()
	w.edit(t, ref, path, value, 0)
}

func (w *World) edit(t *testing.T, ref, path string, value any, applies int) {
	t.Helper()
	for _, down := range []bool{false, true} {
		w.play(t, nil, func(p *Play) {
			before := p.Snapshot()
			_, writes := p.During(func() {
				if down {
					p.Stop()
				}
				p.tamper(ref, path, value)
				if down {
					p.Start()
				}
				p.Settle()
			})
			if n := p.about(ref, writes); n != applies {
				p.T.Errorf("%s %s (operator down: %v): %d writes of the object, want %d:\n%s",
					ref, path, down, n, applies, strings.Join(writes, "\n"))
			}
			if applies > 0 {
				p.same("drift of "+ref+" "+path, before)
			}
		})
	}
}

// about counts the requests that are about an object itself.
func (p *Play) about(ref string, requests []string) int {
	p.T.Helper()
	gvk, key := p.resolve(ref)
	m, err := p.Client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	p.must("finding the resource of "+ref, err)
	n := 0
	for _, r := range requests {
		if strings.Contains(r, "/"+m.Resource.Resource+"/"+key.Name+"?") {
			n++
		}
	}
	return n
}

func (p *Play) tamper(ref, path string, value any) {
	p.T.Helper()
	if path == "" {
		p.Remove(ref)
		return
	}
	p.Change(ref, path, value)
}

// same compares the state with a snapshot.
func (p *Play) same(what, want string) {
	p.T.Helper()
	if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(p.Snapshot(), "\n")); d != "" {
		p.T.Errorf("%s: the end state differs (-want +got):\n%s", what, d)
	}
}

// Until waits, for at most d of the play's time, until f is true; simulated controllers do not act meanwhile.
func (p *Play) Until(d time.Duration, what string, f func() bool) {
	p.T.Helper()
	for end := time.Now().Add(d); !f(); p.Pass(10 * time.Millisecond) {
		if time.Now().After(end) {
			p.T.Fatalf("%s did not happen within %s", what, d)
		}
	}
}
