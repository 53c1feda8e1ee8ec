package servicetest

import (
	"testing"

	"k8s.io/client-go/rest"

	"stackwright.dev/kit/kittest"
)

// OnServer is the smallest object on a real API server.
func (k Kind) OnServer(t *testing.T, server *rest.Config) *kittest.World {
	t.Helper()
	s := k.Scenario(t, "")
	s.Config = server
	return kittest.New(t, s)
}

// ServerPromises tests what every service promises on a real API server, too, and what takes too long for a unit test:
// killed at any request, the operator comes to the same end.
func (k Kind) ServerPromises(t *testing.T, server *rest.Config) {
	t.Helper()
	t.Run("ready", func(t *testing.T) { k.OnServer(t, server).Ready(t) })
	t.Run("silent at rest", func(t *testing.T) { k.OnServer(t, server).Budget(t, 0, 0) })
	t.Run("killed", func(t *testing.T) { kittest.New(t, k.Scenario(t, "")).Crash(t, nil) })
}
