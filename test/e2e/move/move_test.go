//go:build e2e

// Package move tests that servers go from host to host.
package move

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

const (
	// mostGap is how long a server may not answer while it moves and runs. 0.35 s were seen on two cores.
	mostGap = 5 * time.Second
	// moved is how long a move may take.
	moved = 5 * time.Minute
)

// A cloud of two hosts, as up makes it, has the disks of servers in its Ceph. The server with which up proves it moves
// to the other host while it runs, with its volume, and hardly anybody notices; it moves there switched off, too, and
// becomes bigger on the way. A server that objects start from a volume does the same, and also once its object has let
// it go.
func TestServerMigrates(t *testing.T) {
	story.Slow(t)
	w := story.Own(t, story.Cluster{Name: "pair", Nodes: 2}, "--profile", "core")
	m := &mover{World: w}
	web := m.server("web", strings.Fields(w.OpenStack("floating", "ip", "list", "-f", "value", "-c",
		"Floating IP Address"))[0])
	m.disk(web)
	for range 2 {
		m.live(web)
	}
	t.Run("cold", func(*testing.T) { m.cold(web) })
	t.Run("bigger", func(*testing.T) { m.resize(web) })
	t.Run("from a volume", func(*testing.T) { m.volume(web.next()) })
}

type mover struct{ *story.World }

// server is one that answers at an address.
type server struct{ name, id, address string }

func (m *mover) server(name, address string) server {
	m.Helper()
	return server{name, m.show(name, "id"), address}
}

func (m *mover) show(name, column string) string {
	m.Helper()
	return m.OpenStack("server", "show", name, "-f", "value", "-c", column)
}

func (m *mover) host(s server) string {
	m.Helper()
	return m.show(s.name, "OS-EXT-SRV-ATTR:host")
}

// rbd asks the Ceph of the cluster.
func (m *mover) rbd(args ...string) string {
	m.Helper()
	out, err := m.Cluster.Kubectl(m.Context(), append([]string{"-n", "openstack", "exec", "ceph-0", "-c", "mon", "--",
		"rbd"}, args...)...)
	if err != nil {
		m.Fatal(err)
	}
	return out
}

// disk checks that the disk of a server is in the pool of Nova, and shares what it has not written with its image.
func (m *mover) disk(s server) {
	m.Helper()
	if out := m.rbd("info", "vms/"+s.id+"_disk"); !strings.Contains(out, "parent: images/") {
		m.Errorf("the disk of the server is a copy of its image:\n%s", out)
	}
}

// answers checks that a server answers at once.
func answers(s server) func(context.Context) error { return story.Answers("", s.address, time.Second) }

// live moves a server that runs to the other host while it is pinged, and with it the volumes that it has.
func (m *mover) live(s server) {
	m.Helper()
	from, volumes := m.host(s), m.show(s.name, "volumes_attached")
	ctx, stop := context.WithCancel(m.Context())
	done := make(chan story.Pings, 1)
	go func() {
		p, err := story.Ping(ctx, "", s.address)
		if err != nil {
			m.Error(err)
		}
		done <- p
	}()
	began := time.Now()
	_, err := m.Cluster.Stackwright(m.Context(), "openstack", "server", "migrate", "--live-migration", "--wait", s.name)
	took := time.Since(began)
	if err == nil {
		m.Eventually(time.Minute, "it answers", answers(s))
	}
	stop()
	p := <-done
	if err != nil {
		m.Fatal(err)
	}
	to := m.host(s)
	m.Logf("%s went from %s to %s in %s as it ran; pings: %s", s.name, from, to, took.Round(100*time.Millisecond), p)
	if to == from {
		m.Fatalf("%s is on %s still", s.name, from)
	}
	if p.Gap > mostGap {
		m.Errorf("%s did not answer for %s, at most %s", s.name, p.Gap, mostGap)
	}
	if now := m.show(s.name, "volumes_attached"); now != volumes {
		m.Errorf("its volumes were %s and are %s", volumes, now)
	}
}

// settled waits until a server that was told to go is on another host and may stay there, and answers.
func (m *mover) settled(s server, from string, began time.Time) {
	m.Helper()
	m.Eventually(moved, s.name+" has moved and may stay", func(ctx context.Context) error {
		out, err := m.Cluster.Stackwright(ctx, "openstack", "server", "show", s.name, "-f", "value", "-c",
			"OS-EXT-SRV-ATTR:host", "-c", "status", "-c", "OS-EXT-STS:task_state")
		// The client sorts them.
		host, rest, _ := strings.Cut(strings.TrimSpace(out), "\n")
		if err == nil && (host == from || rest != "None\nACTIVE") {
			err = fmt.Errorf("host, task and state are %q", out)
		}
		return err
	})
	took := time.Since(began).Round(100 * time.Millisecond)
	m.Logf("%s went from %s to %s switched off in %s", s.name, from, m.host(s), took)
	m.Eventually(2*time.Minute, "it answers", answers(s))
}

// cold moves a server switched off. It starts anew on the other host, and finds its volume there. Its object says that
// it may stay.
func (m *mover) cold(s server) {
	m.Helper()
	from, began := m.host(s), time.Now()
	m.OpenStack("server", "migrate", s.name)
	m.settled(s, from, began)
	m.Eventually(2*time.Minute, "its volume has what it wrote on the other host",
		m.Prints("says its volume of 1 GiB has kept: start 2", "console", "log", "show", s.name))
	m.disk(s)
}

