//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// storage is Cinder and Glance on a Ceph, and what a story has made in them.
type storage struct {
	*story.World
	cp, asked *controlplanev1.OpenStackControlPlane
	cinder    *servicev1.Cinder
	ceph      *infrav1.DevCeph
	programs  []string
	made      []client.Object
}

// Cinder and Glance keep their data in a Ceph that one object brings. What was declared is made: volumes and snapshots,
// one from an image without copying it. They grow, outlive the pods, and go without a rest. A back end that comes and
// goes leaves no record. Ceph is away for a while: conditions say so, pods that start meanwhile serve what needs no
// Ceph, and what needs it works again without anybody's doing. When it is full, a volume says that there is no room.
func TestCinderServes(t *testing.T) {
	story.Slow(t)
	s := newStorage(story.Start(t))
	offerCloud(s.World)
	s.make()
	s.kill()
	s.corrected()
	s.away()
	s.full()
	s.another()
	s.remove()
	s.Apply(s.Change(s.cp))
	s.Gone(2*time.Minute, s.cinder)
	if out := s.OpenStack("catalog", "list"); strings.Contains(out, "cinder") {
		t.Errorf("without Cinder the catalog is %s", out)
	}
}

func inPool(secret, pool string) *servicev1.Ceph {
	return &servicev1.Ceph{Secret: "ceph-" + secret, Pool: pool}
}

func newStorage(w *story.World) *storage {
	w.Helper()
	s := &storage{World: w, cp: w.Cloud(), programs: []string{"cinder-scheduler openstack-cinder-scheduler-0",
		"cinder-volume openstack-cinder@rbd"}}
	s.ceph = newCeph(w, s.cp.Namespace, infrav1.DevCephClient{Name: "glance", Pools: []string{"images"}},
		infrav1.DevCephClient{Name: "cinder", Pools: []string{"volumes"}, ReadOnlyPools: []string{"images"}})
	w.Apply(s.ceph)
	w.Cleanup(func() {
		if err := client.IgnoreNotFound(w.Delete(context.WithoutCancel(w.Context()), s.ceph)); err != nil {
			w.Error(err)
		}
	})
	// Whether a program is down is known sooner.
	patience, err := servicev1.ValueOf(20)
	if err != nil {
		w.Fatal(err)
	}
	s.asked = w.Change(s.cp)
	s.asked.Spec.Services.Glance = &controlplanev1.GlanceService{
		Stores: []servicev1.ImageStore{{Name: "ceph", RBD: inPool("glance", "images")}}}
	s.asked.Spec.Services.Cinder = &controlplanev1.CinderService{
		Backends: []servicev1.CinderBackend{{Name: "rbd", RBD: inPool("cinder", "volumes")}}}
	s.asked.Spec.Services.Cinder.Config = map[string]servicev1.Options{"DEFAULT": {"service_down_time": patience}}
	w.Apply(s.asked.DeepCopy())
	s.cinder = &servicev1.Cinder{ObjectMeta: metav1.ObjectMeta{Namespace: s.cp.Namespace, Name: "openstack-cinder"}}
	w.Logf("Ceph is ready after %s", w.Ready(2*time.Minute, s.ceph))
	w.Logf("Cinder is ready after %s more", w.Ready(story.UpToReady, s.cinder))
	w.Ready(2*time.Minute, s.cp)
	w.Eventually(time.Minute, "its programs are up", volumePrograms(w, s.programs...))
	return s
}

