//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// stuck is how long work may stand still once all that it needs is there again.
const stuck = time.Minute

// A network, a port, a server and a volume are made and removed while one part of the cloud after another is killed,
// and then all at once. Nothing is lost, nothing is there twice, nothing stands still. A server that ran before
// answers.
func TestCloudSurvives(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	f := stored(w)
	rack, remove := server(f)
	for _, part := range []string{"galera-", "rabbitmq-", "memcached-", "ovn-nb-", "ovn-sb-"} {
		f.worksWithout(rack, "openstack-"+part)
	}
	f.worksWithout(rack, "ceph-")
	f.worksWithout(rack, "openstack-")
	w.Eventually(2*time.Minute, "the server answers ping", answersPing(w))
	remove()
}

// stored is hosted with volumes and images on a Ceph.
func stored(w *story.World, also ...func(*controlplanev1.Services)) fleet {
	w.Helper()
	ceph := newCeph(w, w.Cloud().Namespace, infrav1.DevCephClient{Name: "glance", Pools: []string{"images"}},
		infrav1.DevCephClient{Name: "cinder", Pools: []string{"volumes"}, ReadOnlyPools: []string{"images"}},
		infrav1.DevCephClient{Name: "backup", Pools: []string{"backups"}})
	w.Gone(2*time.Minute, ceph.DeepCopy()) // that of an earlier story
	w.Apply(ceph)
	w.Cleanup(func() {
		if err := client.IgnoreNotFound(w.Delete(context.WithoutCancel(w.Context()), ceph)); err != nil {
			w.Error(err)
		}
	})
	f := hosted(w, append([]func(*controlplanev1.Services){onCeph}, also...)...)
	w.Ready(2*time.Minute, &servicev1.Cinder{ObjectMeta: metav1.ObjectMeta{Namespace: f.namespace,
		Name: "openstack-cinder"}})
	return f
}

// onCeph keeps images and volumes in the Ceph.
func onCeph(s *controlplanev1.Services) {
	s.Glance.Stores = []servicev1.ImageStore{{Name: "ceph", RBD: inPool("glance", "images")}}
	s.Cinder = &controlplanev1.CinderService{
		Backends: []servicev1.CinderBackend{{Name: "rbd", RBD: inPool("cinder", "volumes")}}}
}

// worksWithout kills the pods whose names begin with prefix twice: while everything of work.yaml is made, and while it
// is removed.
func (f fleet) worksWithout(rack *fleetv1.BuildingBlock, prefix string) {
	f.Helper()
	work := manifest(f.World, "testdata/work.yaml")
	for _, o := range work {
		f.Apply(o)
	}
	f.Eventually(stuck, "Nova knows of the server", func(ctx context.Context) error {
		return identified(ctx, f.World, work[0])
	})
	f.kill(rack, prefix)
	f.Eventually(stuck, "everything is made", func(ctx context.Context) error { return allReady(ctx, f.World, work) })
	f.once()
	for _, o := range work {
		if err := f.Delete(f.Context(), o); err != nil {
			f.Fatal(err)
		}
	}
	f.kill(rack, prefix)
	f.Eventually(stuck, "everything is removed", func(ctx context.Context) error {
		for _, o := range work {
			now := o.DeepCopy()
			if err := f.Get(ctx, f.Key(o), now); client.IgnoreNotFound(err) != nil || err == nil {
				conditions, _, _ := unstructured.NestedSlice(now.Object, "status", "conditions")
				return errors.Join(fmt.Errorf("%s is still there: %v", o.GetKind(), conditions), err)
			}
		}
		return nil
	})
	for _, kind := range []string{"server", "port", "network", "volume"} {
		if out := f.named(kind); len(out) > 0 {
			f.Errorf("of %s there is left %v", kind, out)
		}
	}
}

// kill ends pods at once and waits until the cloud and its hosts are ready again.
func (f fleet) kill(rack *fleetv1.BuildingBlock, prefix string) {
	f.Helper()
	began := time.Now()
	n := f.KillAll(2*time.Minute, f.namespace, prefix)
	f.Cloud()
	f.Ready(2*time.Minute, rack)
	f.Logf("%d pods of %s were killed: everything is ready again after %s", n, prefix,
		time.Since(began).Round(100*time.Millisecond))
}

// once checks that there is one of each of work.yaml.
func (f fleet) once() {
	f.Helper()
	for _, kind := range []string{"server", "port", "network", "volume"} {
		if out := f.named(kind); len(out) != 1 {
			f.Errorf("there are %d of %s: %v", len(out), kind, out)
		}
	}
}

// named lists the ids of the resources of OpenStack that are called work.
func (f fleet) named(kind string) []string {
	f.Helper()
	args := []string{kind, "list", "--name", "work", "-f", "value", "-c", "ID"}
	if kind == "server" || kind == "volume" {
		args = append(args, "--all-projects")
	}
	return strings.Fields(f.OpenStack(args...))
}
