package resources_test

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/internal/resources/sample"
)

// Every kind passes every test of this file; what a test needs to know of a kind it takes from the descriptor.

// whole tries each request and each trouble: go test ./internal/resources -args -whole
var whole = flag.Bool("whole", false, "try each request and each trouble with each kind")

// later is after the next list.
const later = 6 * time.Minute

// each plays f with the sample of each kind that can be made.
func each(t *testing.T, change func(w *world), f func(w *world, p *kittest.Play)) {
	t.Helper()
	for _, k := range writable() {
		t.Run(k.Name, func(t *testing.T) {
			w := newWorld(t, k)
			if change != nil {
				change(w)
			}
			t.Parallel()
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) { f(w, p) })
		})
	}
}

// writable are the kinds that OpenStack does not make itself.
func writable() []*d.Kind {
	return slices.DeleteFunc(kinds.Served(), func(k *d.Kind) bool { return k.ReadOnly })
}

func asItIs(*world) {}

// cloudOf is the fake cloud of a play.
func cloudOf(p *kittest.Play) *fake.Cloud {
	c, _ := p.Outside.(*fake.Cloud)
	return c
}

// made are the resources of the kind that were not there before.
func made(w *world, p *kittest.Play) []map[string]any {
	return cloudOf(p).All(w.kind.Name)[w.seeded(w.kind.Name):]
}

func TestCreate(t *testing.T) {
	each(t, asItIs, func(w *world, p *kittest.Play) {
		p.Ready()
		if n := len(made(w, p)); n != 1 {
			p.T.Errorf("there are %d %s, want 1", n, w.kind.Plural)
		}
		before := len(cloudOf(p).Requests())
		p.Pass(4 * time.Minute)
		lists := 1
		if within := w.kind.List.Within; within > 0 {
			lists = int(4 * time.Minute / within)
		}
		if n := len(cloudOf(p).Requests()) - before; n > lists {
			p.T.Errorf("%d requests in four minutes to a cloud at rest, want lists alone, %d at most", n, lists)
		}
	})
}

func TestDelete(t *testing.T) {
	for _, k := range writable() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			if k.Delete.Method != d.None {
				kittest.New(t, newWorld(t, k).scenario()).Delete(t, nil)
				return
			}
			w := newWorld(t, k)
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
				p.Ready()
				p.Remove(k.Name + "/sample")
				p.Pass(later)
				if p.Object(k.Name+"/sample") != nil || len(made(w, p)) != 1 {
					t.Errorf("the object is there, or what the API cannot delete is gone: %v", made(w, p))
				}
			})
		})
	}
}

// What OpenStack makes itself is only read.
func TestReadOnly(t *testing.T) {
	for _, k := range kinds.Served() {
		if k.ReadOnly {
			t.Run(k.Name, func(t *testing.T) {
				w := newWorld(t, k)
				w.foreign("")
				kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) { onlyReads(w, p) })
			})
		}
	}
}

// Answers that are lost, wrong or late make no second resource. Without -whole each kind meets one of them.
func TestTrouble(t *testing.T) {
	troubles := []fake.Fault{fake.Lost, fake.Unanswered, fake.Broken, fake.Down, fake.TooMany, fake.Garbage, fake.Timeout,
		fake.Slow, fake.Busy, fake.InUse, fake.TooLarge}
	for n, trouble := range troubles {
		t.Run(string(trouble), func(t *testing.T) {
			for i, k := range writable() {
				if *whole || i%len(troubles) == n {
					t.Run(k.Name, func(t *testing.T) { suffer(t, k, trouble) })
				}
			}
		})
	}
}

func suffer(t *testing.T, k *d.Kind, trouble fake.Fault) {
	t.Helper()
	t.Parallel()
	w := newWorld(t, k)
	w.fault = func(n int, _ *http.Request) fake.Fault {
		if n%2 == 1 && n < 8 {
			return trouble
		}
		return fake.None
	}
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Pass(time.Hour)
		p.Settle()
		p.Ready()
		if n := len(made(w, p)); n != 1 {
			p.T.Errorf("there are %d %s, want 1", n, w.kind.Plural)
		}
	})
}

// What is deleted behind our back is made again.
func TestDeletedOutside(t *testing.T) {
	each(t, asItIs, func(w *world, p *kittest.Play) {
		p.Ready()
		cloudOf(p).Remove(w.kind.Name, cloudOf(p).IDs(w.kind.Name)[w.seeded(w.kind.Name)])
		p.Pass(later)
		p.Settle()
		p.Ready()
		if n := len(made(w, p)); n != 1 {
			p.T.Errorf("there are %d %s, want 1", n, w.kind.Plural)
		}
	})
}

