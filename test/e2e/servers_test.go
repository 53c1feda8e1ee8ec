//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
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
	"stackwright.dev/stackwright/internal/resources/kinds"
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
		edits: "testdata/stackedits.yaml", shows: editionOf,
		objects: slices.Concat(manifest(w, "testdata/keymanager.yaml"), manifest(w, "testdata/stack.yaml")),
		idle:    map[string]string{"drifted": "Barbican changes nothing, and Heat shows nothing that a Stack declares"},
	}).conforms()
}

// editions are what Heat shows of the stack when it has the edits of stackedits.yaml. The output is what Neutron calls
// its network.
var editions = [2]string{
	"first=one, resources network, tags one, 11 minutes, no rollback: true",
	"second=two, resources network word, tags two, 12 minutes, no rollback: false",
}

// editionOf checks that the stack has the n-th edits, and has made of them what they say.
func editionOf(ctx context.Context, s *suite, n int) error {
	var stack struct {
		Stack struct {
			Outputs []struct {
				Key   string `json:"output_key"`
				Value any    `json:"output_value"`
			}
			Tags       []string
			Minutes    int  `json:"timeout_mins"`
			NoRollback bool `json:"disable_rollback"`
		}
	}
	var parts struct {
		Resources []struct {
			Name string `json:"resource_name"`
		}
	}
	path := "stacks/declared/" + s.ids["Stack/declared"]
	err := errors.Join(s.read(ctx, &kinds.Stack, path, &stack),
		s.read(ctx, &kinds.Stack, path+"/resources", &parts))
	var names []string
	for _, r := range parts.Resources {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	told := ""
	for _, o := range stack.Stack.Outputs {
		told += fmt.Sprintf("%s=%v, ", o.Key, o.Value)
	}
	told += fmt.Sprintf("resources %s, tags %s, %d minutes, no rollback: %t", strings.Join(names, " "),
		strings.Join(stack.Stack.Tags, " "), stack.Stack.Minutes, stack.Stack.NoRollback)
	if err == nil && told != editions[n] {
		err = fmt.Errorf("the stack shows %s, want %s", told, editions[n])
	}
	return err
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
