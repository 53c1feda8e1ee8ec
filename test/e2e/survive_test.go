//go:build e2e

package e2e

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// back is how long it may take until everything is ready again after all of it was killed at once on two cores.
const back = 6 * time.Minute

// Networks, ports, servers and volumes are made and removed all the time while one part of the cloud after another is
// killed, twice each at moments that a seed decides, and then all pods of it and of its host at once. Nothing is lost,
// nothing is there twice, nothing stands still, and nothing that was removed has left something behind. A server that
// ran before answers.
func TestCloudSurvives(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	f := stored(w, func(s *controlplanev1.Services) {
		s.Heat, s.Barbican, s.Horizon = &controlplanev1.HeatService{}, &controlplanev1.BarbicanService{},
			&controlplanev1.HorizonService{}
	})
	rack, remove := server(f)
	before := f.holdings()
	work, random := f.toils(), rand.New(rand.NewPCG(1, 1))
	work.goes()
	for _, parts := range [][]string{{"openstack-galera-"}, {"openstack-rabbitmq-"}, {"openstack-memcached-"},
		{"openstack-ovn-nb-"}, {"openstack-ovn-sb-"}, {"ceph-"}, {"openstack-"}, {"openstack-", "rack-a-", "ceph-"}} {
		for range 2 {
			story.Pause(t.Context(), time.Duration(random.IntN(20))*time.Second)
			work.kill(rack, parts...)
		}
		work.goes()
	}
	work.stop()
	w.Eventually(stuck, "what was removed has left nothing", func(context.Context) error {
		return sameLines(before, f.holdings())
	})
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

// kill ends pods at once and waits until the cloud and its hosts are ready again.
func (t *toil) kill(rack *fleetv1.BuildingBlock, prefixes ...string) {
	t.Helper()
	began := time.Now()
	t.whole.Store(0)
	n := t.KillAll(back, t.namespace, prefixes...)
	t.Cloud()
	t.Ready(2*time.Minute, rack)
	t.whole.Store(time.Now().UnixNano())
	took := time.Since(began).Round(100 * time.Millisecond)
	t.Logf("%d pods of %v were killed: everything is ready again after %s", n, prefixes, took)
	if took > back {
		t.Errorf("everything is ready again after %s, at most %s", took, back)
	}
}

// holdings are what backs the resources of OpenStack: images of block devices, ports of switches, and what Placement
// has allocated.
func (f fleet) holdings() []string {
	f.Helper()
	var out []string
	run := func(pod string, command ...string) {
		f.Helper()
		said, err := f.Cluster.Kubectl(f.Context(), append([]string{"-n", f.namespace, "exec", pod, "--"}, command...)...)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(said) {
			out = append(out, command[0]+" "+strings.TrimSpace(line))
		}
	}
	run("openstack-cinder-volume-rbd-0", "rbd", "--id=cinder", "--conf=/etc/stackwright/config/ceph-rbd.conf", "ls",
		"volumes")
	run("openstack-ovn-nb-0", "ovn-nbctl", "--timeout=10", "--db=unix:/run/ovn/database.sock", "--no-leader-only",
		"--bare", "--columns=name", "list", "Logical_Switch_Port")
	for provider := range strings.FieldsSeq(f.OpenStack("resource", "provider", "list", "-f", "value", "-c", "uuid")) {
		out = append(out, f.OpenStack("resource", "provider", "show", provider, "--allocations", "-f", "value", "-c",
			"allocations"))
	}
	return out
}
