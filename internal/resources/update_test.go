package resources_test

import (
	"encoding/base64"
	"fmt"
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
	"stackwright.dev/stackwright/internal/resources/sample"
)

// Each field that can be changed is changed in the cloud when the object is edited, by the request that its kind has
// for that.
func TestUpdate(t *testing.T) {
	values := map[string]map[string][]any{}
	each(t, func(w *world) { values[w.kind.Name] = w.edits() }, func(w *world, p *kittest.Play) {
		p.Ready()
		for _, f := range w.kind.Fields {
			for _, v := range values[w.kind.Name][f.API] {
				before := len(cloudOf(p).Requests())
				p.Change(w.kind.Name+"/sample", "spec.resource."+f.Spec(), v)
				p.Pass(time.Minute)
				p.Ready()
				w.changed(p, f, v, cloudOf(p).Requests()[before:])
			}
		}
	})
}

// edits are two values for each field that can be changed, those left out that exclude what the sample has.
func (w *world) edits() map[string][]any {
	out := map[string][]any{}
	declared, _ := w.spec()["resource"].(map[string]any)
	for _, f := range w.kind.Fields {
		if !w.changes(f) || w.excluded(f, declared) || f.RefBy != "" {
			continue
		}
		for n := range 2 {
			if v, ok := sample.Value(f, n); ok {
				m := map[string]any{f.Spec(): v}
				w.resolve([]d.Field{f}, m)
				out[f.API] = append(out[f.API], m[f.Spec()])
			}
		}
	}
	return out
}

// excluded tells whether a field is one of a choice of which another is declared.
func (w *world) excluded(f d.Field, declared map[string]any) bool {
	for _, group := range slices.Concat(w.kind.OneOf, w.kind.AtMostOne) {
		for _, api := range group {
			other, _ := w.kind.Field(api)
			if slices.Contains(group, f.API) && api != f.API && (declared[other.Spec()] != nil || group[0] != f.API) {
				return true
			}
		}
	}
	return false
}

// changed looks at what came of an edit.
func (w *world) changed(p *kittest.Play, f d.Field, v any, requests []fake.Request) {
	p.T.Helper()
	writes := slices.ContainsFunc(requests, func(r fake.Request) bool { return r.Method != http.MethodGet })
	if f.WriteOnly {
		if !writes {
			p.T.Errorf("%s was changed to %v, and nothing was sent", f.Spec(), v)
		}
		return
	}
	rendered, err := body.Render(w.kind, map[string]any{f.Spec(): v}, "sample", w)
	if err != nil {
		p.T.Fatal(err)
	}
	if seen := w.actual(p, f); !body.Same(f, rendered[f.API], seen) {
		p.T.Errorf("%s was changed to %v, and the cloud has %v", f.Spec(), v, seen)
	}
}

// What the API takes and does not do is told: the object does not call it corrected.
func TestChangeThatIsNotMade(t *testing.T) {
	deaf := func(c *fake.Cloud) { c.Deaf = map[string]bool{"description": true} }
	objects := good(namespace("default"), one("Project", "default", "shop", "resource: {description: old, tags: [a]}"))
	kittest.New(t, stage(t, deaf, objects...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Change("Project/shop", "spec.resource", map[string]any{"description": "new", "tags": []any{"b"}})
		p.Settle()
		const want = "differs in description. The API took the change and did not make it: "
		if c := p.Condition("Project/shop", "Drifted"); c.Status != "True" || !strings.Contains(c.Message, want) {
			t.Errorf("Drifted is %v", c)
		}
		before := len(writes(p))
		p.Pass(time.Hour)
		if n := len(writes(p)) - before; n > 13 {
			t.Errorf("%d more tries in an hour, want no more than lists", n)
		}
		if all := p.Events("Project/shop"); has(all, "Warning DriftCorrected", "") {
			t.Errorf("there are the events %v", all)
		}
		p.Change("Project/shop", "spec.resource.description", "old")
		p.Settle()
		if c := p.Condition("Project/shop", "Drifted"); c.Status == "True" {
			t.Errorf("Drifted is %v", c)
		}
		p.Ready()
	})
}

