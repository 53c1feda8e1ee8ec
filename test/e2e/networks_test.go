//go:build e2e

package e2e

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Each kind of networks does on the real Neutron, on OVN, what internal/resources plays with the fake one.
func TestNetworksConform(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	neutron := &servicev1.Neutron{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-neutron"}}
	asked := w.Change(cp)
	asked.Spec.Services.Neutron = wired()
	w.Apply(asked)
	t.Logf("Neutron is ready after %s", w.Ready(story.UpToReady, neutron))
	w.Ready(time.Minute, cp)
	offerCloud(w)
	newSuite(w, plan{services: []string{"network"}, edits: "testdata/networkedits.yaml",
		tangled: true, patience: 3 * time.Minute,
		objects: slices.Concat(manifest(w, "testdata/network.yaml"), manifest(w, "testdata/packets.yaml"))}).conforms()
}
