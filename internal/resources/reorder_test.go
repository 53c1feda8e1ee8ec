package resources_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// orderly are what each kind of which an order can be lost is told to be.
var orderly = map[string]string{
	"Server":   "{flavorRef: {external: {name: small}}, ports: [{networkRef: {external: {name: net}}}]}",
	"Volume":   "{size: 1}",
	"Snapshot": "{volumeRef: {external: {name: disk}}}",
}

func orderlySeed(cloud *fake.Cloud) {
	cloud.Put("Flavor", map[string]any{"name": "small"})
	cloud.Put("Network", map[string]any{"name": "net"})
	cloud.Put("Volume", map[string]any{"name": "disk", "size": 1})
	cloud.Build = 4 * time.Second
}

// A resource whose order died with the process that had it is ordered again, and there is one in the end.
func TestLostOrderIsGivenAgain(t *testing.T) {
	for name, c := range map[string]struct {
		kind    string
		lose    int
		spec    string
		within  time.Duration
		waits   bool
		deleted int
	}{
		"once":              {kind: "Server", lose: 1, within: time.Minute, deleted: 1},
		"three times":       {kind: "Server", lose: 3, within: 12 * time.Minute, deleted: 3},
		"not at all":        {kind: "Server", within: 30 * time.Second},
		"not ours to go":    {kind: "Server", lose: 1, spec: "policy: detach, ", within: 10 * time.Minute, waits: true},
		"volume":            {kind: "Volume", lose: 1, within: time.Minute, deleted: 1},
		"volume not at all": {kind: "Volume", within: 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			seed := func(cloud *fake.Cloud) {
				orderlySeed(cloud)
				cloud.Lose = c.lose
			}
			s := stage(t, seed, good(namespace("default"), one(c.kind, "default", "web", c.spec+
				"resource: "+orderly[c.kind]))...)
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				before := 0
				if c.kind == "Volume" {
					before = 1
				}
				p.Pass(c.within)
				if got := p.Condition(c.kind+"/web", "Ready"); got.Status == "True" == c.waits {
					t.Errorf("after %s the %s is ready: %v", c.within, c.kind, got)
				}
				if ids := cloudOf(p).IDs(c.kind); len(ids) != before+1 {
					t.Errorf("there are %d more of %s, want one", len(ids)-before, c.kind)
				}
				deleted := len(slices.DeleteFunc(cloudOf(p).Requests(), func(r fake.Request) bool {
					return r.Method != http.MethodDelete
				}))
				if deleted != c.deleted {
					t.Errorf("%d were deleted, want %d", deleted, c.deleted)
				}
			})
		})
	}
}

// The same of an order to delete one: Nova ignores and Cinder refuses a second one until the state is reset.
func TestLostRemovalIsAskedForAgain(t *testing.T) {
	for name, c := range map[string]struct {
		kind   string
		lose   int
		within time.Duration
		fault  func(int, *http.Request) fake.Fault
		stays  int
	}{
		"none":        {kind: "Server", within: 10 * time.Second},
		"once":        {kind: "Server", lose: 1, within: time.Minute},
		"three times": {kind: "Server", lose: 3, within: 17 * time.Minute},
		"volume":      {kind: "Volume", lose: 1, within: time.Minute},
		"snapshot":    {kind: "Snapshot", lose: 1, within: time.Minute},
		"by a user": {kind: "Server", lose: 1, within: 20 * time.Minute, stays: 1,
			fault: func(_ int, r *http.Request) fake.Fault {
				if strings.HasSuffix(r.URL.Path, "/action") {
					return fake.Refused(http.StatusForbidden, "Policy does not allow os_compute_api:os-admin-actions:reset_state")
				}
				return fake.None
			}},
	} {
		t.Run(name, func(t *testing.T) {
			seed := func(cloud *fake.Cloud) {
				orderlySeed(cloud)
				cloud.LoseRemovals = c.lose
			}
			s := stage(t, seed, good(namespace("default"), one(c.kind, "default", "web",
				"resource: "+orderly[c.kind]))...)
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Pass(20 * time.Second)
				p.Ready()
				before := len(cloudOf(p).IDs(c.kind)) - 1
				cloudOf(p).SetFault(c.fault)
				p.Remove(c.kind + "/web")
				p.Pass(c.within)
				if n := len(cloudOf(p).IDs(c.kind)) - before; n != c.stays {
					t.Errorf("%s after the deletion there are %d, want %d", c.within, n, c.stays)
				}
			})
		})
	}
}
