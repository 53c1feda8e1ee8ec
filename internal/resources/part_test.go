package resources_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/resources"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// owned finds the marker of an owner, wherever a resource has it.
var owned = regexp.MustCompile(`stackwright_owner[=:]"?[0-9a-f]`)

// marked are the kinds whose resources show whose they are.
func marked() (out []*d.Kind) {
	for _, k := range writable() {
		if resources.Marked(k) {
			out = append(out, k)
		}
	}
	return out
}

// detached is the sample of a kind whose resource stays when the object goes.
func detached(t *testing.T, k *d.Kind) *world {
	t.Helper()
	w := newWorld(t, k)
	w.spec()["policy"] = "detach"
	return w
}

// An object that leaves its resource takes its marker off, and nothing else.
func TestPart(t *testing.T) {
	for _, k := range marked() {
		t.Run(k.Name, func(t *testing.T) {
			w := detached(t, k)
			t.Parallel()
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
				p.Ready()
				if text := fmt.Sprint(made(w, p)); !owned.MatchString(text) || !strings.Contains(text, "."+w.cluster) {
					t.Fatalf("it has no marker that names the cluster: %s", text)
				}
				before := fmt.Sprint(unowned(w, p))
				p.Remove(k.Name + "/sample")
				p.Pass(time.Minute)
				left(w, p)
				if after := fmt.Sprint(unowned(w, p)); after != before {
					t.Errorf("it was\n%s\nand is\n%s", before, after)
				}
			})
		})
	}
}

// left wants the object to be gone, and its resource to be there and nobody's.
func left(w *world, p *kittest.Play) {
	p.T.Helper()
	if p.Object(w.kind.Name+"/sample") != nil {
		p.T.Errorf("the object is still there: %v", p.Condition(w.kind.Name+"/sample", "Ready"))
	}
	if there := made(w, p); len(there) != 1 || owned.MatchString(fmt.Sprint(there)) {
		p.T.Errorf("there should be one resource without a marker: %v", there)
	}
}

// unowned is the resource without its marker.
func unowned(w *world, p *kittest.Play) map[string]any {
	row := made(w, p)[0]
	m := w.kind.Marker
	if m.Channel == d.MarkByExtra {
		delete(row, m.Field)
		return row
	}
	row[m.Field] = unmarked(row[m.Field])
	return row
}

// A process that dies while the marker is taken off ends like one that does not.
func TestPartCrash(t *testing.T) {
	for _, k := range marked() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			w := detached(t, k)
			kittest.New(t, w.scenario()).Crash(t, func(p *kittest.Play) {
				p.Remove(k.Name + "/sample")
				p.Pass(time.Minute)
				p.Settle()
				left(w, p)
			})
		})
	}
}

// A resource that is not finished, whose description has the marker still, is left without it, and as it was declared.
func TestPartUnfinished(t *testing.T) {
	for _, k := range marked() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			w := detached(t, k)
			w.fault = firstIsLost()
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
				cloudOf(p).SetFault(nil)
				p.Remove(k.Name + "/sample")
				p.Pass(time.Hour) // until what failed is tried again
				left(w, p)
			})
		})
	}
}

// A cloud that refuses holds the object for five minutes, and the condition says so; one that is gone does not.
func TestPartRefused(t *testing.T) {
	w := detached(t, kind(t, "Network"))
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		cloudOf(p).SetFault(func(_ int, r *http.Request) fake.Fault {
			if r.Method == http.MethodGet {
				return fake.None
			}
			return fake.Down
		})
		p.Remove("Network/sample")
		p.Pass(4 * time.Minute)
		if c := p.Condition("Network/sample", "Ready"); !strings.Contains(c.Message, "has the marker of this object still") {
			t.Errorf("the condition is %v", c)
		}
		p.Pass(90 * time.Second)
		if p.Object("Network/sample") != nil {
			t.Errorf("the object is still there: %v", p.Condition("Network/sample", "Ready"))
		}
		if told := strings.Join(p.Events("Network/sample"), "\n"); !strings.Contains(told, "MarkerLeft") {
			t.Errorf("nothing tells that the marker is left: %s", told)
		}
	})
}

