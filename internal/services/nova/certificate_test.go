package nova_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

// A certificate that a person brings for Nova has none of the names at which servers ask their cell about themselves:
// cells have one by the authority.
func TestCellsHaveACertificateOfTheirOwn(t *testing.T) {
	play(t, scenario(t, "spec: {tls: {secret: given, caSecret: authority}}"), func(p *kittest.Play) {
		p.Create(servicetest.SecretOf("given", servicetest.Certificate(p, time.Now())))
		p.Settle()
		tls, _, _ := unstructured.NestedStringMap(p.Object(novaCell1).Object, "spec", "tls")
		if tls["secret"] != "" || tls["caSecret"] != "authority" {
			t.Errorf("the cell has the certificate of %v, want one by authority", tls)
		}
	})
}
