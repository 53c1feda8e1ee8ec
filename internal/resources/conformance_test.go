package resources_test

import (
	"testing"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

func each(t *testing.T, f func(t *testing.T, k *d.Kind)) {
	for _, k := range kinds.Served() {
		t.Run(k.Name, func(t *testing.T) { f(t, k) })
	}
}

func made(p *kittest.Play, k *d.Kind) []map[string]any {
	var out []map[string]any
	for _, r := range p.Outside.(*fake.Cloud).All(k.Name) {
		out = append(out, r)
	}
	return out
}

func TestCreate(t *testing.T) {
	each(t, func(t *testing.T, k *d.Kind) {
		w := newWorld(t, k)
		kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
			p.Ready()
			if n := len(made(p, k)); n != 1 {
				t.Errorf("there are %d %s, want 1", n, k.Plural)
			}
		})
	})
}

func TestCrash(t *testing.T) {
	each(t, func(t *testing.T, k *d.Kind) {
		kittest.New(t, newWorld(t, k).scenario()).Crash(t, nil)
	})
}

func TestDelete(t *testing.T) {
	each(t, func(t *testing.T, k *d.Kind) {
		kittest.New(t, newWorld(t, k).scenario()).Delete(t, nil)
	})
}
