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

// stranger: a certificate by which other services would not know this one is told, with what to do about it.
func (k Kind) stranger(t *testing.T) {
	kittest.New(t, k.Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		told := func(want string) {
			t.Helper()
			got := p.Condition(k.Object, "TLSReady")
			if got.Status != "False" || got.Reason != "UnknownAuthority" || got.Message != want {
				t.Errorf("TLSReady is %s, %s: %s\nwant %s", got.Status, got.Reason, got.Message, want)
			}
		}
		ca, err := pki.NewCA("of Keystone", time.Now())
		Must(t, err)
		for _, other := range [][]byte{ca.Cert, nil} {
			authority(p, other)
			told("Secret " + k.Name() + "-tls has a certificate of an authority that other services do not know; " +
				"set spec.tls.caSecret to that of Keystone identity, or add the Secret to spec.authorities of the Keystone")
		}
		authority(p, pki.Bundle(ca.Cert, []byte(Secret(p, k.Name()+"-tls")[pki.CAKey])))
		p.Ready()
		k.certified(p)
		told("Secret given does not say of which authority its certificate is, so that other services do not know it; " +
			"add the authority's certificate as ca.crt")
	})
}
