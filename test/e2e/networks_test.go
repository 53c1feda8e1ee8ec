//go:build e2e

package e2e

import (
	"slices"
	"testing"
	"time"

	"stackwright.dev/stackwright/test/e2e/story"
)

// Each kind of networks does on the real Neutron, on OVN, what internal/resources plays with the fake one.
func TestNetworksConform(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	withNeutron(w)
	newSuite(w, plan{services: []string{"network"}, edits: "testdata/networkedits.yaml",
		tangled: true, patience: 3 * time.Minute,
		objects: slices.Concat(manifest(w, "testdata/network.yaml"), manifest(w, "testdata/packets.yaml"))}).conforms()
}
