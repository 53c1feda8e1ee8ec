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

// A server whose order died with the process that had it is ordered again, and there is one in the end.
func TestLostOrderIsGivenAgain(t *testing.T) {
	for name, c := range map[string]struct {
		lose    int
		spec    string
		within  time.Duration
		waits   bool
		deleted int
	}{
		"once":           {lose: 1, within: time.Minute, deleted: 1},
		"three times":    {lose: 3, within: 12 * time.Minute, deleted: 3},
		"not at all":     {within: 30 * time.Second},
		"not ours to go": {lose: 1, spec: "policy: detach, ", within: 10 * time.Minute, waits: true},
	} {
		t.Run(name, func(t *testing.T) {
			seed := func(cloud *fake.Cloud) {
				cloud.Put("Flavor", map[string]any{"name": "small"})
				cloud.Put("Network", map[string]any{"name": "net"})
				cloud.Build, cloud.Lose = 4*time.Second, c.lose
			}
			s := stage(t, seed, good(namespace("default"), one("Server", "default", "web", c.spec+
				"resource: {flavorRef: {external: {name: small}}, ports: [{networkRef: {external: {name: net}}}]}"))...)
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Pass(c.within)
				if got := p.Condition("Server/web", "Ready").Status == "True"; got == c.waits {
					t.Errorf("after %s the server is ready: %v: %v", c.within, got, p.Condition("Server/web", "Ready"))
				}
				if ids := cloudOf(p).IDs("Server"); len(ids) != 1 {
					t.Errorf("there are %d servers, want one", len(ids))
				}
				deleted := len(slices.DeleteFunc(cloudOf(p).Requests(), func(r fake.Request) bool {
					return r.Method != http.MethodDelete
				}))
				if deleted != c.deleted {
					t.Errorf("%d servers were deleted, want %d", deleted, c.deleted)
				}
			})
		})
	}
}

// The same of an order to delete one: Nova ignores a second one until the state of the server is reset.
func TestLostRemovalIsAskedForAgain(t *testing.T) {
	for name, c := range map[string]struct {
		lose   int
		within time.Duration
		fault  func(int, *http.Request) fake.Fault
		stays  int
	}{
		"none":        {within: 10 * time.Second},
		"once":        {lose: 1, within: time.Minute},
		"three times": {lose: 3, within: 17 * time.Minute},
		"by a user": {lose: 1, within: 20 * time.Minute, stays: 1, fault: func(_ int, r *http.Request) fake.Fault {
			if strings.HasSuffix(r.URL.Path, "/action") {
				return fake.Refused(http.StatusForbidden, "Policy does not allow os_compute_api:os-admin-actions:reset_state")
			}
			return fake.None
		}},
	} {
		t.Run(name, func(t *testing.T) {
			seed := func(cloud *fake.Cloud) {
				cloud.Put("Flavor", map[string]any{"name": "small"})
				cloud.Build, cloud.LoseRemovals = 4*time.Second, c.lose
			}
			s := stage(t, seed, good(namespace("default"), one("Server", "default", "web",
				"resource: {flavorRef: {external: {name: small}}}"))...)
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Pass(20 * time.Second)
				p.Ready()
				cloudOf(p).SetFault(c.fault)
				p.Remove("Server/web")
				p.Pass(c.within)
				if n := len(cloudOf(p).IDs("Server")); n != c.stays {
					t.Errorf("%s after the deletion there are %d servers, want %d", c.within, n, c.stays)
				}
			})
		})
	}
}
