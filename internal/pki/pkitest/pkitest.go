// Package pkitest has what tests of all kinds that take an authority of a person's have in common.
package pkitest

import (
	"encoding/base64"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/pki"
)

// AuthorityLasts plays an authority that a person gives in a field of an object and that has a few days left: it is
// told, which keeps nobody from Ready, until there is another one. What is done without it is done before.
func AuthorityLasts(t *testing.T, s kittest.Scenario, object, field string) {
	t.Helper()
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		end := time.Now().Add(5 * 24 * time.Hour).UTC()
		p.Create(authority(p, end.Add(-pki.CALifetime)))
		p.Change(object, field, "given")
		p.Settle()
		p.Ready()
		want := "the certificate in Secret given ends on " + end.Format(time.DateOnly) + ", and nobody takes it after " +
			"that; put a renewed one into the Secret"
		if c := p.Condition(object, "CertificateLasts"); c.Status != metav1.ConditionFalse || c.Message != want {
			t.Errorf("the advice is %s: %s", c.Status, c.Message)
		}
		p.Change("Secret/cloud/given", "data", authority(p, time.Now()).Object["data"])
		p.Settle()
		p.Ready()
		if c := p.Condition(object, "CertificateLasts"); c.Status != metav1.ConditionTrue {
			t.Errorf("of a new authority the advice is %s: %s", c.Status, c.Message)
		}
	})
}

// authority is the Secret of one that was made at a time.
func authority(p *kittest.Play, at time.Time) *unstructured.Unstructured {
	p.T.Helper()
	ca, err := pki.NewCA("given", at)
	if err != nil {
		p.T.Fatal(err)
	}
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret",
		"metadata": map[string]any{"name": "given", "namespace": "cloud"},
		"data": map[string]any{pki.CertKey: base64.StdEncoding.EncodeToString(ca.Cert),
			pki.KeyKey: base64.StdEncoding.EncodeToString(ca.Key)}}}
}
