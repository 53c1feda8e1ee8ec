package resources_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// Every kind passes every test of this file; what a test needs to know of a kind it takes from the descriptor.

// later is after the next list.
const later = 6 * time.Minute

// each plays f with the sample of each kind.
func each(t *testing.T, change func(w *world), f func(w *world, p *kittest.Play)) {
	t.Helper()
	for _, k := range kinds.Served() {
		t.Run(k.Name, func(t *testing.T) {
			w := newWorld(t, k)
			if change != nil {
				change(w)
			}
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) { f(w, p) })
		})
	}
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
		if n := len(cloudOf(p).Requests()) - before; n > 1 {
			p.T.Errorf("%d requests in four minutes to a cloud at rest, want one list", n)
		}
	})
}

// A process that dies at any request, before or after it took effect, leaves one resource in the end.
func TestCrash(t *testing.T) {
	for _, k := range kinds.Served() {
		t.Run(k.Name, func(t *testing.T) { kittest.New(t, newWorld(t, k).scenario()).Crash(t, nil) })
	}
}

func TestDelete(t *testing.T) {
	for _, k := range kinds.Served() {
		t.Run(k.Name, func(t *testing.T) { kittest.New(t, newWorld(t, k).scenario()).Delete(t, nil) })
	}
}

// Answers that are lost, wrong or late make no second resource.
func TestTrouble(t *testing.T) {
	for _, trouble := range []fake.Fault{fake.Lost, fake.Unanswered, fake.Broken, fake.Down, fake.TooMany, fake.Garbage} {
		t.Run(string(trouble), func(t *testing.T) {
			each(t, func(w *world) {
				w.fault = func(n int, _ *http.Request) fake.Fault {
					if n%2 == 1 && n < 8 {
						return trouble
					}
					return fake.None
				}
			}, func(w *world, p *kittest.Play) {
				p.Pass(time.Hour)
				p.Settle()
				p.Ready()
				if n := len(made(w, p)); n != 1 {
					p.T.Errorf("there are %d %s, want 1", n, w.kind.Plural)
				}
			})
		})
	}
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

// Each declared field that can be changed is put right, told or left alone.
func TestDrift(t *testing.T) {
	for _, mode := range []string{"Correct", "Report", "Ignore"} {
		t.Run(mode, func(t *testing.T) {
			each(t, func(w *world) { w.spec()["drift"] = mode }, func(w *world, p *kittest.Play) {
				p.Ready()
				for _, f := range w.mutable() {
					want := made(w, p)[0][f.API]
					other := other(f, want)
					cloudOf(p).Put(w.kind.Name, map[string]any{w.kind.IDField(): made(w, p)[0][w.kind.IDField()], f.API: other})
					p.Pass(later)
					p.Settle()
					now, told := fmt.Sprint(made(w, p)[0][f.API]), drift(w, p)
					if corrected := now == fmt.Sprint(want); corrected != (mode == "Correct") {
						p.T.Errorf("%s was %v, then %v, and is %v", f.API, want, other, now)
					}
					if (len(told) > 0) != (mode == "Report") {
						p.T.Errorf("after a change of %s status.drift has %v", f.API, told)
					}
					cloudOf(p).Put(w.kind.Name, map[string]any{w.kind.IDField(): made(w, p)[0][w.kind.IDField()], f.API: want})
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
		if _, ok := declared[f.Spec()]; ok && !f.CreateOnly && !f.WriteOnly && w.kind.Update.Method != "" {
			out = append(out, f)
		}
	}
	return out
}

// other is a value that is not v.
func other(f d.Field, v any) any {
	switch x := v.(type) {
	case bool:
		return !x
	case float64:
		return x + 1
	case []any:
		return []any{"other"}
	}
	for _, word := range f.Enum {
		if word != v {
			return word
		}
	}
	return "https://other.example.org"
}

func drift(w *world, p *kittest.Play) []any {
	list, _, _ := unstructured.NestedSlice(p.Object(w.kind.Name+"/sample").Object, "status", "drift")
	return list
}

// A resource that somebody else has made, with the key of what is declared, is neither changed nor deleted.
func TestForeignIsNotTouched(t *testing.T) {
	each(t, func(w *world) { w.foreign("") }, func(w *world, p *kittest.Play) {
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
		"import": func(w *world) { w.foreign("there"); w.spec()["import"] = map[string]any{"id": "there"} },
		"adopt":  func(w *world) { w.foreign(""); w.spec()["policy"] = "adopt" },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, change, func(w *world, p *kittest.Play) {
				if w.kind.Shape == d.Relation && w.spec()["import"] != nil {
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
	each(t, func(w *world) { w.foreign(""); w.spec()["policy"] = "observe" },
		func(w *world, p *kittest.Play) {
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
		})
}

// An object that met a quota becomes ready once there is room.
func TestQuota(t *testing.T) {
	each(t, func(w *world) { w.quota = true }, func(w *world, p *kittest.Play) {
		if w.kind.Shape == d.Relation {
			return
		}
		if c := p.Condition(w.kind.Name+"/sample", "Ready"); c.Reason != "QuotaExceeded" {
			p.T.Errorf("the condition is %v", c)
		}
		cloudOf(p).SetQuota(w.kind.Name, 100)
		p.Pass(time.Hour)
		p.Settle()
		p.Ready()
	})
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

// What lists do not show is looked at by itself: it is neither made again nor taken for gone.
func TestHidden(t *testing.T) {
	each(t, func(w *world) { w.hidden = true }, func(w *world, p *kittest.Play) {
		if w.kind.Shape == d.Relation {
			return // it can be looked at in lists only
		}
		p.Pass(time.Hour)
		p.Settle()
		p.Ready()
		posts := 0
		for _, r := range cloudOf(p).Requests() {
			if r.Method == http.MethodPost {
				posts++
			}
		}
		if posts != 1 {
			p.T.Errorf("%d requests to make it, want 1", posts)
		}
	})
}
