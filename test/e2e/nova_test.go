//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Nova is asked for by one word, and has one cell. Programs come and go and leave no rows behind. A second cell comes
// with a database and a bus of its own, gets hosts and a server, loses one after the other for a while, and goes once
// its hosts are gone. Passwords of cells are edited, and all pods killed: Nova knows what it knew, and works.
func TestNovaComputes(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	nova := &servicev1.Nova{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-nova"}}
	asked := w.Change(cp)
	asked.Spec.Services.Placement = &controlplanev1.PlacementService{}
	asked.Spec.Services.Glance = &controlplanev1.GlanceService{}
	asked.Spec.Services.Neutron = &controlplanev1.NeutronService{}
	asked.Spec.Services.Nova = &controlplanev1.NovaService{}
	w.Apply(asked.DeepCopy())
	t.Logf("Nova is ready after %s", w.Ready(story.UpToReady, nova))
	t.Logf("the control plane is ready after %s more", w.Ready(time.Minute, cp))
	first := []string{"openstack-nova-cell1-conductor", "openstack-nova-conductor", "openstack-nova-scheduler"}
	w.Eventually(time.Minute, "its programs are up", programs(w, first...))

	far, bus := ownDatabase(w, cp.Namespace), ownBus(w, cp.Namespace)
	asked.Spec.Services.Nova.Scheduler.Replicas = new(int32(2))
	asked.Spec.Services.Nova.Cells = []servicev1.Cell{{Name: "cell1"}, {Name: "far", Galera: far.Name, RabbitMQ: bus.Name}}
	w.Apply(asked.DeepCopy())
	both := append(slices.Clone(first), "openstack-nova-far-conductor")
	w.Eventually(2*time.Minute, "a second cell is up", programs(w, both...))
	w.Ready(time.Minute, cp)
	if pods := running(w, cp.Namespace, "openstack-nova-scheduler-"); len(pods) != 2 {
		t.Errorf("the schedulers are %v, want 2", pods)
	}
	near := hostsOf(w, nova.Name+"-cell1", "near", 2)
	crowd, server := inhabited(w, nova)
	silent(w, server, bus, nova, near)
	broken(w, nova, far, near)
	rekeyed(w, nova, near, both)
	deserted(w, near, "")

	asked.Spec.Services.Nova.Scheduler.Replicas = new(int32(1))
	asked.Spec.Services.Nova.Cells = []servicev1.Cell{{Name: "cell1"}}
	w.Apply(asked.DeepCopy())
	w.Eventually(2*time.Minute, "a cell that has hosts stays", w.Says(nova, "CellRemovalReady", "cell far has 3 hosts"))
	deserted(w, crowd, server)
	w.Eventually(8*time.Minute, "they leave no rows behind", programs(w, first...)) // the Job pauses after each try
	w.Gone(time.Minute, &servicev1.NovaCell{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace,
		Name: "openstack-nova-far"}})
	w.Ready(time.Minute, cp)

	for _, o := range []client.Object{far, bus} {
		if err := w.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		w.Gone(2*time.Minute, o)
	}
	w.Apply(w.Change(cp))
	w.Gone(2*time.Minute, nova)
	if out := w.OpenStack("catalog", "list"); strings.Contains(out, "nova") {
		t.Errorf("without Nova the catalog is %s", out)
	}
}

// hostsOf gives a cell hosts that run nothing.
func hostsOf(w *story.World, cell, name string, count int32) *fleetv1.BuildingBlock {
	w.Helper()
	b := fleet{w, "openstack"}.block(name)
	b.Spec.Cell, b.Spec.Driver, b.Spec.Fake = cell, fleetv1.DriverFake, &fleetv1.Fake{Hosts: count}
	w.Cleanup(func() {
		if err := client.IgnoreNotFound(w.Delete(context.WithoutCancel(w.Context()), b)); err != nil {
			w.Error(err)
		}
	})
	w.Apply(b)
	w.Logf("hosts of %s are ready after %s", cell, w.Ready(3*time.Minute, b))
	return b
}

