package servicetest

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/pki"
)

// authority is by what Keystone is known from now on; nil is by what everybody knows.
func authority(p *kittest.Play, pem []byte) {
	p.T.Helper()
	data := map[string][]byte{"clouds.yaml": []byte("clouds: {}")}
	if pem != nil {
		data[pki.CAKey] = pem
	}
	p.Change("Secret/cloud/identity-clouds", "data", SecretOf("identity-clouds", data).Object["data"])
	p.Settle()
}

// certified gives the service a certificate of an authority that nobody says.
func (k Kind) certified(p *kittest.Play) {
	p.T.Helper()
	given := Certificate(p, time.Now())
	delete(given, pki.CAKey)
	p.Create(SecretOf("given", given))
	p.Change(k.Object, "spec.tls", map[string]any{"secret": "given"})
	p.Settle()
}

// everybody: of an authority that everybody knows nothing is needed, and others are known by those of the image.
func (k Kind) everybody(t *testing.T) {
	kittest.New(t, k.Scenario(t, "")).Run(t, func(p *kittest.Play) {
		authority(p, nil)
		k.certified(p)
		p.Ready()
		config := strings.Join(slices.Collect(maps.Values(Secret(p, k.Name()+"-config"))), "\n")
		if !strings.Contains(config, "/etc/ssl/certs/ca-certificates.crt") ||
			strings.Contains(config, "/etc/stackwright/keystone/ca.crt") {
			t.Errorf("others are not known by what everybody knows, but by\n%s", config)
		}
	})
}
