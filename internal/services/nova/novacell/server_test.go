//go:build apiserver

package novacell_test

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
			"nova":     {"spec: {nova: ''}", "spec.nova"},
			"database": {"spec: {database: null}", "spec.database: Required value"},
			"bus":      {"spec: {rabbitmq: ''}", "spec.rabbitmq"},
		})
		object := p.Object(kind().Object)
		servicetest.Must(t, unstructured.SetNestedField(object.Object, "other", "spec", "nova"))
		servicetest.Denied(t, servicetest.Update(p, object), "nova cannot be changed")
	})
}
