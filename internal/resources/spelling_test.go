package resources_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// canonical is how services write down what the objects of TestSpellingIsNoDrift spell otherwise.
var canonical = map[string]func(any) any{
	"mac_address": func(v any) any {
		text, _ := v.(string)
		return strings.ToLower(strings.ReplaceAll(text, "-", ":"))
	},
	"dns_domain": func(v any) any {
		text, _ := v.(string)
		return strings.TrimSuffix(strings.ToLower(text), ".") + "."
	},
	"security_groups": backwards,
	"fixed_ips":       backwards,
	"protocol": func(v any) any {
		text, _ := v.(string)
		return strings.ToLower(text)
	},
	"flavor_data": func(any) any { return `{"compute_flavor":"large","loadbalancer_topology":"SINGLE"}` },
	"expires_at":  func(any) any { return "2031-01-01T00:00:00.000000" },
}

func backwards(v any) any {
	list, _ := v.([]any)
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// What a service writes down in its own way is as declared: nothing is sent again, and nothing is told.
func TestSpellingIsNoDrift(t *testing.T) {
	for name, declared := range map[string]map[string]any{
		"Port": {"macAddress": "FA-16-3E-0A-00-01", "dnsDomain": "Shop.Example.ORG",
			"securityGroupRefs": []any{map[string]any{"id": "a"}, map[string]any{"id": "b"}},
			"addresses":         []any{map[string]any{"ip": "192.0.2.10"}, map[string]any{"ip": "192.0.2.9"}}},
		"Network":               {"dnsDomain": "Shop.Example.ORG"},
		"SecurityGroupRule":     {"protocol": "TCP"},
		"OctaviaFlavorProfile":  {"flavorData": `{"loadbalancer_topology": "SINGLE", "compute_flavor": "large"}`},
		"ApplicationCredential": {"expiresAt": "2031-01-01T01:00:00+01:00"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, kind(t, name))
			resource, _ := w.spec()["resource"].(map[string]any)
			maps.Copy(resource, declared)
			w.seeds = append(w.seeds, func(c *fake.Cloud) { c.Spell = canonical })
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) { w.rests(p) })
		})
	}
}

// rests lets an hour pass, before and after a restart, in which only reads are sent.
func (w *world) rests(p *kittest.Play) {
	p.T.Helper()
	p.Ready()
	before := len(cloudOf(p).Requests())
	p.Pass(time.Hour)
	p.Restart()
	p.Pass(time.Hour)
	p.Ready()
	for _, r := range cloudOf(p).Requests()[before:] {
		if r.Method != http.MethodGet {
			p.T.Errorf("%s %s is sent", r.Method, r.Path)
		}
	}
	o := p.Object(w.kind.Name + "/sample")
	if told, _, _ := unstructured.NestedSlice(o.Object, "status", "drift"); len(told) > 0 {
		p.T.Errorf("it is told to differ: %v", told)
	}
}