// A resource that takes its time is waited for by lists, not one request for each object, and is deleted once.
func TestStates(t *testing.T) {
	each(t, func(w *world) { w.build = 10 * time.Minute }, func(w *world, p *kittest.Play) {
		if w.kind.State.Path == "" || w.kind.Shape != d.Resource {
			return
		}
		p.Pass(time.Minute)
		c := p.Condition(w.kind.Name+"/sample", "Ready")
		if c.Status != "False" ||
			!strings.Contains(c.Message, "Waits until") && !strings.Contains(c.Message, "The cloud fetches") {
			p.T.Errorf("while it is made the condition is %v", c)
		}
		p.Pass(20 * time.Minute)
		p.Ready()
		if n := count(p, 0, http.MethodGet); n > 10*60/2+20 {
			p.T.Errorf("%d requests to look at it in ten minutes", n)
		}
		before := len(cloudOf(p).Requests())
		p.Remove(w.kind.Name + "/sample")
		p.Pass(20 * time.Minute)
		if p.Object(w.kind.Name+"/sample") != nil {
			p.T.Errorf("the object is still there: %v", p.Condition(w.kind.Name+"/sample", "Ready"))
		}
		if n := count(p, before, http.MethodDelete); n > 3 {
			p.T.Errorf("%d requests to delete it", n)
		}
	})
}

// count is how many requests of a method there were after the first ones.
func count(p *kittest.Play, first int, method string) int {
	n := 0
	for _, r := range cloudOf(p).Requests()[first:] {
		if r.Method == method {
			n++
		}
	}
	return n
}

// Lists that come in pages are read to the end.
func TestPages(t *testing.T) {
	each(t, func(w *world) {
		w.page = 2
		for i := range 5 {
			w.seeds = append(w.seeds, func(c *fake.Cloud) {
				if w.kind.Shape == d.Resource {
					c.Put(w.kind.Name, map[string]any{"id": fmt.Sprintf("other-%d", i), w.kind.Key[0]: fmt.Sprintf("other-%d", i)})
				}
			})
		}
		if w.kind.Shape == d.Resource {
			w.next[w.kind.Name] += 5
		}
		w.foreign("")
		w.spec()["policy"] = "adopt"
	}, func(w *world, p *kittest.Play) {
		p.Ready()
		if n := len(made(w, p)); n != 0 {
			p.T.Errorf("%d were made besides the one on the last page", n)
		}
	})
}

// A cloud that is too old for a declared field is told from one that is not, and one that is old is used as far as it
// goes.
func TestMicroversions(t *testing.T) {
	w := newWorld(t, kind(t, "Server"))
	w.spec()["resource"].(map[string]any)["description"] = "new in 2.19"
	w.seeds = append(w.seeds, func(c *fake.Cloud) { c.Microversions["compute"] = "2.10" })
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		c := p.Condition("Server/sample", "Ready")
		if c.Reason != "MicroversionMissing" || !strings.Contains(c.Message, "2.10") {
			t.Errorf("the condition is %v", c)
		}
		if n := len(made(w, p)); n != 0 {
			t.Errorf("%d servers were made", n)
		}
	})
}

// What the API makes goes to the Secret that the object names, and to no other place.
func TestOutput(t *testing.T) {
	kittest.New(t, newWorld(t, kind(t, "ZoneTransferRequest")).scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		secret := p.Object("Secret/example-org-transfer")
		if secret == nil {
			t.Fatal("there is no Secret")
		}
		id := cloudOf(p).IDs("ZoneTransferRequest")[0]
		want := base64.StdEncoding.EncodeToString([]byte("made for " + id))
		if got, _, _ := unstructured.NestedString(secret.Object, "data", "key"); got != want {
			t.Errorf("the Secret has %q, want %q", got, want)
		}
		if raw := fmt.Sprint(p.Object("ZoneTransferRequest/sample").Object); strings.Contains(raw, "made for") {
			t.Errorf("the object shows the key: %s", raw)
		}
		cloudOf(p).Remove("ZoneTransferRequest", id)
		p.Pass(later)
		p.Ready()
		again, _, _ := unstructured.NestedString(p.Object("Secret/example-org-transfer").Object, "data", "key")
		if again == want {
			t.Error("the request was made again, and the Secret has the old key")
		}
	})
}
