package resources_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// What an object may do to its resource is what it does, seen by what is made, put right and deleted.
func TestPolicies(t *testing.T) {
	there := func(c *fake.Cloud) {
		c.Put("Project", map[string]any{"id": "there-0", "name": "shop", "domain_id": "default", "description": "old"})
	}
	for name, c := range map[string]struct {
		seed func(*fake.Cloud)
		spec string
		// made and corrected are what the object does, left is how many projects there are when it is gone.
		made, corrected bool
		left            int
	}{
		"managed":               {nil, "resource: {description: new}", true, true, 0},
		"detach":                {nil, "policy: detach, resource: {description: new}", true, true, 1},
		"observe what is there": {there, "policy: observe, resource: {name: shop, description: new}", false, false, 1},
		"adopt what is there":   {there, "policy: adopt, resource: {description: new}", false, true, 0},
		"Observe what is there": {there, "policies: [Observe], resource: {name: shop, description: new}", false, false, 1},
		"Update what is there": {there, "policies: [Observe, Update], import: {id: there-0}, resource: {description: new}",
			false, true, 1},
		"Create":                 {nil, "policies: [Observe, Create], resource: {description: new}", true, false, 1},
		"Create, Delete":         {nil, "policies: [Create, Delete], resource: {description: new}", true, false, 0},
		"Create, Update":         {nil, "policies: [Create, Update], resource: {description: new}", true, true, 1},
		"Create, Update, Delete": {nil, "policies: [Create, Update, Delete], resource: {description: new}", true, true, 0},
		"policies go before": {nil, "policy: observe, policies: [Create, Update, Delete], resource: {description: new}",
			true, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			objects := good(namespace("default"), one("Project", "default", "shop", c.spec))
			kittest.New(t, stage(t, c.seed, objects...)).Run(t, func(p *kittest.Play) {
				p.Ready()
				wantIn(p, "Project", 1)
				if made := count(p, 1, http.MethodPost) > 0; made != c.made {
					t.Errorf("made is %v, want %v: %v", made, c.made, cloudOf(p).Requests())
				}
				id := cloudOf(p).IDs("Project")[0]
				cloudOf(p).Put("Project", map[string]any{"id": id, "description": "spoilt"})
				p.Pass(20 * time.Minute)
				corrected := cloudOf(p).All("Project")[0]["description"] == "new"
				if drifted := p.Condition("Project/shop", "Drifted").Status == "True"; corrected != c.corrected ||
					drifted == corrected {
					t.Errorf("corrected is %v and Drifted %v, want corrected %v", corrected, drifted, c.corrected)
				}
				p.Remove("Project/shop")
				p.Pass(time.Minute)
				if p.Object("Project/shop") != nil {
					t.Errorf("the object is left: %s", says(p, "Project/shop"))
				}
				wantIn(p, "Project", c.left)
			})
		})
	}
}

// Who may only create waits for nothing that it may not make.
func TestNothingIsMadeWithoutCreate(t *testing.T) {
	objects := good(namespace("default"), one("Project", "default", "shop", "policies: [Update, Delete], resource: {}"))
	kittest.New(t, stage(t, nil, objects...)).Run(t, func(p *kittest.Play) {
		p.Pass(time.Hour)
		wantSays(p, "Project/shop", "may not be made")
		wantIn(p, "Project", 0)
	})
}

