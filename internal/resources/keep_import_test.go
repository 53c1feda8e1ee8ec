package resources_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/resources"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// importEnd is what an import does to the resource that was there, by what the object may do.
type importEnd struct {
	spec map[string]any
	// marks is whether the resource shows that it is ours while there is an object, gone whether it goes with that.
	marks, gone bool
}

// importEnds are the policies, and the lists of what may be done.
func importEnds() map[string]importEnd {
	only := func(p ...any) map[string]any { return map[string]any{"policies": p} }
	return map[string]importEnd{
		"managed":                  {map[string]any{}, true, true},
		"adopt":                    {map[string]any{"policy": "adopt"}, true, true},
		"detach":                   {map[string]any{"policy": "detach"}, true, false},
		"observe":                  {map[string]any{"policy": "observe"}, false, false},
		"managed, told of drift":   {map[string]any{"drift": "Report"}, false, true},
		"detach, told of drift":    {map[string]any{"policy": "detach", "drift": "Report"}, false, false},
		"Observe":                  {only("Observe"), false, false},
		"Create":                   {only("Observe", "Create"), false, false},
		"Update":                   {only("Observe", "Update"), true, false},
		"Delete":                   {only("Observe", "Delete"), false, true},
		"Create, Update":           {only("Create", "Update"), true, false},
		"Update, Delete":           {only("Update", "Delete"), true, true},
		"adopt, and not to delete": {map[string]any{"policy": "adopt", "policies": []any{"Update"}}, true, false},
	}
}

// What is imported, by its id or by a filter, gets the marker of who may change it, and when the object goes it is
// deleted by who may delete it; anybody else leaves it as it was, and nobody's.
func TestImportEnds(t *testing.T) {
	for way, by := range map[string]func(*world){"id": byID, "filter": byFilter} {
		for name, c := range importEnds() {
			kinds := channels()
			if way == "id" && (name == "managed" || name == "detach") {
				kinds = importable()
			}
			for _, k := range kinds {
				t.Run(way+"/"+name+"/"+k.Name, func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, k)
					by(w)
					maps.Copy(w.spec(), c.spec)
					kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) { w.importEnds(p, c) })
				})
			}
		}
	}
}

// importable are the kinds with a marker whose samples have all that says which one they are.
func importable() (out []*d.Kind) {
	for _, k := range marked() {
		if f, _ := k.Field(k.Key[0]); f.Type != d.Secret {
			out = append(out, k)
		}
	}
	return out
}

// channels are kinds of which each has its marker in another way.
func channels() (out []*d.Kind) {
	seen := map[string]bool{}
	for _, k := range importable() {
		way := fmt.Sprint(k.Marker.Channel, k.Marker.Single)
		if !seen[way] {
			out = append(out, k)
		}
		seen[way] = true
	}
	return out
}

func byID(w *world) { w.spec()["import"] = map[string]any{"id": w.foreign("there")} }

// importEnds plays the life of an imported object.
func (w *world) importEnds(p *kittest.Play, c importEnd) {
	name, there := w.kind.Name+"/sample", w.seeded(w.kind.Name)
	p.Ready()
	row := cloudOf(p).All(w.kind.Name)[there-1]
	if is := owned.MatchString(fmt.Sprint(row)); is != c.marks {
		p.T.Errorf("it shows whose it is: %t, want %t: %v", is, c.marks, row)
	}
	p.Remove(name)
	p.Pass(time.Minute)
	if p.Object(name) != nil {
		p.T.Fatalf("the object is left: %s", says(p, name))
	}
	if n := len(cloudOf(p).IDs(w.kind.Name)); n != there && !c.gone || n == there && c.gone {
		p.T.Fatalf("of %d resources %d are left", there, n)
	}
	if posts := count(p, 0, http.MethodDelete); c.gone == (posts == 0) && !w.kind.Marker.Single {
		p.T.Errorf("%d requests to delete", posts)
	}
	if c.gone {
		return
	}
	if was, is := bare(w.cloud(), w.kind), fmt.Sprint(cloudOf(p).All(w.kind.Name)); owned.MatchString(is) ||
		was != bare(cloudOf(p), w.kind) {
		p.T.Errorf("it was\n%s\nand is\n%s", was, is)
	}
}

// An object that is deleted after its operator was killed, and had changed the resource and written nothing down of
// what it had imported, leaves no marker behind, and what it was to keep goes with it.
func TestImportEndsAfterAKill(t *testing.T) {
	for _, name := range []string{"managed", "adopt", "detach", "Update"} {
		c := importEnds()[name]
		for _, k := range importable() {
			t.Run(name+"/"+k.Name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, k)
				byID(w)
				maps.Copy(w.spec(), c.spec)
				w.later = true
				kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
					p.Ready()
					p.Suffer(onceChanged(p))
					p.Create((&unstructured.Unstructured{Object: w.object}).DeepCopy())
					p.Pass(10 * time.Second)
					p.Stop()
					if count(p, 0, http.MethodGet) == len(cloudOf(p).Requests()) {
						t.Fatal("it was killed before it has changed anything")
					}
					p.Suffer(nil)
					p.Remove(k.Name + "/sample")
					p.Start()
					p.Pass(time.Minute)
					w.nobodys(p, c)
				})
			})
		}
	}
}

// onceChanged answers the operator no more when the cloud was changed.
func onceChanged(p *kittest.Play) kittest.Fault {
	return func(_ *kittest.Exchange, send func() (*http.Response, error)) (*http.Response, error) {
		for _, r := range cloudOf(p).Requests() {
			if r.Method != http.MethodGet {
				return nil, errors.New("nobody answers")
			}
		}
		return send()
	}
}

// nobodys wants the object to be gone, and its resource too, or to be nobody's.
func (w *world) nobodys(p *kittest.Play, c importEnd) {
	p.T.Helper()
	if p.Object(w.kind.Name+"/sample") != nil {
		p.T.Errorf("the object is left: %s", says(p, w.kind.Name+"/sample"))
	}
	all := cloudOf(p).All(w.kind.Name)
	if gone := len(all) < w.seeded(w.kind.Name); gone != c.gone || owned.MatchString(fmt.Sprint(all)) {
		p.T.Errorf("gone is %t, want %t: %v", gone, c.gone, all)
	}
}

// Killed at any request of such a life, it ends the same.
func TestImportEndsCrash(t *testing.T) {
	for _, name := range []string{"managed", "detach", "adopt"} {
		c := importEnds()[name]
		for _, of := range []string{"Network", "Server", "Image", "Project"} {
			t.Run(name+"/"+of, func(t *testing.T) {
				t.Parallel()
				k := kind(t, of)
				if !resources.Marked(k) {
					t.Fatalf("a %s has no marker", of)
				}
				w := newWorld(t, k)
				byID(w)
				maps.Copy(w.spec(), c.spec)
				crashes(t, w, 8, func(p *kittest.Play) {
					p.Remove(k.Name + "/sample")
					p.Pass(time.Minute)
					p.Settle()
					w.nobodys(p, c)
				})
			})
		}
	}
}
