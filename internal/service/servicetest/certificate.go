package servicetest

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/pki"
)

// Certificate is the content of a Secret that a person could give, made at a time.
func Certificate(p *kittest.Play, at time.Time) map[string][]byte {
	p.T.Helper()
	ca, err := pki.NewCA("given", at)
	Must(p.T, err)
	pair, err := pki.Issue(ca, pki.Request{CommonName: "given", Names: []string{"api.example.org"}}, at)
	Must(p.T, err)
	return map[string][]byte{pki.CertKey: pair.Cert, pki.KeyKey: pair.Key, pki.CAKey: pair.CA}
}

// SecretOf is a Secret as a person makes it.
func SecretOf(name string, data map[string][]byte) *unstructured.Unstructured {
	encoded := map[string]any{}
	for key, value := range data {
		encoded[key] = base64.StdEncoding.EncodeToString(value)
	}
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "data": encoded,
		"metadata": map[string]any{"name": name, "namespace": "cloud"}}}
}

// certificate: one that a person gives and that no pod could start with changes no pod, and once it is mended the
// service goes on by itself.
func (k Kind) certificate(t *testing.T) {
	kittest.New(t, k.Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		good := Certificate(p, time.Now())
		p.Create(SecretOf("given", map[string][]byte{pki.CertKey: good[pki.CertKey], pki.KeyKey: []byte("broken")}))
		pods := k.pods(p)
		p.Change(k.Object, "spec.tls", map[string]any{"secret": "given"})
		p.Settle()
		if diff := cmp.Diff(pods, k.pods(p)); diff != "" {
			t.Errorf("pods changed with a broken certificate (-before +after):\n%s", diff)
		}
		if c := p.Condition(k.Object, "TLSReady"); c.Reason != "InvalidSpec" ||
			!strings.HasPrefix(c.Message, "Secret given ") || !strings.Contains(c.Message, pki.KeyKey) {
			t.Errorf("the condition is %s: %s", c.Reason, c.Message)
		}
		p.Change("Secret/cloud/given", "data", SecretOf("given", good).Object["data"])
		p.Settle()
		p.Ready()
		if after := k.pods(p); cmp.Equal(pods, after) {
			t.Error("the certificate was mended, and no pod has it")
		}
		k.lasts(p)
	})
}

// lasts: of a given certificate with a few days left it is told, which keeps nobody from Ready, until there is another.
func (k Kind) lasts(p *kittest.Play) {
	p.T.Helper()
	advice := func(data map[string][]byte) metav1.Condition {
		p.Change("Secret/cloud/given", "data", SecretOf("given", data).Object["data"])
		p.Settle()
		p.Ready()
		return p.Condition(k.Object, "CertificateLasts")
	}
	end := time.Now().Add(5 * 24 * time.Hour).UTC()
	c := advice(Certificate(p, end.Add(-pki.LeafLifetime)))
	if want := "the certificate in Secret given ends on " + end.Format(time.DateOnly) + ", and nobody takes it after " +
		"that; put a renewed one into the Secret"; c.Status != metav1.ConditionFalse || c.Message != want {
		p.T.Errorf("the advice is %s: %s", c.Status, c.Message)
	}
	if c = advice(Certificate(p, time.Now())); c.Status != metav1.ConditionTrue {
		p.T.Errorf("with a new certificate the advice is %s: %s", c.Status, c.Message)
	}
}

// pods are the templates of the service's pods.
func (k Kind) pods(p *kittest.Play) map[string]any {
	out := map[string]any{}
	for _, u := range p.Objects() {
		if u.GetKind() == "Deployment" || u.GetKind() == "StatefulSet" {
			out[u.GetName()], _, _ = unstructured.NestedFieldCopy(u.Object, "spec", "template")
		}
	}
	return out
}