// A resource that differs in what cannot be changed is deleted and made again by Recreate alone, and only where what is
// deleted can be made again.
func TestRecreate(t *testing.T) {
	imported := func(c *fake.Cloud) {
		c.Put("Volume", map[string]any{"id": "there-0", "name": "data", "size": 1, "availability_zone": "here"})
	}
	const declared = "resource: {size: 1, availabilityZone: here}"
	for name, c := range map[string]struct {
		seed  func(*fake.Cloud)
		spec  string
		again bool
	}{
		"without Recreate":       {nil, declared, false},
		"Recreate":               {nil, "policies: [Create, Update, Delete, Recreate], " + declared, true},
		"Recreate of a slow one": {slowly, "policies: [Create, Update, Delete, Recreate], " + declared, true},
		"Recreate without Create": {imported, "policies: [Update, Delete, Recreate], import: {id: there-0}, " + declared,
			false},
		"Recreate without Update": {nil, "policies: [Create, Delete, Recreate], " + declared, false},
		"Recreate of an import": {imported, "policies: [Create, Update, Recreate], import: {id: there-0}, " + declared,
			false},
		"drift is only reported": {nil, "policies: [Create, Update, Recreate], drift: Report, " + declared, false},
		"drift there is left be": {nil, "policies: [Create, Update, Recreate], drift: Ignore, " + declared, false},
		"the field is to be other": {nil, "policies: [Create, Update, Recreate], ignorePaths: [availabilityZone], " +
			declared, false},
	} {
		t.Run(name, func(t *testing.T) {
			objects := good(namespace("default"), one("Volume", "default", "data", c.spec))
			kittest.New(t, stage(t, c.seed, objects...)).Run(t, func(p *kittest.Play) {
				p.Pass(10 * time.Minute)
				p.Ready()
				id, before := strings.Join(cloudOf(p).IDs("Volume"), ","), len(cloudOf(p).Requests())
				cloudOf(p).Put("Volume", map[string]any{"id": id, "availability_zone": "there"})
				p.Pass(time.Hour)
				p.Ready()
				wantIn(p, "Volume", 1)
				if again := strings.Join(cloudOf(p).IDs("Volume"), ",") != id; again != c.again {
					t.Errorf("made again is %v, want %v", again, c.again)
				}
				want := 0
				if c.again {
					want = 1
				}
				if n := count(p, before, http.MethodDelete); n != want {
					t.Errorf("%d requests to delete it, want %d", n, want)
				}
				told := strings.Contains(p.Condition("Volume/data", "Drifted").Message, "availabilityZone")
				if told == (c.again || strings.Contains(c.spec, "ignore") || strings.Contains(c.spec, "Ignore")) {
					t.Errorf("that it differs is told: %v", told)
				}
			})
		})
	}
}

// What others are in is not deleted under them.
func TestRecreateWaitsForWhoRefersToIt(t *testing.T) {
	objects := good(namespace("default"), one("ServerGroup", "default", "near",
		"policies: [Create, Update, Delete, Recreate], resource: {policy: affinity}"), one("Server", "default", "web",
		"resource: {flavorRef: {id: small}, imageRef: {id: tiny}, schedulerHints: {serverGroupRef: {name: near}}}"))
	kittest.New(t, stage(t, nil, objects...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		id := cloudOf(p).IDs("ServerGroup")[0]
		cloudOf(p).Put("ServerGroup", map[string]any{"id": id, "policy": "anti-affinity"})
		p.Pass(20 * time.Minute)
		wantSays(p, "ServerGroup/near", "which refer to it, are deleted: Server web. Delete them, or take Recreate out")
		p.Remove("Server/web")
		p.Pass(20 * time.Minute)
		p.Ready()
		if got := cloudOf(p).All("ServerGroup"); len(got) != 1 || got[0]["id"] == id || got[0]["policy"] != "affinity" {
			t.Errorf("the cloud has %v", got)
		}
	})
}

func slowly(c *fake.Cloud) { c.Build = time.Minute }

// Fields in spec.ignorePaths are left alone, others beside them are put right.
func TestIgnorePaths(t *testing.T) {
	objects := good(namespace("default"), one("Project", "default", "shop",
		"ignorePaths: [description], resource: {description: new, enabled: true}"))
	kittest.New(t, stage(t, nil, objects...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		id := cloudOf(p).IDs("Project")[0]
		cloudOf(p).Put("Project", map[string]any{"id": id, "description": "theirs", "enabled": false})
		p.Pass(20 * time.Minute)
		p.Ready()
		got := cloudOf(p).All("Project")[0]
		if on, _ := got["enabled"].(bool); got["description"] != "theirs" || !on {
			t.Errorf("the cloud has %v", got)
		}
		if c := p.Condition("Project/shop", "Drifted"); c.Status == "True" {
			t.Errorf("Drifted is %v", c)
		}
		p.Change("Project/shop", "spec.ignorePaths", nil)
		p.Pass(time.Minute)
		if got := cloudOf(p).All("Project")[0]; got["description"] != "new" {
			t.Errorf("what is no longer ignored is %v", got["description"])
		}
	})
}
