package resources_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/resources"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// theirs is the marker of an object of another cluster.
const theirs = "5e6f7a8b-0000-4000-8000-000000000001.ffffffff"

// claimFor puts the marker of somebody else's object onto a resource of the cloud.
func claimFor(c *fake.Cloud, k *d.Kind, id string) {
	m := k.Marker
	for _, fields := range c.All(k.Name) {
		if fmt.Sprint(fields[k.IDField()]) != id && fmt.Sprint(fields["id"]) != id {
			continue
		}
		change := map[string]any{"id": id}
		switch m.Channel {
		case d.MarkByExtra:
			change[m.Field] = theirs
		case d.MarkByMetadata:
			have, _ := fields[m.Field].(map[string]any)
			with := maps.Clone(have)
			if with == nil {
				with = map[string]any{}
			}
			with["stackwright_owner"] = theirs
			change[m.Field] = with
		default:
			have, _ := fields[m.Field].([]any)
			change[m.Field] = append(slices.Clone(have), any("stackwright_owner="+theirs))
		}
		c.Put(k.Name, change)
	}
}

// What carries the marker of another object is neither changed nor deleted, whatever an object may do and however it
// came to it.
func TestWhatOthersOwnIsLeftToThem(t *testing.T) {
	imports := func(more map[string]any) map[string]any {
		spec := map[string]any{"import": map[string]any{"id": "there"}}
		maps.Copy(spec, more)
		return spec
	}
	for name, c := range map[string]struct {
		spec map[string]any
		// then is the policy that the object has later, with or without a list of what it may do.
		then string
		// hidden resources are in no list.
		hidden bool
	}{
		"import":                {spec: imports(nil)},
		"import, not listed":    {spec: imports(map[string]any{"policy": "observe"}), then: "managed", hidden: true},
		"import to adopt":       {spec: imports(map[string]any{"policy": "adopt"})},
		"import to detach":      {spec: imports(map[string]any{"policy": "detach"})},
		"import to delete":      {spec: imports(map[string]any{"policies": []any{"Delete"}})},
		"import, then manage":   {spec: imports(map[string]any{"policy": "observe"}), then: "managed"},
		"import, then detach":   {spec: imports(map[string]any{"policy": "observe"}), then: "detach"},
		"adopt":                 {spec: map[string]any{"policy": "adopt"}},
		"update by name":        {spec: map[string]any{"policies": []any{"Update", "Delete"}}},
		"look, then adopt":      {spec: map[string]any{"policy": "observe"}, then: "adopt"},
		"look, then be managed": {spec: map[string]any{"policy": "observe"}, then: "managed"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, k := range kinds.Served() {
				if k.ReadOnly || !resources.Marked(k) || k.Shape != d.Resource {
					continue
				}
				t.Run(k.Name, func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, k)
					id := w.foreign("there")
					w.seeds = append(w.seeds, func(cloud *fake.Cloud) { claimFor(cloud, k, id) })
					w.hidden = c.hidden
					maps.Copy(w.spec(), c.spec)
					kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) { w.leaves(p, c.then) })
				})
			}
		})
	}
}

// leaves lets an object have its way and go, and checks that what belongs to somebody else is as it was.
func (w *world) leaves(p *kittest.Play, then string) {
	name := w.kind.Name + "/sample"
	last := func() map[string]any { return cloudOf(p).All(w.kind.Name)[w.seeded(w.kind.Name)-1] }
	before := last()
	p.Pass(time.Hour)
	if then != "" {
		p.Change(name, "spec.policy", then)
		p.Pass(time.Hour)
	}
	if told := says(p, name); !strings.Contains(told, "belongs to") && !strings.Contains(told, "says that it is ours") {
		p.T.Errorf("the object says %s", told)
	}
	p.Remove(name)
	p.Pass(time.Hour)
	if p.Object(name) != nil {
		p.T.Errorf("the object stays: %s", says(p, name))
	}
	if len(cloudOf(p).All(w.kind.Name)) < w.seeded(w.kind.Name) {
		p.T.Fatalf("the resource is gone")
	}
	if after := last(); fmt.Sprint(before) != fmt.Sprint(after) {
		p.T.Errorf("the resource was\n%v\nand is\n%v", before, after)
	}
}

// An object that only looked at a resource and is to manage it has to do without it while another object has it.
func TestTwoDoNotManageOneResource(t *testing.T) {
	objects := good(namespace("default"), one("Project", "default", "shop", "resource: {description: first}"))
	kittest.New(t, stage(t, nil, objects...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		id := cloudOf(p).IDs("Project")[0]
		another("Project", "twin", fmt.Sprintf("policy: observe, import: {id: %s}, resource: {description: second}", id))(p)
		p.Pass(time.Minute)
		p.Ready()
		p.Change("Project/twin", "spec.policy", "managed")
		p.Pass(time.Hour)
		wantSays(p, "Project/twin", "belongs to")
		wantProject(p, "first")
		p.Remove("Project/twin")
		p.Pass(time.Hour)
		wantProject(p, "first")

		another("Project", "heir", fmt.Sprintf("policy: observe, import: {id: %s}, resource: {description: heir}", id))(p)
		p.Pass(time.Minute)
		p.Change("Project/shop", "spec.policy", "detach")
		p.Change("Project/heir", "spec.policy", "managed")
		p.Remove("Project/shop")
		p.Pass(time.Hour)
		p.Ready()
		wantProject(p, "heir")
	})
}

func wantProject(p *kittest.Play, description string) {
	p.T.Helper()
	if all := cloudOf(p).All("Project"); len(all) != 1 || all[0]["description"] != description {
		p.T.Errorf("the cloud has %v, want a project %s", all, description)
	}
}