// inhabited gives the cell far hosts and a server, which runs on one of them.
func inhabited(w *story.World, nova *servicev1.Nova) (crowd *fleetv1.BuildingBlock, server string) {
	w.Helper()
	crowd = hostsOf(w, nova.Name+"-far", "crowd", fakeHosts)
	w.OpenStack("flavor", "create", "--ram", "64", "--disk", "0", "far")
	w.OpenStack("image", "create", "--disk-format", "raw", "--container-format", "bare", "--file", some, "far")
	w.OpenStack("--os-compute-api-version", "2.74", "server", "create", "--flavor", "far", "--image", "far", "--nic",
		"none", "--host", "crowd-0", "--wait", "far")
	server = strings.TrimSpace(w.OpenStack("server", "show", "-f", "value", "-c", "id", "far"))
	host := w.OpenStack("server", "show", "-f", "value", "-c", "OS-EXT-SRV-ATTR:host", server)
	if !strings.HasPrefix(host, "crowd") {
		w.Errorf("the server is on %q", host)
	}
	return crowd, server
}

// deserted takes the server and the hosts away again, which nothing that happened to the cell has changed.
func deserted(w *story.World, crowd *fleetv1.BuildingBlock, server string) {
	w.Helper()
	if server != "" {
		w.Eventually(time.Minute, "the server is as it was",
			w.Prints("ACTIVE", "server", "show", "-f", "value", "-c", "status", server))
		w.OpenStack("server", "delete", "--wait", server)
		w.OpenStack("flavor", "delete", "far")
		w.OpenStack("image", "delete", "far")
	}
	if err := (fleet{w, crowd.Namespace}).deleted(w.Context(), crowd); err != nil {
		w.Fatal(err)
	}
	w.Gone(4*time.Minute, crowd)
}

// ownDatabase makes a small database beside that of the control plane.
func ownDatabase(w *story.World, namespace string) *infrav1.Galera {
	w.Helper()
	g := &infrav1.Galera{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "far-db"}}
	g.Spec.Image, g.Spec.Replicas, g.Spec.DeletionPolicy = image(w, "mariadb"), 1, infrav1.DeleteData
	g.Spec.Storage.Size.Set(1 << 30)
	w.Apply(g)
	w.Ready(5*time.Minute, g)
	return g
}

// ownBus makes a small message queue beside that of the control plane.
func ownBus(w *story.World, namespace string) *infrav1.RabbitMQ {
	w.Helper()
	r := &infrav1.RabbitMQ{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "far-bus"}}
	r.Spec.Image, r.Spec.Replicas, r.Spec.DeletionPolicy = image(w, "rabbitmq"), 1, infrav1.DeleteData
	r.Spec.Storage.Size.Set(1 << 30)
	w.Apply(r)
	w.Ready(5*time.Minute, r)
	return r
}

// closed has the only node take no pods until what it returns is called, and no longer than the story plays.
func closed(w *story.World) (open func()) {
	w.Helper()
	node := func(ctx context.Context, verb string) {
		w.Helper()
		if _, err := w.Cluster.Kubectl(ctx, verb, realHost); err != nil {
			w.Fatal(err)
		}
	}
	node(w.Context(), "cordon")
	w.Cleanup(func() { node(context.WithoutCancel(w.Context()), "uncordon") })
	return func() { node(w.Context(), "uncordon") }
}

// others checks that Nova and hosts of another cell are ready, and that the API answers.
func others(w *story.World, nova *servicev1.Nova, near *fleetv1.BuildingBlock) func(context.Context) error {
	return func(ctx context.Context) error {
		for _, o := range []client.Object{nova, near} {
			if err := w.Get(ctx, w.Key(o), o); err != nil {
				return err
			}
			if ok, why := gate.For(o)(o); !ok {
				return errors.New(why)
			}
		}
		_, err := w.Cluster.Stackwright(ctx, "openstack", "server", "list")
		return err
	}
}

