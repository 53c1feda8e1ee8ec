package resources_test

import (
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// A relation of something that is gone is nothing to keep: Keystone takes an assignment to a deleted group for as long
// as it has the group in its cache. It is made again with what the reference means by now, where both may be done. One
// of something that is there stays, and says that it differs.
func TestRelationToWhatIsGone(t *testing.T) {
	seed := func(c *fake.Cloud) { c.Put("Role", map[string]any{"name": "member"}) }
	const declared = "resource: {roleRef: {external: {name: member}}, groupRef: {name: crew}, projectRef: {name: shop}}"
	for name, c := range map[string]struct {
		spec        string
		gone, again bool
	}{
		"gone":                         {declared, true, true},
		"there":                        {declared, false, false},
		"may not be removed":           {"policies: [Create, Update], " + declared, true, false},
		"drift is only reported":       {"drift: Report, " + declared, true, false},
		"there, and may be made again": {"policies: [Create, Update, Delete, Recreate], " + declared, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			objects := good(namespace("default"), shop(), one("Group", "default", "crew", "resource: {}"),
				one("RoleAssignment", "default", "work", c.spec))
			kittest.New(t, stage(t, seed, objects...)).Run(t, func(p *kittest.Play) {
				p.Ready()
				former := cloudOf(p).IDs("Group")[0]
				if c.gone {
					cloudOf(p).Remove("Group", former)
				} else { // it is let go, and the next object makes another
					p.Change("Group/crew", `metadata.annotations.kit\.stackwright\.dev/abandon`, "resource")
					p.Remove("Group/crew")
					p.Pass(time.Minute)
					cloudOf(p).Put("Group", map[string]any{"id": former, "name": "old crew"})
					another("Group", "crew", "resource: {}")(p)
				}
				p.Pass(time.Hour)
				all := cloudOf(p).All("RoleAssignment")
				if len(all) != 1 {
					t.Fatalf("there are the assignments %v", all)
				}
				group, _ := all[0]["group"].(map[string]any)
				if again := group["id"] != former; again != c.again {
					t.Errorf("made again is %v, want %v: %v", again, c.again, all)
				}
				if told := p.Condition("RoleAssignment/work", "Drifted").Status == "True"; told == c.again {
					t.Errorf("that it differs is told: %v", told)
				}
			})
		})
	}
}

// A limit of a service that is gone, which Keystone keeps, is made again for the service that there is by now.
func TestLimitOfWhatIsGone(t *testing.T) {
	objects := good(namespace("default"), one("Service", "default", "key-manager", "resource: {type: key-manager}"),
		one("RegisteredLimit", "default", "secrets",
			"resource: {serviceRef: {name: key-manager}, resourceName: secrets, defaultLimit: 100}"))
	kittest.New(t, stage(t, nil, objects...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		former := cloudOf(p).IDs("Service")[0]
		cloudOf(p).Remove("Service", former)
		p.Pass(time.Hour)
		p.Ready()
		all, now := cloudOf(p).All("RegisteredLimit"), cloudOf(p).IDs("Service")
		if len(all) != 1 || len(now) != 1 || now[0] == former || all[0]["service_id"] != now[0] {
			t.Errorf("the limits are %v, the services %v", all, now)
		}
		if p.Condition("RegisteredLimit/secrets", "Drifted").Status == "True" {
			t.Error("it is told to differ")
		}
	})
}
