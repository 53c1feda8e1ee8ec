package controlplane_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/pki/pkitest"
)

// An authority of a person's that ends takes all services with it.
func TestAnAuthorityThatEnds(t *testing.T) {
	pkitest.AuthorityLasts(t, scenario(), cloud, "spec.tls.caSecret")
}

// A certificate that a person brings along is known to all services, and then so is that of the control plane, which is
// perhaps not Keystone's any more. What has none to show is not looked for.
func TestCertificatesOfOthersAreKnown(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		authorities := func() any { return field(p, "Keystone/first-keystone", "spec", "authorities") }
		if got := authorities(); got != nil {
			t.Errorf("of the control plane's own services clients know %v", got)
		}
		brought := func(name string) map[string]any { return map[string]any{"tlsSecret": name} }
		off := brought("gone")
		off["enabled"] = false
		p.Change(cloud, "spec.services", map[string]any{"keystone": brought("shared"), "glance": brought("images"),
			"placement": brought("shared"), "heat": off, "horizon": brought("dashboard")})
		p.Settle()
		p.Ready()
		if diff := cmp.Diff([]any{"first-ca", "images", "shared"}, authorities()); diff != "" {
			t.Errorf("authorities differ (-want +got):\n%s", diff)
		}
		p.Change(cloud, "spec.tls", map[string]any{"disabled": true})
		p.Settle()
		p.Ready()
		if got := authorities(); got != nil {
			t.Errorf("without TLS clients know %v", got)
		}
	})
}
