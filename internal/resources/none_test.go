package resources_test

import (
	"slices"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// What is declared to be none is emptied by an edit and again when somebody fills it; what is not declared is not ours,
// whatever it has.
func TestNone(t *testing.T) {
	values := map[string]map[string][]any{}
	each(t, func(w *world) { values[w.kind.Name] = w.edits() }, func(w *world, p *kittest.Play) {
		p.Ready()
		for _, f := range w.kind.Fields {
			if some := values[w.kind.Name][f.API]; f.Nullable && len(some) > 0 {
				w.emptied(p, f, some[0])
			}
		}
	})
}

// emptied plays a field from a value to none.
func (w *world) emptied(p *kittest.Play, f d.Field, v any) {
	p.T.Helper()
	edit := func(v any) {
		before := len(cloudOf(p).Requests())
		p.Change(w.kind.Name+"/sample", "spec.resource."+f.Spec(), v)
		p.Pass(time.Minute)
		p.Ready()
		w.changed(p, f, v, cloudOf(p).Requests()[before:])
	}
	edit(v)
	none := map[string]any{"none": true}
	edit(none)
	if seen := w.actual(p, f); seen != nil {
		p.T.Errorf("%s is none, and the cloud has %v", f.Spec(), seen)
	}
	w.fill(p, f, v)
	if seen := w.actual(p, f); seen != nil {
		p.T.Errorf("%s is none and somebody fills it: the cloud has %v", f.Spec(), seen)
	}
	p.Change(w.kind.Name+"/sample", "spec.resource."+f.Spec(), nil)
	p.Pass(time.Minute)
	if w.fill(p, f, v); w.actual(p, f) == nil {
		p.T.Errorf("%s is not declared, and what somebody else gave it is gone", f.Spec())
	}
}

// fill gives the resource a value behind our back, and lets it be seen.
func (w *world) fill(p *kittest.Play, f d.Field, v any) {
	p.T.Helper()
	rendered, err := body.Render(w.kind, map[string]any{f.Spec(): v}, "sample", w)
	if err != nil {
		p.T.Fatal(err)
	}
	fields := map[string]any{"id": made(w, p)[0]["id"]}
	body.Place(fields, f, body.Value(f, rendered[f.API]))
	cloudOf(p).Put(w.kind.Name, fields)
	p.Pass(later)
	p.Ready()
}

// What is in an object can be none, too.
func TestNoneInside(t *testing.T) {
	w := newWorld(t, kind(t, "Router"))
	declared, _ := w.spec()["resource"].(map[string]any)
	gateway, _ := declared["externalGateway"].(map[string]any)
	gateway["qosPolicyRef"] = map[string]any{"id": w.seed("QoSPolicy")}
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Change("Router/sample", "spec.resource.externalGateway.qosPolicyRef", map[string]any{"none": true})
		p.Pass(time.Minute)
		p.Ready()
		got, _ := made(w, p)[0]["external_gateway_info"].(map[string]any)
		if limits, there := got["qos_policy_id"]; !there || limits != nil || got["network_id"] == nil {
			t.Errorf("the gateway is %v", got)
		}
	})
}

// The kinds of which users expect that they can be taken apart again.
func TestNoneIsOffered(t *testing.T) {
	for kindName, fields := range map[string][]string{
		"FloatingIP": {"port_id", "qos_policy_id"}, "Router": {"external_gateway_info"}, "Network": {"qos_policy_id"},
		"Port": {"qos_policy_id"}, "Listener": {"default_pool_id"}, "VolumeType": {"qos_specs_id"},
	} {
		k := kind(t, kindName)
		for _, api := range fields {
			if !slices.ContainsFunc(k.Fields, func(f d.Field) bool { return f.API == api && f.Nullable }) {
				t.Errorf("%s of %s cannot be none", api, kindName)
			}
		}
	}
}
