//go:build e2e

package e2e

import (
	"testing"

	"stackwright.dev/stackwright/test/e2e/story"
)

// No password or key is in logs, events, arguments, environments, ConfigMaps or status.
func TestSecretsStaySecret(t *testing.T) {
	w := story.Start(t)
	w.Secretive(w.Cloud().Namespace, "kind: OpenStackControlPlane", "kind: Keystone", "kind: Pod\n", "keystone-manage")
}
