//go:build e2e

package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// guestOf is the image that the server of server.yaml boots from.
const guestOf = `{apiVersion: openstack.stackwright.dev/v1alpha1, kind: Image, metadata: {name: guest},
spec: {resource: {content: {diskFormat: raw, download: {url: "http://HOST/disk.raw"}}}}}`

// computing are the services that servers take.
var computing = []string{"compute", "block-storage", "image", "placement"}

// Each kind of servers, volumes, images and of Placement does on the real services, with a host that runs servers and
// a Ceph, what internal/resources plays with the fake ones.
func TestServersConform(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	f := stored(w, backedUp)
	f.connected(withVolumes)
	host := "guest." + w.Namespace + ".svc"
	offerCloud(w, host)
	disk(w)
	newSuite(w, plan{services: computing, edits: "testdata/serveredits.yaml", tangled: true, patience: 5 * time.Minute,
		objects: slices.Concat(manifest(w, "testdata/server.yaml"), decoded(w, strings.ReplaceAll(guestOf, "HOST", host)),
			ofServices(w, host)),
		more:  map[string]int{"ServerInterface": 1}, // the port that the server is made with
		unfit: map[string]string{"ResourceProvider": "Nova makes them: objects only look"}}).conforms()
}

// Each kind of Barbican and Heat does on the real services what internal/resources plays with the fake ones.
func TestSecretsAndStacksConform(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	barbican := &servicev1.Barbican{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-barbican"}}
	heat := &servicev1.Heat{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-heat"}}
	neutron := &servicev1.Neutron{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-neutron"}}
	asked := w.Change(cp)
	asked.Spec.Services.Barbican = &controlplanev1.BarbicanService{}
	asked.Spec.Services.Heat = &controlplanev1.HeatService{}
	asked.Spec.Services.Neutron = &controlplanev1.NeutronService{}
	w.Apply(asked)
	w.Ready(story.UpToReady, barbican)
	w.Ready(story.UpToReady, heat)
	w.Ready(story.UpToReady, neutron)
	offerCloud(w)
	newSuite(w, plan{services: []string{"key-manager", "orchestration"}, tangled: true, patience: 3 * time.Minute,
		objects: slices.Concat(manifest(w, "testdata/keymanager.yaml"), manifest(w, "testdata/stack.yaml"))}).conforms()
}

// ofServices are the objects of kinds.yaml, with images that a host serves.
func ofServices(w *story.World, host string) []*unstructured.Unstructured {
	w.Helper()
	text, err := os.ReadFile("testdata/kinds.yaml")
	if err != nil {
		w.Fatal(err)
	}
	return decoded(w, strings.ReplaceAll(string(text), "HOST", host))
}

// backedUp keeps backups in the Ceph that stored makes.
func backedUp(s *controlplanev1.Services) {
	s.Cinder.Backup = &servicev1.CinderBackup{RBD: inPool("backup", "backups")}
}

// withVolumes lets servers of a host have volumes of that Ceph.
func withVolumes(b *fleetv1.BuildingBlock) {
	b.Spec.Libvirt = &fleetv1.Libvirt{Ceph: []fleetv1.CephUser{{Secret: "ceph-cinder"}}}
}
