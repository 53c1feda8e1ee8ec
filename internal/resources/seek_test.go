package resources_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// What no list shows, such as hidden images and limits of other projects, can be imported by its id.
func TestImportOfTheHidden(t *testing.T) {
	for _, k := range kinds.Served() {
		if k.Keyed() || k.List.Within > 0 {
			continue // it has no id, or never comes to rest
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, k)
			w.hidden = true
			w.foreign("there")
			there := w.cloud().IDs(k.Name)
			id := there[len(there)-1]
			w.spec()["policy"], w.spec()["import"] = "observe", map[string]any{"id": id}
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
				p.Ready()
				before := looks(p, id)
				p.Pass(time.Hour)
				p.Ready()
				if n := looks(p, id) - before; n > 60/5+1 {
					t.Errorf("it is looked at %d times in an hour", n)
				}
			})
		})
	}
}

// looks is how often a resource was asked for by its id.
func looks(p *kittest.Play, id string) int {
	n := 0
	for _, r := range cloudOf(p).Requests() {
		if path, _, _ := strings.Cut(r.Path, "?"); r.Method == http.MethodGet && strings.HasSuffix(path, "/"+id) {
			n++
		}
	}
	return n
}

// What was not answered is asked again as soon as anything else is.
func TestImportWithoutAnAnswer(t *testing.T) {
	w := newWorld(t, kind(t, "Image"))
	w.hidden = true
	w.foreign("there")
	w.spec()["policy"], w.spec()["import"] = "observe", map[string]any{"id": "there"}
	w.fault = func(_ int, r *http.Request) fake.Fault {
		if strings.HasSuffix(r.URL.Path, "/there") {
			return fake.Down
		}
		return fake.None
	}
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		if c := p.Condition("Image/sample", "Ready"); c.Status == "True" || strings.Contains(c.Message, "There is no") {
			t.Errorf("the condition is %v", c)
		}
		cloudOf(p).SetFault(nil)
		p.Pass(5 * time.Minute) // pauses between tries grow to two minutes
		p.Ready()
	})
}

// An id that nothing has is asked for rarely, and another one at once.
func TestImportOfNothing(t *testing.T) {
	w := newWorld(t, kind(t, "Image"))
	w.seeds = append(w.seeds, func(c *fake.Cloud) {
		c.Put("Image", map[string]any{"id": "there", "name": "there", "os_hidden": true, "status": "active"})
	})
	w.object = w.make("sample", map[string]any{"policy": "observe", "import": map[string]any{"id": "lost"}})
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Pass(time.Hour)
		wantSays(p, "Image/sample", "There is no Image with id lost in the cloud. Make it, or change the id.")
		if n := looks(p, "lost"); n < 2 || n > 60/5+1 {
			t.Errorf("it is asked for %d times in an hour", n)
		}
		p.Change("Image/sample", "spec.import.id", "there")
		p.Pass(time.Second)
		p.Ready()
		if n := looks(p, "there"); n == 0 {
			t.Error("it is not asked for")
		}
	})
}
