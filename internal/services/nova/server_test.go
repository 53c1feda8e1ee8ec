//go:build apiserver

package nova_test

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
			"database": {"spec: {database: null}", "spec.database: Required value"},
			"identity": {"spec: {identity: null}", "spec.identity: Required value"},
			"bus":      {"spec: {rabbitmq: ''}", "spec.rabbitmq"},
			"cell":     {"spec: {cells: [{name: Cell_1}]}", "lower-case letters, digits and dashes"},
			"cell0":    {"spec: {cells: [{name: cell0}]}", "cell0 is Nova's own"},
			"twice":    {"spec: {cells: [{name: a}, {name: a}]}", "Duplicate value"},
			"days":     {"spec: {maintenance: {keepDays: -1}}", "spec.maintenance.keepDays"},
			"name":     {"metadata: {name: 1st}", "beginning with a letter"},
		})
		object := p.Object(novaObject)
		servicetest.Must(t, unstructured.SetNestedField(object.Object, "other", "spec", "identity", "keystone"))
		servicetest.Denied(t, servicetest.Update(p, object), "identity cannot be changed")
	})
}