// A Cloud that is gone for good holds nothing, and it is told that the marker is left.
func TestPartWithoutCloud(t *testing.T) {
	w := detached(t, kind(t, "Network"))
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Remove("Cloud/default")
		p.Change("Cloud/default", "metadata.finalizers", []any{})
		p.Restart() // which ends the session
		p.Remove("Network/sample")
		p.Pass(time.Minute)
		if p.Object("Network/sample") != nil {
			t.Errorf("the object is still there: %v", p.Condition("Network/sample", "Ready"))
		}
		if told := strings.Join(p.Events("Network/sample"), "\n"); !strings.Contains(told, "MarkerLeft") {
			t.Errorf("nothing tells that the marker is left: %s", told)
		}
	})
}

// An object that may only look writes nothing when it goes, whatever it was allowed before.
func TestPartOnlyLooks(t *testing.T) {
	w := detached(t, kind(t, "Network"))
	declared, _ := w.spec()["resource"].(map[string]any)
	declared["name"] = "sample"
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Change("Network/sample", "spec.policy", "observe")
		p.Settle()
		before := len(cloudOf(p).Requests())
		p.Remove("Network/sample")
		p.Pass(time.Minute)
		for _, r := range cloudOf(p).Requests()[before:] {
			if r.Method != http.MethodGet {
				t.Errorf("%s %s was sent", r.Method, r.Path)
			}
		}
		if p.Object("Network/sample") != nil || !owned.MatchString(fmt.Sprint(made(w, p))) {
			t.Errorf("the object is there, or the marker is gone: %v", made(w, p))
		}
	})
}

// A resource that is gone holds nothing.
func TestPartGone(t *testing.T) {
	w := detached(t, kind(t, "Volume"))
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		cloudOf(p).Remove("Volume", cloudOf(p).IDs("Volume")[w.seeded("Volume")])
		p.Remove("Volume/sample")
		p.Settle()
		if p.Object("Volume/sample") != nil {
			t.Errorf("the object is still there: %v", p.Condition("Volume/sample", "Ready"))
		}
	})
}

// Another object can have what was let go of, and at once.
func TestPartThenTakeOver(t *testing.T) {
	for _, k := range marked() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			w := detached(t, k)
			declared, _ := w.spec()["resource"].(map[string]any)
			resource := maps.Clone(declared)
			for _, f := range k.Fields {
				if f.Named && resource[f.Spec()] == nil {
					resource[f.Spec()] = "sample"
				}
			}
			heir := w.make("heir", map[string]any{"policy": "adopt", "resource": resource})
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
				p.Ready()
				p.Remove(k.Name + "/sample")
				p.Pass(time.Minute)
				left(w, p)
				p.Create((&unstructured.Unstructured{Object: heir}).DeepCopy())
				p.Settle()
				p.Ready()
				if there := made(w, p); len(there) != 1 || !owned.MatchString(fmt.Sprint(there)) {
					t.Errorf("there should be one resource, of the heir: %v", there)
				}
			})
		})
	}
}

// A resource that an earlier operator has marked, without the name of the cluster, is ours still: it is found again,
// kept and let go of.
func TestMarksWithoutCluster(t *testing.T) {
	for _, k := range marked() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			w := detached(t, k)
			w.fault = firstIsLost()
			named := w.cluster
			w.cluster = ""
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
				p.Stop()
				w.cluster = named
				cloudOf(p).SetFault(nil)
				p.Start()
				p.Pass(time.Hour)
				p.Ready()
				if text := fmt.Sprint(made(w, p)); len(made(w, p)) != 1 || !owned.MatchString(text) {
					t.Errorf("there should be one resource with its marker: %s", text)
				}
				p.Remove(k.Name + "/sample")
				p.Pass(time.Minute)
				left(w, p)
			})
		})
	}
}

// firstIsLost lets the first change take effect without an answer, and none after it.
func firstIsLost() func(int, *http.Request) fake.Fault {
	writes := 0
	return func(_ int, r *http.Request) fake.Fault {
		if r.Method == http.MethodGet {
			return fake.None
		}
		writes++
		return map[bool]fake.Fault{true: fake.Unanswered, false: fake.Down}[writes == 1]
	}
}