// So is what its service still shows to those who know the id, in a state that says that it is gone.
func TestDeletedOutsideAndStillShown(t *testing.T) {
	t.Parallel()
	for _, k := range writable() {
		if len(k.State.Deleted) == 0 {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			w := newWorld(t, k)
			w.remembers = true
			t.Parallel()
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
				p.Ready()
				cloudOf(p).Remove(k.Name, cloudOf(p).IDs(k.Name)[w.seeded(k.Name)])
				p.Pass(later)
				p.Settle()
				p.Ready()
				if n := len(made(w, p)); n != 1 {
					p.T.Errorf("there are %d %s, want 1", n, k.Plural)
				}
			})
		})
	}
}

// Each declared field that can be changed is put right, told or left alone.
func TestDrift(t *testing.T) {
	for _, mode := range []string{"Correct", "Report", "Ignore"} {
		t.Run(mode, func(t *testing.T) {
			each(t, func(w *world) { w.spec()["drift"] = mode }, func(w *world, p *kittest.Play) {
				p.Ready()
				for _, f := range w.mutable() {
					want := w.actual(p, f)
					other := w.other(f, want)
					w.put(p, f, other)
					p.Pass(later)
					p.Settle()
					now, told := w.actual(p, f), drift(w, p)
					if corrected := body.Same(f, want, now); corrected != (mode == "Correct") {
						p.T.Errorf("%s was %v, then %v, and is %v", f.API, want, other, now)
					}
					if (len(told) > 0) != (mode == "Report") {
						p.T.Errorf("after a change of %s status.drift has %v", f.API, told)
					}
					w.put(p, f, want)
					p.Pass(later)
					p.Settle()
				}
			})
		})
	}
}

// mutable are the declared fields of the sample that can be changed and compared.
func (w *world) mutable() (out []d.Field) {
	declared, _ := w.spec()["resource"].(map[string]any)
	for _, f := range w.kind.Fields {
		if _, ok := declared[f.Spec()]; ok && w.changes(f) && !f.WriteOnly && f.Normal != d.Subset {
			out = append(out, f)
		}
	}
	return out
}

// changes tells whether a field can be changed.
func (w *world) changes(f d.Field) bool {
	return !f.CreateOnly && !f.Output && f.Const == nil && !w.kind.ReadOnly && (w.kind.Update.Method != "" || f.Via != "")
}

// actual is the value of a field of the one resource that was made.
func (w *world) actual(p *kittest.Play, f d.Field) any {
	p.T.Helper()
	if len(made(w, p)) == 0 {
		p.T.Fatalf("there is no %s", w.kind.Name)
	}
	return unmarked(body.Actual(f, body.Seen(w.kind, made(w, p)[0])))
}

// unmarked is a value without the marker of its owner.
func unmarked(v any) any {
	isMarker := func(v any) bool { return strings.HasPrefix(fmt.Sprint(v), "stackwright_owner") }
	switch x := v.(type) {
	case []any:
		return slices.DeleteFunc(slices.Clone(x), isMarker)
	case map[string]any:
		rest := maps.Clone(x)
		maps.DeleteFunc(rest, func(key string, _ any) bool { return isMarker(key) })
		return rest
	}
	return v
}

// put changes a field of the one resource that was made behind our back.
func (w *world) put(p *kittest.Play, f d.Field, v any) {
	fields := map[string]any{f.API: v}
	if m, ok := v.(map[string]any); ok && f.Flat && f.In == "" {
		fields = m
	}
	row := made(w, p)[0]
	for _, name := range append(slices.Clone(w.kind.Key), w.kind.IDField()) {
		if g, _ := w.kind.Field(name); w.kind.Keyed() {
			fields[name] = body.Actual(g, row)
		}
	}
	if w.kind.Shape == d.Singleton {
		fields["project_id"] = cloudOf(p).IDs(w.kind.Name)[w.seeded(w.kind.Name)]
	}
	fields[w.kind.IDField()] = row[w.kind.IDField()]
	cloudOf(p).Put(w.kind.Name, fields)
}

// other is a value that is not v, as the API shows it.
func (w *world) other(f d.Field, v any) any {
	for n := range 3 {
		if declared, ok := sample.Value(f, n); ok {
			g := f
			g.Values = nil
			if shown := body.Value(f, plain(f, declared)); !body.Same(g, shown, v) {
				return shown
			}
		}
	}
	w.t.Fatalf("there is no other value of %s", f.API)
	return nil
}

// plain is a declared value by API names, with a word for each reference.
func plain(f d.Field, v any) any {
	switch x := v.(type) {
	case []any:
		out := make([]any, 0, len(x))
		for _, e := range x {
			out = append(out, plain(f, e))
		}
		return out
	case map[string]any:
		if f.IsRef() {
			return x["name"]
		}
		if len(f.Fields) == 0 {
			return x
		}
		out := map[string]any{}
		for _, inner := range f.Fields {
			if w, ok := x[inner.Spec()]; ok {
				out[inner.API] = plain(inner, w)
			}
		}
		return out
	case int64:
		return float64(x)
	}
	return v
}

func drift(w *world, p *kittest.Play) []any {
	list, _, _ := unstructured.NestedSlice(p.Object(w.kind.Name+"/sample").Object, "status", "drift")
	return list
}

