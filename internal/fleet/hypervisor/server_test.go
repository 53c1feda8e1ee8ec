//go:build apiserver

package hypervisor_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

func onServer(t *testing.T) *kittest.World {
	t.Helper()
	s := scenario(t)
	s.Config = live
	return kittest.New(t, s)
}

func TestServerReady(t *testing.T) { onServer(t).Ready(t) }

// Where a host belongs cannot be changed, and the rest of an object is checked when it is written.
func TestServerRefuses(t *testing.T) {
	onServer(t).Run(t, func(p *kittest.Play) {
		for path, c := range map[string][2]string{
			"block": {"rack-b", "block cannot be changed"}, "cell": {"nova-cell2", "cell cannot be changed"},
			"cloud": {"", "spec.cloud"},
		} {
			o := p.Object(node1)
			servicetest.Must(t, unstructured.SetNestedField(o.Object, c[0], "spec", path))
			servicetest.Denied(p.T, servicetest.Update(p, o), c[1])
		}
	})
}

// What is seen fits into the schema of status, on a server that prunes what does not.
func TestServerStatus(t *testing.T) {
	onServer(t).Run(t, func(p *kittest.Play) {
		p.Ready()
		for _, path := range [][]string{{"vcpus", "total"}, {"memory", "used"}, {"disk", "allocationRatio"},
			{"service", "id"}, {"state"}, {"id"}, {"zone"}} {
			if field[string](p, path...) == "" {
				t.Errorf("status has no %v", path)
			}
		}
		if _, there, _ := unstructured.NestedInt64(p.Object(node1).Object, "status", "servers"); !there {
			t.Error("status does not tell that there are no servers")
		}
	})
}
