package keystone_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/service/servicetest"
)

// Clients know services whose certificates are of other authorities than Keystone's: by ca.crt of their Secrets,
// however these end, and by the certificate of an authority itself. Secrets that go change nothing.
func TestClientsKnowOtherAuthorities(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		own := secret(p, "identity-clouds")["ca.crt"]
		images := servicetest.Certificate(p, time.Now())
		ca, err := pki.NewCA("of the cloud", time.Now())
		must(t, err)
		p.Create(servicetest.SecretOf("images", map[string][]byte{"ca.crt": bytes.TrimSpace(images["ca.crt"])}))
		p.Create(servicetest.SecretOf("ours", map[string][]byte{"tls.crt": ca.Cert, "tls.key": ca.Key}))
		p.Change(identity, "spec.authorities", []any{"images", "ours", "identity-ca"})
		p.Settle()
		p.Ready()
		want := own + string(slices.Concat(images["ca.crt"], ca.Cert))
		if got := secret(p, "identity-clouds")["ca.crt"]; got != want {
			t.Errorf("clients trust\n%s\nwant\n%s", got, want)
		}
		if got := writes(p, func() { p.Remove("Secret/cloud/images") }); len(got) > 0 {
			t.Errorf("it wrote %v", got)
		}
		const says = "Secret images does not exist in namespace cloud; create it."
		if got := p.Condition(identity, "CloudsReady"); got.Status != "False" || got.Message != says {
			t.Errorf("the condition is %s, %s: %s\nwant %s", got.Status, got.Reason, got.Message, says)
		}
	})
}

// With other authorities beside it, Keystone's own has to be told, be it one that everybody knows: clients trust those
// that they are told and nobody else.
func TestKeystonesAuthorityIsAskedFor(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		given := servicetest.Certificate(p, time.Now())
		p.Create(servicetest.SecretOf("given", map[string][]byte{"tls.crt": given["tls.crt"], "tls.key": given["tls.key"]}))
		p.Create(servicetest.SecretOf("images", servicetest.Certificate(p, time.Now())))
		p.Change(identity, "spec.tls", map[string]any{"secret": "given"})
		p.Settle()
		p.Ready()
		clouds := secret(p, "identity-clouds")
		if clouds["ca.crt"] != "" || strings.Contains(clouds["clouds.yaml"], "cacert") {
			t.Errorf("clients are told an authority: %v", clouds)
		}
		p.Change(identity, "spec.authorities", []any{"images"})
		p.Settle()
		const says = "Secret given does not say of which authority its certificate is, so that other services do not " +
			"know it; add the authority's certificate as ca.crt"
		if got := p.Condition(identity, "TLSReady"); got.Reason != "UnknownAuthority" || got.Message != says {
			t.Errorf("the condition is %s, %s: %s\nwant %s", got.Status, got.Reason, got.Message, says)
		}
		data, _, _ := unstructured.NestedMap(servicetest.SecretOf("given", given).Object, "data")
		p.Change("Secret/cloud/given", "data", data)
		p.Settle()
		p.Ready()
	})
}
