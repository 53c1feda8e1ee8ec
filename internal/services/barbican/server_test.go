//go:build apiserver

package barbican_test

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
			"rabbitmq":    {"spec: {rabbitmq: ''}", "spec.rabbitmq"},
			"generation":  {"spec: {keyGeneration: 101}", "spec.keyGeneration"},
		})
		barbican := p.Object(kind().Object)
		servicetest.Must(t, unstructured.SetNestedField(barbican.Object, int64(2), "spec", "keyGeneration"))
		servicetest.Must(t, servicetest.Update(p, barbican))
		servicetest.Must(t, unstructured.SetNestedField(barbican.Object, int64(1), "spec", "keyGeneration"))
		servicetest.Denied(t, servicetest.Update(p, barbican), "keyGeneration cannot become less")
		servicetest.Must(t, unstructured.SetNestedField(barbican.Object, int64(2), "spec", "keyGeneration"))
		servicetest.Must(t, unstructured.SetNestedField(barbican.Object, "other", "spec", "identity", "keystone"))
		servicetest.Denied(t, servicetest.Update(p, barbican), "identity cannot be changed")
	})
}
