//go:build apiserver

package controlplane_test

import (
	"testing"

	"k8s.io/client-go/rest"

	"stackwright.dev/kit/kittest"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

// onServer is a scenario on a real API server.
func onServer(t *testing.T, s kittest.Scenario) *kittest.World {
	t.Helper()
	s.Config = live
	return kittest.New(t, s)
}

// The rules of the control plane are within the API server's budget, and say what they say in memory.
func TestServerRefuses(t *testing.T) {
	t.Run("values", func(t *testing.T) { onServer(t, scenario()).Run(t, refusesValues) })
	t.Run("less", func(t *testing.T) { onServer(t, scenario()).Run(t, refusesLess) })
}

func TestServerKeepsWhatIsThere(t *testing.T) {
	onServer(t, storing(t, "ssd")).Run(t, func(p *kittest.Play) { otherClass(p, "ssd", "nvme") })
	onServer(t, scenario()).Budget(t, 0, 0)
}
