package controlplane_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/kittest"
)

// A service is refused without those that it cannot do without, with what to enable.
func TestServicesNeedOthers(t *testing.T) {
	off, none := map[string]any{"enabled": false}, map[string]any{}
	cell := func(name string) map[string]any {
		return all(map[string]any{"cells": []any{map[string]any{"name": name}}})
	}
	loud := map[string]any{"notifications": true}
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		for _, name := range []string{"barbican", "cinder", "glance", "heat", "neutron", "nova", "placement"} {
			refuses(t, p, map[string]any{"keystone": off, name: none}, "keystone knows the users of barbican")
		}
		for _, name := range []string{"barbican", "cinder", "heat", "neutron", "nova"} {
			refuses(t, p, map[string]any{"rabbitmq": off, name: none}, "talk through rabbitmq: enable it")
		}
		for _, name := range []string{"keystone", "memcached"} {
			refuses(t, p, map[string]any{name: off, "horizon": none}, "memcached keeps their sessions: enable both")
		}
		for says, services := range map[string]map[string]any{
			"enable galera, or disable keystone as well":             {"galera": off},
			"enable rabbitmq, or turn notifications off":             {"rabbitmq": off, "keystone": loud},
			"enable ovn, or disable neutron as well":                 {"ovn": off, "neutron": none},
			"add glance, neutron and placement, or disable nova":     {"glance": none, "neutron": none, "nova": none},
			"cell0 is Nova's own, for servers that no host took":     cell("cell0"),
			"lower-case letters, digits and dashes, such as cell1; ": cell("Cell"),
		} {
			refuses(t, p, services, says)
		}
	})
}

func refuses(t *testing.T, p *kittest.Play, services map[string]any, says string) {
	t.Helper()
	u := p.Object(cloud)
	patch := client.MergeFrom(u.DeepCopy()) // the operator may write meanwhile
	if err := unstructured.SetNestedField(u.Object, services, "spec", "services"); err != nil {
		t.Fatal(err)
	}
	if err := p.Client.Patch(p.T.Context(), u, patch); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%v is answered with %v\nwant %s", services, err, says)
	}
}