// silent takes the bus away from the cell far. Users who ask for its server are told so, and hold up nobody.
func silent(w *story.World, server string, bus *infrav1.RabbitMQ, nova *servicev1.Nova, near *fleetv1.BuildingBlock) {
	w.Helper()
	open := closed(w)
	w.Kill(bus.Namespace, bus.Name+"-0")
	ctx, stop := context.WithCancel(w.Context())
	defer stop()
	var users sync.WaitGroup
	var refused atomic.Int32
	var said atomic.Value
	for range 4 {
		users.Go(func() {
			for ctx.Err() == nil {
				_, err := w.Cluster.Stackwright(ctx, "openstack", "server", "reboot", "--hard", server)
				switch {
				case err == nil || ctx.Err() != nil:
				case strings.Contains(err.Error(), "bus of the server's cell does not answer"):
					refused.Add(1)
				default:
					said.Store(err.Error())
				}
			}
		})
	}
	w.Holds(time.Minute, "Nova, its API and hosts of another cell stay ready", others(w, nova, near))
	stop()
	users.Wait()
	if w.Logf("users were told %d times that the bus of the cell does not answer", refused.Load()); refused.Load() < 4 {
		w.Errorf("what they were told is %v", said.Load())
	}
	open()
	w.Ready(3*time.Minute, bus)
	w.Eventually(time.Minute, "the server starts again", func(ctx context.Context) error {
		_, err := w.Cluster.Stackwright(ctx, "openstack", "server", "reboot", "--hard", "--wait", server)
		return err
	})
}

// broken takes the database away from the cell far, whose pod no node takes for a while: the cell and its hosts say so,
// and neither Nova, nor its API, nor hosts of another cell take notice.
func broken(w *story.World, nova *servicev1.Nova, far *infrav1.Galera, near *fleetv1.BuildingBlock) {
	w.Helper()
	open := closed(w)
	w.Kill(far.Namespace, far.Name+"-0")
	cell := &servicev1.NovaCell{ObjectMeta: metav1.ObjectMeta{Namespace: nova.Namespace, Name: nova.Name + "-far"}}
	w.Eventually(3*time.Minute, "the cell is not ready", func(ctx context.Context) error {
		if err := w.Get(ctx, w.Key(cell), cell); err != nil {
			return err
		}
		if ok, _ := gate.For(cell)(cell); ok {
			return errors.New("it is")
		}
		return nil
	})
	lost := &fleetv1.Hypervisor{ObjectMeta: metav1.ObjectMeta{Namespace: nova.Namespace, Name: "crowd-0"}}
	w.Eventually(3*time.Minute, "a host of the cell is not ready", w.Says(lost, "Ready", "Nova does not reach the cell"))
	// Every list of hosts is asked for within two minutes.
	w.Holds(150*time.Second, "Nova, its API and hosts of another cell stay ready", others(w, nova, near))
	open()
	w.Ready(3*time.Minute, far)
	w.Ready(3*time.Minute, cell)
}

// programs checks that Nova knows its own programs on these hosts and no others, and that all of them are up.
func programs(w *story.World, hosts ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		out, err := w.Cluster.Stackwright(ctx, "openstack", "compute", "service", "list", "-f", "value", "-c", "Host", "-c",
			"State")
		if err != nil {
			return err
		}
		for _, host := range hosts {
			if !strings.Contains(out, host+" up") {
				return errors.New(host + " is not up in\n" + out)
			}
		}
		// Hosts of stories before may be known still.
		if n := strings.Count(out, "openstack-nova-"); n != len(hosts) {
			return fmt.Errorf("there are %d programs, want %d:\n%s", n, len(hosts), out)
		}
		return nil
	}
}