// A resource that somebody else has made, with the key of what is declared, is neither changed nor deleted.
func TestForeignIsNotTouched(t *testing.T) {
	each(t, func(w *world) { w.foreign("") }, func(w *world, p *kittest.Play) {
		if w.kind.Shape == d.Singleton {
			return // a quota is nobody's
		}
		p.Settle()
		before := fmt.Sprint(cloudOf(p).All(w.kind.Name)[w.seeded(w.kind.Name)-1])
		p.Remove(w.kind.Name + "/sample")
		p.Pass(later)
		p.Settle()
		if after := fmt.Sprint(cloudOf(p).All(w.kind.Name)[w.seeded(w.kind.Name)-1]); before != after {
			p.T.Errorf("the resource of somebody else was\n%s\nand is\n%s", before, after)
		}
	})
}

// What exists is taken over by its id or by its key, and is not made again.
func TestTakeOver(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"import": func(w *world) { w.spec()["import"] = map[string]any{"id": w.foreign("there")} },
		"adopt":  func(w *world) { w.foreign(""); w.spec()["policy"] = "adopt" },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, change, func(w *world, p *kittest.Play) {
				if w.kind.Keyed() && w.spec()["import"] != nil {
					return // it has no id to be imported by
				}
				p.Settle()
				p.Ready()
				if n := len(made(w, p)); n != 0 {
					p.T.Errorf("%d were made besides the one that was there", n)
				}
			})
		})
	}
}

// Who only looks sends nothing that changes anything.
func TestObserve(t *testing.T) {
	each(t, func(w *world) { w.foreign(""); w.spec()["policy"] = "observe" }, onlyReads)
}

func onlyReads(w *world, p *kittest.Play) {
	p.T.Helper()
	p.Ready()
	p.Remove(w.kind.Name + "/sample")
	p.Pass(time.Hour)
	for _, r := range cloudOf(p).Requests() {
		if r.Method != http.MethodGet {
			p.T.Errorf("%s %s was sent", r.Method, r.Path)
		}
	}
	if p.Object(w.kind.Name+"/sample") != nil {
		p.T.Error("the object is still there")
	}
}

// A resource that an object refers to stays until that object is gone.
func TestDeleteInUse(t *testing.T) {
	w := newWorld(t, kind(t, "Project"))
	w.objects = append(w.objects, map[string]any{"apiVersion": w.object["apiVersion"], "kind": "Project",
		"metadata": map[string]any{"name": "below", "namespace": "default"},
		"spec":     map[string]any{"resource": map[string]any{"parentRef": map[string]any{"name": "sample"}}}})
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Remove("Project/sample")
		p.Settle()
		if n := len(made(w, p)); n != 2 {
			t.Errorf("there are %d projects, want 2", n)
		}
		if c := p.Condition("Project/sample", "Ready"); !strings.Contains(c.Message, "Project below") {
			t.Errorf("the condition does not say who refers to it: %v", c)
		}
		p.Remove("Project/below")
		p.Settle()
		if n := len(made(w, p)); n != 0 {
			t.Errorf("there are %d projects, want none", n)
		}
	})
}

// Nothing is deleted while the operator may not see what could refer to it, neither a resource nor its cloud.
func TestDeleteUnseen(t *testing.T) {
	w := newWorld(t, kind(t, "Project"))
	w.unseen = "RoleAssignment"
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Remove("Project/sample")
		p.Remove("Cloud/default")
		p.Pass(time.Hour)
		if n := len(made(w, p)); n != 1 {
			t.Errorf("there are %d projects, want 1", n)
		}
		for _, object := range []string{"Project/sample", "Cloud/default"} {
			if c := p.Condition(object, "Ready"); !strings.Contains(c.Message, "roleassignments. Give it the right") {
				t.Errorf("the condition of %s does not say what is missing: %v", object, c)
			}
		}
	})
}

func kind(t *testing.T, name string) *d.Kind {
	t.Helper()
	for _, k := range kinds.Served() {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("there is no kind %s", name)
	return nil
}

// What lists do not show is looked at by itself: it is neither made again nor taken for gone. What is to be seen within
// a minute never comes to rest then.
func TestHidden(t *testing.T) {
	each(t, func(w *world) { w.hidden = w.kind.List.Within == 0 }, func(w *world, p *kittest.Play) {
		if w.kind.Keyed() {
			return // it can be looked at in lists only
		}
		p.Pass(time.Hour)
		p.Settle()
		p.Ready()
		posts := 0
		for _, r := range cloudOf(p).Requests() {
			path, _, _ := strings.Cut(r.Path, "?")
			if r.Method == http.MethodPost && strings.HasSuffix(path, w.kind.Path[strings.LastIndex(w.kind.Path, "/"):]) {
				posts++
			}
		}
		if posts != 1 {
			p.T.Errorf("%d requests to make it, want 1", posts)
		}
	})
}
