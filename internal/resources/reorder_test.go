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
				if n := len(writesOf(p, http.MethodDelete)); n != c.deleted {
					t.Errorf("%d were deleted, want %d", n, c.deleted)
				}
			})
		})
	}
}

// A server that could not be made is made again, ever more seldom, unless a volume would be deleted with it. One that
// has run is left to people.
func TestWhatCouldNotBeMadeIsOrderedAgain(t *testing.T) {
	const disk = `{flavorRef: {external: {name: small}}, ports: [{networkRef: {external: {name: net}}}],
  blockDevices: [{sourceType: volume, destinationType: volume, deleteOnTermination: true,
    sourceRef: {kind: Volume, external: {name: disk}}}]}`
	for name, c := range map[string]struct {
		spoil   int
		spec    string
		within  time.Duration
		ran     bool
		stays   bool
		deleted int
	}{
		"once":               {spoil: 1, within: time.Minute, deleted: 1},
		"three times":        {spoil: 3, within: 7 * time.Minute, deleted: 3},
		"never":              {spoil: 1000, within: 2 * time.Hour, stays: true, deleted: 5},
		"with a volume":      {spoil: 1, spec: "resource: " + disk, within: time.Hour, stays: true},
		"not ours to delete": {spoil: 1, spec: "policy: detach, ", within: time.Hour, stays: true},
		"one that ran":       {ran: true, within: time.Hour, stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			seed := func(cloud *fake.Cloud) {
				orderlySeed(cloud)
				cloud.Spoil = c.spoil
			}
			spec := c.spec
			if !strings.Contains(spec, "resource") {
				spec += "resource: " + orderly["Server"]
			}
			s := stage(t, seed, good(namespace("default"), one("Server", "default", "web", spec))...)
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				if c.ran {
					p.Ready()
					cloudOf(p).Put("Server", map[string]any{"id": cloudOf(p).IDs("Server")[0], "status": "ERROR"})
				}
				p.Pass(c.within)
				if got := p.Condition("Server/web", "Ready"); got.Status == "True" == c.stays {
					t.Errorf("after %s the server is ready: %v", c.within, got)
				}
				if ids := cloudOf(p).IDs("Server"); len(ids) != 1 {
					t.Errorf("there are %d servers", len(ids))
				}
				if n := len(writesOf(p, http.MethodDelete)); n != c.deleted {
					t.Errorf("%d were deleted, want %d", n, c.deleted)
				}
			})
		})
	}
}

func writesOf(p *kittest.Play, method string) []fake.Request {
	return slices.DeleteFunc(cloudOf(p).Requests(), func(r fake.Request) bool { return r.Method != method })
}

// A deletion that nobody takes because the service is away is none: it is not waited longer for the next order.
func TestAnOrderThatCannotBeGivenIsNotLost(t *testing.T) {
	objects := good(namespace("default"), one("Server", "default", "first", "resource: "+orderly["Server"]))
	kittest.New(t, stage(t, orderlySeed, objects...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		cloudOf(p).SetSpoil(1)
		cloudOf(p).SetFault(func(_ int, r *http.Request) fake.Fault {
			if r.Method == http.MethodDelete {
				return fake.Down
			}
			return fake.None
		})
		another("Server", "web", "resource: "+orderly["Server"])(p)
		p.Pass(time.Minute)
		if n := len(writesOf(p, http.MethodDelete)); n < 3 {
			t.Errorf("within a minute its deletion was tried %d times", n)
		}
		cloudOf(p).SetFault(nil)
		p.Until(2*time.Minute, "readiness", func() bool { return p.Condition("Server/web", "Ready").Status == "True" })
	})
}

// While people may look at what could not be made, the condition says what OpenStack says of it and what comes next.
func TestWhatCouldNotBeMadeIsTold(t *testing.T) {
	objects := good(namespace("default"), one("Server", "default", "first", "resource: "+orderly["Server"]))
	kittest.New(t, stage(t, orderlySeed, objects...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		cloudOf(p).SetSpoil(1)
		another("Server", "web", "resource: "+orderly["Server"])(p)
		const want = "the Server is in state ERROR: No valid host was found; mend that, or wait: nothing of it was made, " +
			"so it is deleted and ordered again 15s after that"
		p.Until(15*time.Second, "the message", func() bool {
			return strings.Contains(p.Condition("Server/web", "Ready").Message, want)
		})
		p.Until(30*time.Second, "readiness", func() bool { return p.Condition("Server/web", "Ready").Status == "True" })
	})
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