// make declares a volume, a snapshot, and volumes of the snapshot and of an image.
func (s *storage) make() {
	s.Helper()
	s.OpenStack("image", "create", "--disk-format", "raw", "--container-format", "bare", "--file", some, "tiny")
	data := s.volume("data", openstackv1.VolumeResource{Size: 1})
	s.Logf("a volume is there after %s", s.Ready(time.Minute, data))
	image := &openstackv1.Reference{External: &openstackv1.External{Name: "tiny"}}
	cloned := s.volume("cloned", openstackv1.VolumeResource{Size: 1, ImageRef: image})
	s.Logf("a volume of an image is there after %s", s.Ready(time.Minute, cloned))
	if out := s.rbd("info", "volumes/volume-"+cloned.Status.ID); !strings.Contains(out, "parent: images/") {
		s.Errorf("the volume of an image is a copy:\n%s", out)
	}
	snapshot := &openstackv1.Snapshot{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "then"}}
	snapshot.Spec.Resource = &openstackv1.SnapshotResource{VolumeRef: openstackv1.Reference{Name: data.Name}}
	s.Apply(snapshot.DeepCopy())
	s.Ready(time.Minute, snapshot)
	again := s.volume("again", openstackv1.VolumeResource{Size: 1, SnapshotRef: &openstackv1.Reference{Name: "then"}})
	s.Ready(time.Minute, again)
	s.made = []client.Object{again, snapshot, cloned, data}
}

// kill takes all pods at once, and then lets a volume grow.
func (s *storage) kill() {
	s.Helper()
	s.KillAll(2*time.Minute, s.cp.Namespace, "openstack-cinder-", "ceph-0")
	s.Ready(time.Minute, s.ceph)
	s.Ready(time.Minute, s.cinder)
	data := s.volume("data", openstackv1.VolumeResource{Size: 2})
	s.Ready(time.Minute, data)
	s.Eventually(time.Minute, "a volume has grown",
		s.Prints("2", "volume", "show", "-f", "value", "-c", "size", data.Status.ID))
}

// corrected names a filter to the scheduler that there is not. Its only pod has made room for one that ends, which the
// condition says; the API serves, and what is right again is taken at once.
func (s *storage) corrected() {
	s.Helper()
	filters, err := servicev1.ValueOf([]string{"NoSuchFilter"})
	if err != nil {
		s.Fatal(err)
	}
	wrong := s.asked.DeepCopy()
	wrong.Spec.Services.Cinder.Config["DEFAULT"]["scheduler_default_filters"] = filters
	s.Apply(wrong)
	s.Eventually(3*time.Minute, "Cinder says that no scheduler serves",
		s.Says(s.cinder, "SchedulerReady", "and no old pod serves meanwhile: container scheduler of pod "))
	s.Eventually(time.Minute, "its API serves", s.Prints("data", "volume", "list", "-f", "value", "-c", "Name"))
	s.Apply(s.asked.DeepCopy())
	s.Logf("what is right again is taken after %s", s.Ready(2*time.Minute, s.cinder))
}

// away stops Ceph, and starts it again.
func (s *storage) away() {
	s.Helper()
	glance := &servicev1.Glance{ObjectMeta: metav1.ObjectMeta{Namespace: s.cp.Namespace, Name: "openstack-glance"}}
	s.Ready(time.Minute, glance)
	s.stopped(true)
	since := time.Now()
	s.Eventually(2*time.Minute, "Glance says that its store is gone",
		s.Says(glance, "StoreHealthReady", "store ceph does not answer: "))
	s.Logf("Glance says that its store is gone after %s", time.Since(since).Round(time.Second))
	s.KillAll(2*time.Minute, s.cp.Namespace, "openstack-glance-api-")
	s.Eventually(time.Minute, "a new API serves without its store",
		s.Prints("tiny", "image", "list", "-f", "value", "-c", "Name"))
	s.Eventually(6*time.Minute, "Cinder says that its back end is gone",
		s.Says(s.cinder, "VolumeReady", "its probe says that it does not work any more"))
	s.Logf("Cinder says that its back end is gone after %s", time.Since(since).Round(time.Second))
	s.Eventually(time.Minute, "its API serves", s.Prints("data", "volume", "list", "-f", "value", "-c", "Name"))

	s.stopped(false)
	since = time.Now()
	s.Ready(2*time.Minute, s.ceph)
	s.Ready(3*time.Minute, glance)
	s.Logf("Glance is ready %s after Ceph was started", time.Since(since).Round(time.Second))
	s.OpenStack("image", "create", "--disk-format", "raw", "--container-format", "bare", "--file", some, "after")
	s.OpenStack("image", "delete", "after")
	s.Ready(5*time.Minute, s.cinder)
	s.Logf("Cinder is ready %s after Ceph was started", time.Since(since).Round(time.Second))
	after := s.volume("after", openstackv1.VolumeResource{Size: 1})
	s.Ready(time.Minute, after)
	s.made = append([]client.Object{after}, s.made...)
}