// resize gives the object of a server a bigger flavor, which takes it to the other host.
func (m *mover) resize(s server) {
	m.Helper()
	bigger := &openstackv1.Flavor{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "bigger"}}
	bigger.Spec.Resource = &openstackv1.FlavorResource{RAM: 192, VCPUs: 2, Disk: 2}
	m.Apply(bigger)
	from, began := m.host(s), time.Now()
	if _, err := m.Cluster.Kubectl(m.Context(), "-n", "demo", "patch", "servers.openstack.stackwright.dev", s.name,
		"--type=merge", "-p", `{"spec":{"resource":{"flavorRef":{"name":"bigger"}}}}`); err != nil {
		m.Fatal(err)
	}
	m.settled(s, from, began)
	if out := m.rbd("info", "vms/"+s.id+"_disk"); !strings.Contains(out, "size 2 GiB") {
		m.Errorf("the flavor has 2 GiB, and the disk is\n%s", out)
	}
	m.live(s)
}

// confirmed moves a server that no object knows switched off, and says that it may stay.
func (m *mover) confirmed(s server) {
	m.Helper()
	from, began := m.host(s), time.Now()
	m.OpenStack("server", "migrate", s.name)
	m.Eventually(moved, s.name+" waits for its confirmation", m.Prints("VERIFY_RESIZE", "server", "show", s.name, "-f",
		"value", "-c", "status"))
	m.OpenStack("server", "migration", "confirm", s.name)
	m.settled(s, from, began)
}

// volume starts a server from a volume that is made of an image, all by objects, and moves it. Its object lets it go,
// and it moves as one that no object knows. Its volume stays when it is deleted.
func (m *mover) volume(address string) {
	m.Helper()
	began := time.Now()
	disk, door, own := rooted(address)
	for _, o := range append(door, disk, own) {
		m.Apply(o)
	}
	m.Ready(3*time.Minute, own)
	m.Logf("a server from a volume is there after %s", time.Since(began).Round(100*time.Millisecond))
	m.Ready(time.Minute, disk)
	s := m.server(own.Name, address)
	m.Eventually(2*time.Minute, "it answers", answers(s))
	if out := m.show(s.name, "volumes_attached"); !strings.Contains(out, disk.Status.ID) {
		m.Errorf("the server has volumes %s, want %s", out, disk.Status.ID)
	}
	if out := m.rbd("ls", "vms"); strings.Contains(out, s.id) {
		m.Errorf("a server from a volume has a disk of Nova, too: %s", out)
	}
	if out := m.rbd("info", "volumes/volume-"+disk.Status.ID); !strings.Contains(out, "parent: images/") {
		m.Errorf("the volume of the server is a copy of its image:\n%s", out)
	}
	m.live(s)
	m.gone(own)
	m.confirmed(s)
	m.OpenStack("server", "delete", s.name, "--wait")
	m.Eventually(time.Minute, "its volume is free", m.Prints("available", "volume", "show", disk.Status.ID, "-f", "value",
		"-c", "status"))
	m.gone(append(door, disk)...)
}

// rooted are a server, the volume that it starts from, and what it needs to answer at an address. The object of the
// server leaves it when it goes.
func rooted(address string) (disk *openstackv1.Volume, door []client.Object, own *openstackv1.Server) {
	meta := metav1.ObjectMeta{Namespace: "demo", Name: "rooted"}
	ref := func(name string) openstackv1.Reference { return openstackv1.Reference{Name: name} }
	disk = &openstackv1.Volume{ObjectMeta: meta}
	disk.Spec.Resource = &openstackv1.VolumeResource{Size: 1, ImageRef: new(ref("guest"))}
	port := &openstackv1.Port{ObjectMeta: meta}
	port.Spec.Resource = &openstackv1.PortResource{NetworkRef: ref("web"),
		SecurityGroupRefs: []openstackv1.Reference{ref("web")}}
	floating := &openstackv1.FloatingIP{ObjectMeta: meta}
	floating.Spec.Resource = &openstackv1.FloatingIPResource{FloatingNetworkRef: ref("public"), FloatingIP: &address,
		PortRef: &openstackv1.ReferenceOrNone{Name: port.Name}}
	own = &openstackv1.Server{ObjectMeta: meta}
	own.Spec.Policy = "detach"
	own.Spec.Resource = &openstackv1.ServerResource{FlavorRef: ref("tiny"),
		Ports: []openstackv1.ServerPorts{{PortRef: new(ref(port.Name))}},
		BlockDevices: []openstackv1.ServerBlockDevices{{SourceType: "volume", SourceRef: new(ref(disk.Name)),
			DestinationType: new("volume"), BootIndex: new(int64(0)), DeleteOnTermination: new(false)}}}
	return disk, []client.Object{port, floating}, own
}

// gone deletes objects and waits until they are not there.
func (m *mover) gone(objects ...client.Object) {
	m.Helper()
	for _, o := range objects {
		if err := m.Delete(m.Context(), o); err != nil {
			m.Fatal(err)
		}
	}
	for _, o := range objects {
		m.Gone(time.Minute, o)
	}
}

// next is the address after that of a server, which the cloud gives to nobody either.
func (s server) next() string {
	ip := net.ParseIP(s.address).To4()
	ip[3]++
	return ip.String()
}
