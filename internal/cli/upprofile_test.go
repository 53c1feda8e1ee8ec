package cli

import (
	"bytes"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/stackwright/internal/cli/progress"
)

// A profile that is asked for gives a control plane that exists what it lacks of it. What it has stays as it is, and so
// does one for which nobody asks.
func TestUpGivesWhatAProfileHas(t *testing.T) {
	const core = "cinder: {backends: [{name: ceph, rbd: {pool: p, secret: s}}]}, glance: {replicas: 2}, horizon: {}, " +
		"neutron: {}, nova: {}, placement: {}"
	for name, c := range map[string]struct {
		profile         string
		asked           bool
		has, want, says string
	}{
		"two more": {profileFull, true, core, core + ", barbican: {}, heat: {}", "cloud gets barbican, heat"},
		"turned off": {profileFull, true, core + ", heat: {enabled: false, replicas: 1}, barbican: {}",
			core + ", heat: {enabled: true, replicas: 1}, barbican: {}", "cloud gets heat"},
		"not asked for": {profileFull, false, core, core, ""},
		"all there":     {profileCore, true, core, core, ""},
		"fewer":         {profileCore, true, core + ", heat: {}", core + ", heat: {}", "cloud keeps heat;"},
		"only Keystone": {profileKeystone, true, core, core,
			"cloud keeps cinder, glance, horizon, neutron, nova, placement;"},
		"from Keystone": {profileFull, true, "memcached: {topologySpread: Required}",
			"memcached: {topologySpread: Required}, glance: {}, placement: {}, neutron: {}, nova: {}, horizon: {}, " +
				"barbican: {}, heat: {}", "cloud gets barbican, glance"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var has, want map[string]any
			must(t, yaml.Unmarshal([]byte("{"+c.has+"}"), &has))
			must(t, yaml.Unmarshal([]byte("{"+c.want+"}"), &want))
			o := object(kindControlPlane, "openstack", "cloud",
				map[string]any{"release": "epoxy", "size": "dev", "services": has})
			must(t, w.client.Create(t.Context(), o))

			var told bytes.Buffer
			u := &ascent{app: &app{namespace: "openstack", controlplane: "cloud"}, upFlags: upFlags{profile: c.profile},
				profileSet: c.asked}
			made, err := u.controlPlane(t.Context(), w.client, progress.New(&told, false, 80).Start("openstack"))
			must(t, err)
			if made != nil {
				t.Errorf("it would apply %v over what is there", made)
			}
			must(t, w.client.Get(t.Context(), client.ObjectKeyFromObject(o), o))
			got, _, _ := unstructured.NestedMap(o.Object, "spec", "services")
			a, _ := yaml.Marshal(got)
			b, _ := yaml.Marshal(want)
			if string(a) != string(b) {
				t.Errorf("services are\n%s\nwant\n%s", a, b)
			}
			if c.says == "" && strings.Contains(told.String(), "cloud ") || !strings.Contains(told.String(), c.says) {
				t.Errorf("it says %q, want %q", told.String(), c.says)
			}
		})
	}
}
