package controlplane_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
		for says, services := range map[string]map[string]any{
			"enable galera, or disable keystone as well":             {"galera": off},
			"enable rabbitmq, or turn notifications off":             {"rabbitmq": off, "keystone": loud},
			"enable keystone, or disable placement as well":          {"keystone": off, "placement": none},
			"enable keystone, or disable glance as well":             {"keystone": off, "glance": none},
			"enable keystone, or disable neutron as well":            {"keystone": off, "neutron": none},
			"enable rabbitmq, or disable neutron as well":            {"rabbitmq": off, "neutron": none},
			"enable ovn, or disable neutron as well":                 {"ovn": off, "neutron": none},
			"enable keystone, or disable nova as well":               {"keystone": off, "nova": none},
			"enable rabbitmq, or disable nova as well":               {"rabbitmq": off, "nova": none},
			"add glance, neutron and placement, or disable nova":     {"glance": none, "neutron": none, "nova": none},
			"cell0 is Nova's own, for servers that no host took":     cell("cell0"),
			"lower-case letters, digits and dashes, such as cell1; ": cell("Cell"),
		} {
			u := p.Object(cloud)
			if err := unstructured.SetNestedField(u.Object, services, "spec", "services"); err != nil {
				t.Fatal(err)
			}
			if err := p.Client.Update(p.T.Context(), u); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%v is answered with %v\nwant %s", services, err, says)
			}
		}
	})
}
