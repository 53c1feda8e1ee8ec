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

// The microversion that an object asks for is that of all its changes, whether these need one or not; what is read has
// its own, and so has a deletion.
func TestMicroversionIsUsed(t *testing.T) {
	for name, c := range map[string]struct{ version, header, field string }{
		"ServerGroup":   {"2.90", "compute 2.90", ""},
		"HostAggregate": {"2.90", "compute 2.90", "availabilityZone"},
		"Snapshot":      {"3.70", "volume 3.70", "description"},
		"Volume":        {"3.20", "volume 3.20", "description"},
	} {
		t.Run(name, func(t *testing.T) {
			sent := map[string][]string{}
			w := newWorld(t, kind(t, name))
			w.spec()["microversion"] = c.version
			w.fault = func(_ int, r *http.Request) fake.Fault {
				if strings.Contains(r.URL.Path, w.kind.Path) {
					sent[r.Method] = append(sent[r.Method], r.Header.Get("OpenStack-API-Version"))
				}
				return fake.None
			}
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
				p.Ready()
				if c.field != "" {
					p.Change(name+"/sample", "spec.resource."+c.field, "other")
					p.Pass(later)
					p.Ready()
					wantVersion(t, sent, http.MethodPut, c.header)
				}
				wantVersion(t, sent, http.MethodPost, c.header)
				p.Remove(name + "/sample")
				p.Pass(later)
			})
			for _, method := range []string{http.MethodGet, http.MethodDelete} {
				if versions := sent[method]; len(versions) == 0 || slices.Contains(versions, c.header) {
					t.Errorf("%s is sent with %q", method, versions)
				}
			}
		})
	}
}

// wantVersion tells when not all requests of a method asked for a microversion.
func wantVersion(t *testing.T, sent map[string][]string, method, want string) {
	t.Helper()
	other := func(version string) bool { return version != want }
	if versions := sent[method]; len(versions) == 0 || slices.ContainsFunc(versions, other) {
		t.Errorf("%s is sent with %q", method, versions)
	}
}

// An object that is deleted goes, although the cloud lacks the microversion that it asks for.
func TestMicroversionIsNotNeededForADeletion(t *testing.T) {
	w := newWorld(t, kind(t, "Snapshot"))
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Change("Snapshot/sample", "spec.microversion", "3.999")
		p.Pass(later)
		if c := p.Condition("Snapshot/sample", "Ready"); c.Reason != "MicroversionMissing" {
			t.Errorf("the condition is %v", c)
		}
		p.Remove("Snapshot/sample")
		p.Pass(later)
		wantIn(p, "Snapshot", 0)
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
