package resources_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// stateful are the kinds that OpenStack takes its time to make.
func stateful() []*d.Kind {
	return slices.DeleteFunc(writable(), func(k *d.Kind) bool { return len(k.State.Pending) == 0 })
}

// What takes ten minutes is seen to be ready within five seconds: by lists, of changes where the API can tell, and not
// by requests about the resource itself.
func TestLongBuild(t *testing.T) {
	for _, k := range stateful() {
		t.Run(k.Name, func(t *testing.T) {
			w := newWorld(t, k)
			w.build = 10 * time.Minute
			t.Parallel()
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) { waitsByLists(w, p) })
		})
	}
}

func waitsByLists(w *world, p *kittest.Play) {
	p.T.Helper()
	all := cloudOf(p).Requests()
	first := slices.IndexFunc(all, func(r fake.Request) bool { return r.Method != http.MethodGet })
	done := all[first].At.Add(w.build)
	p.Pass(time.Until(done) - 5*time.Second)
	if c := p.Condition(w.kind.Name+"/sample", "Ready"); c.Status == "True" {
		p.T.Errorf("it is ready while it is made: %v", c)
	}
	lists, wholes, looks := 0, 0, 0
	for _, r := range cloudOf(p).Requests()[first:] {
		path, query, _ := strings.Cut(r.Path, "?")
		if r.Method != http.MethodGet || strings.Contains(path, "auth/catalog") {
			continue
		}
		if !isList(w.kind, path) {
			looks++
			continue
		}
		lists++
		if name := changes(w.kind); name == "" || !strings.Contains(query, name+"=") {
			wholes++
		}
	}
	if lists > 300 || w.kind.List.Changes != "" && wholes > 4 {
		p.T.Errorf("%d lists in ten minutes, %d of everything", lists, wholes)
	}
	if looks > 2 {
		p.T.Errorf("%d requests looked at the resource alone", looks)
	}
	p.Until(time.Minute, "readiness", func() bool {
		return p.Condition(w.kind.Name+"/sample", "Ready").Status == "True"
	})
	if took := time.Since(done); took > 5*time.Second {
		p.T.Errorf("it was seen %s later that it is ready", took)
	}
	p.T.Logf("%d lists in ten minutes, %d of everything; seen after %s", lists, wholes, time.Since(done))
}

// changes is the parameter of lists of changes.
func changes(k *d.Kind) string {
	name, _, _ := strings.Cut(k.List.Changes, "=")
	return url.QueryEscape(name)
}

// isList tells whether a path is that of the list of a kind.
func isList(k *d.Kind, path string) bool {
	last := k.Path
	if k.List.Path != "" {
		last = k.List.Path
	}
	return strings.HasSuffix(path, last[strings.LastIndex(last, "/"):])
}

// A cloud whose lists cannot be of changes, because its microversion is too low or its configuration does not let users
// filter by time, is asked for everything.
func TestListsOfChangesThatACloudLacks(t *testing.T) {
	for name, lacks := range map[string]func(*fake.Cloud){
		"microversion": func(c *fake.Cloud) { c.Microversions["block-storage"] = "3.59" },
		"filter": func(c *fake.Cloud) {
			c.Fault = func(_ int, r *http.Request) fake.Fault {
				if r.URL.Query().Has("updated_at") {
					return fake.Refused(http.StatusBadRequest, "Invalid filters updated_at are found in query options.")
				}
				return fake.None
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			seed := func(c *fake.Cloud) { c.Build = time.Minute; lacks(c) }
			s := stage(t, seed, append(good(namespace("default")), one("Volume", "default", "web", "resource: {size: 1}"))...)
			kittest.New(t, s).Run(t, deletesVolume)
		})
	}
}

func deletesVolume(p *kittest.Play) {
	p.T.Helper()
	p.Ready()
	p.Remove("Volume/web")
	p.Pass(2 * time.Minute)
	wantIn(p, "Volume", 0)
	if p.Object("Volume/web") != nil {
		p.T.Error("the object is still there")
	}
	asked := 0
	for _, r := range cloudOf(p).Requests() {
		if strings.Contains(r.Path, "updated_at") {
			asked++
		}
	}
	if asked > 1 {
		p.T.Errorf("%d lists of changes were asked for", asked)
	}
}
