package novacell_test

import (
	"encoding/base64"
	"maps"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/service/servicetest"
)

// trusts writes a new authority into a Secret by which others are known, without a new line at its end, as tools write
// it. It returns the certificate.
func trusts(p *kittest.Play, secret string) string {
	p.T.Helper()
	ca, err := pki.NewCA(secret, time.Now())
	servicetest.Must(p.T, err)
	ref := "Secret/cloud/" + secret
	data, _ := p.Object(ref).Object["data"].(map[string]any)
	data = maps.Clone(data)
	data["ca.crt"] = base64.StdEncoding.EncodeToString([]byte(strings.TrimSpace(string(ca.Cert))))
	p.Change(ref, "data", data)
	return string(ca.Cert)
}

// Hosts know Keystone and the cell's bus, which may be of two authorities.
func TestHostsTrustTwoAuthorities(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		want := trusts(p, "identity-clouds") + trusts(p, "cell1-bus")
		p.Settle()
		if got := servicetest.Secret(p, "cell1-compute")["ca.crt"]; got != want {
			t.Errorf("hosts trust\n%s\nwant\n%s", got, want)
		}
	})
}
