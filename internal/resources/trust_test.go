package resources_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"testing"
	"time"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// authority is a certificate that signs itself.
func authority(t *testing.T) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	// Time in plays begins in the year 2000.
	wanted := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC),
		DNSNames: []string{"cloud.test"}}
	der, err := x509.CreateCertificate(rand.Reader, wanted, wanted, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func inPEM(c *x509.Certificate) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
}

// guarded is a way to a cloud that shows a certificate, for those who trust some. It fails like crypto/tls.
type guarded struct {
	next    http.RoundTripper
	shows   *x509.Certificate
	trusted *x509.CertPool
}

func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := g.shows.Verify(x509.VerifyOptions{Roots: g.trusted}); err != nil {
		return nil, &tls.CertificateVerificationError{UnverifiedCertificates: []*x509.Certificate{g.shows}, Err: err}
	}
	return g.next.RoundTrip(r)
}

// A CA that is none of the cloud's is told by the Cloud, at first and when a good one is replaced by it. All goes on
// once it is put right, and nothing is made twice.
func TestWrongCA(t *testing.T) {
	ours, other := authority(t), authority(t)
	w := newWorld(t, kind(t, "Project"))
	s := w.scenario()
	s.Controllers = func(outside http.RoundTripper) ([]kit.Controller, error) {
		pools := map[string]resources.Opener{}
		open := func(ctx context.Context, scope string, c openstack.Config) (resources.Door, error) {
			if pools[string(c.CA)] == nil {
				trusted := x509.NewCertPool()
				trusted.AppendCertsFromPEM(c.CA)
				pools[string(c.CA)] = resources.Sessions(openstack.NewPool(openstack.Options{
					Transport: guarded{outside, ours, trusted}}))
			}
			return pools[string(c.CA)](ctx, scope, c)
		}
		return resources.New(kinds.Served(), open).Controllers(scheme(), "Project")
	}
	const ca = `data.ca\.crt`
	refused := func(p *kittest.Play, when string) {
		p.T.Helper()
		p.Pass(5 * time.Minute)
		if c := p.Condition("Cloud/default", "Ready"); c.Status != "False" || c.Reason != "Unavailable" || c.Message !=
			"Step session: POST auth/tokens of service identity failed: the certificate of cloud.test is signed by nobody who "+
				"is trusted; give its CA beside clouds.yaml" {
			t.Errorf("%s the Cloud says %v", when, c)
		}
	}
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		refused(p, "without a CA")
		p.Change("Secret/default/cloud", ca, encode(inPEM(other)))
		refused(p, "with the CA of somebody else")
		if n := len(made(w, p)); n != 0 {
			t.Errorf("there are %d projects", n)
		}
		p.Change("Secret/default/cloud", ca, encode(inPEM(ours)))
		p.Pass(30 * time.Second)
		p.Ready()
		p.Change("Secret/default/cloud", ca, encode(inPEM(other)))
		refused(p, "with another CA than before")
		p.Change("Secret/default/cloud", ca, encode(inPEM(other)+inPEM(ours)))
		p.Pass(30 * time.Second)
		p.Ready()
		if n := len(made(w, p)); n != 1 {
			t.Errorf("there are %d projects, want 1", n)
		}
	})
}
