//go:build apiserver

package placement_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

func TestServerPromises(t *testing.T) { kind().ServerPromises(t, live) }

// What is wrong in itself is refused when it is written, with what would be right.
func TestServerRefuses(t *testing.T) {
	kind().OnServer(t, live).Run(t, func(p *kittest.Play) {
		kind().Refuses(p, map[string][2]string{
			"database":    {"spec: {database: null}", "spec.database: Required value"},
			"identity":    {"spec: {identity: null}", "spec.identity: Required value"},
			"no keystone": {"spec: {identity: {keystone: ''}}", "spec.identity.keystone"},
			"replicas":    {"spec: {replicas: -1}", "spec.replicas"},
			"name":        {"metadata: {name: 1st}", "beginning with a letter"},
		})
		placement := p.Object(kind().Object)
		servicetest.Must(t, unstructured.SetNestedField(placement.Object, "other", "spec", "identity", "keystone"))
		servicetest.Denied(t, servicetest.Update(p, placement), "identity cannot be changed")
	})
}