// stopped takes the pod of Ceph away, or gives it back.
func (s *storage) stopped(stop bool) {
	s.Helper()
	c := &infrav1.DevCeph{ObjectMeta: metav1.ObjectMeta{Namespace: s.ceph.Namespace, Name: s.ceph.Name}, Spec: s.ceph.Spec}
	c.Spec.Paused = stop
	s.Apply(c)
	if !stop {
		return
	}
	if _, err := s.Cluster.Kubectl(s.Context(), "-n", s.ceph.Namespace, "scale", "statefulset", s.ceph.Name,
		"--replicas=0"); err != nil {
		s.Fatal(err)
	}
}

// full leaves no room in the Ceph for a while. What is there stays as it is.
func (s *storage) full() {
	s.Helper()
	room := func(bytes string, full bool) {
		s.Helper()
		if _, err := s.Cluster.Kubectl(s.Context(), "-n", s.cp.Namespace, "exec", "ceph-0", "-c", "mon", "--", "ceph",
			"osd", "pool", "set-quota", "volumes", "max_bytes", bytes); err != nil {
			s.Fatal(err)
		}
		s.Eventually(3*time.Minute, "the scheduler knows", func(ctx context.Context) error {
			out, err := s.Cluster.Stackwright(ctx, "openstack", "volume", "backend", "pool", "list", "--long", "-f", "value",
				"-c", "Capabilities")
			if err == nil && strings.Contains(out, "'free_capacity_gb': 0.0") != full {
				err = errors.New("it takes the pool for " + out)
			}
			return err
		})
	}
	room("1048576", true)
	late := s.volume("late", openstackv1.VolumeResource{Size: 1})
	s.Eventually(time.Minute, "a volume says that there is no room", s.Says(late, "Ready", "backend"))
	room("0", false)
	if err := s.Delete(s.Context(), late); err != nil {
		s.Fatal(err)
	}
	s.Gone(time.Minute, late)
	late = s.volume("late", openstackv1.VolumeResource{Size: 1})
	s.Ready(time.Minute, late)
	s.made = append([]client.Object{late}, s.made...)
}

// another back end comes and goes. It cannot be reached at first, which harms nobody: its program takes no orders, and
// the other one serves.
func (s *storage) another() {
	s.Helper()
	one := s.asked.Spec.Services.Cinder.Backends
	s.asked.Spec.Services.Cinder.Backends = append(one, servicev1.CinderBackend{Name: "more",
		RBD: inPool("more", "volumes")})
	s.login("nobody")
	s.Apply(s.asked.DeepCopy())
	const pod = "openstack-cinder-volume-more-0"
	s.Eventually(2*time.Minute, "the program of a back end that is not reached says so", func(ctx context.Context) error {
		out, err := s.Cluster.Kubectl(ctx, "-n", s.cp.Namespace, "logs", "--tail=5", pod)
		if err == nil && !strings.Contains(out, "The back end does not work") {
			err = errors.New(out)
		}
		return err
	})
	s.Holds(20*time.Second, "it takes no orders", func(ctx context.Context) error {
		out, err := s.Cluster.Kubectl(ctx, "-n", s.cp.Namespace, "get", "pod", pod, "-o",
			"jsonpath={.status.containerStatuses[0].ready} {.status.containerStatuses[0].restartCount}")
		if err == nil && out != "false 0" {
			err = errors.New("ready and restarts are " + out)
		}
		return err
	})
	beside := s.volume("beside", openstackv1.VolumeResource{Size: 1, VolumeTypeRef: &openstackv1.Reference{
		External: &openstackv1.External{Name: "rbd"}}})
	s.Ready(time.Minute, beside)
	s.made = append([]client.Object{beside}, s.made...)
	s.login("cinder")
	s.Eventually(2*time.Minute, "a second back end is up", volumePrograms(s.World, append(s.programs,
		"cinder-volume openstack-cinder@more")...))
	s.Ready(time.Minute, s.cinder)
	s.asked.Spec.Services.Cinder.Backends = one
	s.Apply(s.asked.DeepCopy())
	s.Eventually(2*time.Minute, "it leaves no record behind", volumePrograms(s.World, s.programs...))
	s.Ready(time.Minute, s.cinder)
}

