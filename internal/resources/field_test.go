package resources_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// A reference by a filter means the one resource that fits all of it, among others of the same name; while none does
// the object says so.
func TestReferenceByFilter(t *testing.T) {
	disk := func(id, status string) func(*fake.Cloud) {
		return func(c *fake.Cloud) { c.Put("Volume", map[string]any{"id": id, "name": "disk", "status": status}) }
	}
	seed := func(c *fake.Cloud) { disk("a", "error")(c); disk("b", "in-use")(c) }
	s := stage(t, seed, good(namespace("default"), one("Snapshot", "default", "now",
		"resource: {volumeRef: {external: {filter: {name: disk, status: available}}}}"))...)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		wantSays(p, "Snapshot/now", "No Volume in the cloud fits the filter name=disk, status=available. Make one, or change")
		disk("b", "available")(cloudOf(p))
		p.Pass(later)
		p.Ready()
		for _, made := range cloudOf(p).All("Snapshot") {
			if made["volume_id"] != "b" {
				t.Errorf("the snapshot is of volume %v", made["volume_id"])
			}
		}
		wantIn(p, "Snapshot", 1)
	})
}

// The microversion that an object asks for is that of its creation; lists have their own.
func TestMicroversionIsUsed(t *testing.T) {
	var creations, lists []string
	w := newWorld(t, kind(t, "ServerGroup"))
	w.spec()["microversion"] = "2.90"
	w.fault = func(_ int, r *http.Request) fake.Fault {
		switch version := r.Header.Get("OpenStack-API-Version"); {
		case r.Method == http.MethodPost:
			creations = append(creations, version)
		case strings.HasSuffix(r.URL.Path, "/os-server-groups"):
			lists = append(lists, version)
		}
		return fake.None
	}
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		if len(creations) != 1 || creations[0] != "compute 2.90" {
			t.Errorf("it is made with %q", creations)
		}
		if len(lists) == 0 || slices.Contains(lists, "compute 2.90") {
			t.Errorf("lists are asked for with %q", lists)
		}
	})
}

// lastSyncTime is when the resource was last made or changed: it stands still while nothing changes.
func TestLastSyncTime(t *testing.T) {
	w := newWorld(t, kind(t, "Project"))
	at := func(p *kittest.Play) time.Time {
		text, _, _ := unstructured.NestedString(p.Object("Project/sample").Object, "status", "lastSyncTime")
		sync, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return sync
	}
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		begin := time.Now()
		first := at(p)
		if first.After(begin) || begin.Sub(first) > 10*time.Minute {
			t.Errorf("at %s it is %s", begin, first)
		}
		p.Restart() // so that all is looked at again
		p.Pass(time.Hour)
		if now := at(p); now != first {
			t.Errorf("after an hour without a change it is %s, it was %s", now, first)
		}
		changed := time.Now()
		p.Change("Project/sample", "spec.resource.description", "other")
		p.Settle()
		if now := at(p); now.Before(changed.Truncate(time.Second)) || now.After(changed.Add(time.Minute)) {
			t.Errorf("after a change at %s it is %s", changed, now)
		}
	})
}