// login writes the Secret of the second back end: that of the first with another user.
func (s *storage) login(user string) {
	s.Helper()
	secret := &corev1.Secret{}
	if err := s.Get(s.Context(), client.ObjectKey{Namespace: s.cp.Namespace, Name: "ceph-cinder"}, secret); err != nil {
		s.Fatal(err)
	}
	data := maps.Clone(secret.Data)
	data["user"] = []byte(user)
	data["keyring"] = bytes.ReplaceAll(data["keyring"], []byte("client.cinder"), []byte("client."+user))
	more := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.cp.Namespace, Name: "ceph-more"}, Data: data}
	s.Apply(more)
	s.Cleanup(func() {
		if err := client.IgnoreNotFound(s.Delete(context.WithoutCancel(s.Context()), more)); err != nil {
			s.Error(err)
		}
	})
}

// remove deletes everything at once, as objects know what has to go first.
func (s *storage) remove() {
	s.Helper()
	for _, o := range s.made {
		if err := s.Delete(s.Context(), o); err != nil {
			s.Fatal(err)
		}
	}
	for _, o := range s.made {
		s.Gone(time.Minute, o)
	}
	s.OpenStack("image", "delete", "tiny")
	if out := s.rbd("ls", "volumes"); strings.TrimSpace(out) != "" {
		s.Errorf("of deleted volumes are left %s", out)
	}
}

// volume applies a Volume.
func (s *storage) volume(name string, r openstackv1.VolumeResource) *openstackv1.Volume {
	s.Helper()
	v := &openstackv1.Volume{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name}}
	v.Spec.Resource = &r
	s.Apply(v.DeepCopy())
	return v
}

// rbd asks Ceph as the program of the back end does.
func (s *storage) rbd(args ...string) string {
	s.Helper()
	out, err := s.Cluster.Kubectl(s.Context(), append([]string{"-n", s.cp.Namespace, "exec",
		"openstack-cinder-volume-rbd-0", "--", "rbd", "--id=cinder", "--conf=/etc/stackwright/config/ceph-rbd.conf"},
		args...)...)
	if err != nil {
		s.Fatal(err)
	}
	return out
}

// volumePrograms checks that Cinder knows these of its own programs and no others, and that all of them are up.
func volumePrograms(w *story.World, programs ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		out, err := w.Cluster.Stackwright(ctx, "openstack", "volume", "service", "list", "-f", "value", "-c", "Binary",
			"-c", "Host", "-c", "State")
		if err != nil {
			return err
		}
		for _, p := range programs {
			if !strings.Contains(out, p+" up") {
				return errors.New(p + " is not up in\n" + out)
			}
		}
		if n := strings.Count(out, "\n"); n != len(programs) {
			return fmt.Errorf("there are %d programs, want %d:\n%s", n, len(programs), out)
		}
		return nil
	}
}
