//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

const (
	rackLabel            = "example.org/rack"
	fakeHosts, manyHosts = 3, 200
	lifelike             = "CUSTOM_REAL" // the trait of hosts that run servers
	overcommit           = "3.5"
)

// fleet is a compute service with hosts.
type fleet struct {
	*story.World
	namespace string
}

// hosted asks for a compute service and marks the only node as a host.
func hosted(w *story.World, also ...func(*controlplanev1.Services)) fleet {
	w.Helper()
	cp := w.Cloud()
	asked := w.Change(cp)
	core(&asked.Spec.Services)
	for _, add := range also {
		add(&asked.Spec.Services)
	}
	w.Apply(asked)
	nova := &servicev1.Nova{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-nova"}}
	w.Ready(story.UpToReady, nova)
	f := fleet{w, cp.Namespace}
	f.mark()
	return f
}

// mark gives the only node the label of hosts for as long as the story plays, and lets the namespace take their agents.
func (f fleet) mark() {
	f.Helper()
	if _, err := f.Cluster.Kubectl(f.Context(), "label", "--overwrite", "namespace", f.namespace,
		"pod-security.kubernetes.io/enforce=privileged"); err != nil {
		f.Fatal(err)
	}
	label := func(ctx context.Context, value string) error {
		_, err := f.Cluster.Kubectl(ctx, "label", "node", "--all", "--overwrite", rackLabel+value)
		return err
	}
	if err := label(f.Context(), "=a"); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := label(context.Background(), "-"); err != nil {
			f.Errorf("taking the label from the node: %v", err)
		}
	})
}

// core is what a server needs.
func core(s *controlplanev1.Services) {
	s.Placement = &controlplanev1.PlacementService{}
	s.Glance = &controlplanev1.GlanceService{}
	s.Neutron = &controlplanev1.NeutronService{PhysicalNetworks: []servicev1.PhysicalNetwork{{Name: "public"}}}
	s.Nova = &controlplanev1.NovaService{}
}

func (f fleet) block(name string) *fleetv1.BuildingBlock {
	b := &fleetv1.BuildingBlock{ObjectMeta: metav1.ObjectMeta{Namespace: f.namespace, Name: name}}
	b.Spec.Cell = "openstack-nova-cell1"
	return b
}

// rack is a block of the only node.
func (f fleet) rack() *fleetv1.BuildingBlock {
	b := f.block("rack-a")
	b.Spec.Hosts.NodeSelector = map[string]servicev1.Label{rackLabel: "a"}
	return b
}

// make applies a block and waits until it says that servers can be scheduled to its hosts, and no longer.
func (f fleet) make(b *fleetv1.BuildingBlock, hosts int) {
	f.Helper()
	f.Cleanup(func() {
		f.Leave()
		// Nova is there for as long: it takes nova-compute for up for a minute after its last word.
		err := f.deleted(context.Background(), b)
		// Each host is disabled, taken out of its aggregate and forgotten, which takes Nova some two seconds.
		for left := 4*time.Minute + time.Duration(hosts)*2*time.Second; err == nil && left > 0; left -= time.Second {
			<-time.After(time.Second)
			err = f.Get(context.Background(), f.Key(b), b)
		}
		if !apierrors.IsNotFound(err) {
			f.Errorf("removing block %s: %v", b.Name, err)
		}
	})
	f.Apply(b)
	within := 3*time.Minute + time.Duration(hosts)*1500*time.Millisecond
	f.Logf("the hosts of %s are ready after %s", b.Name, f.Ready(within, b))
	f.soon(b)
	// The list of hypervisors asks each host for its uptime, one after another: for many, that takes longer than a minute.
	out := f.OpenStack("compute", "service", "list", "--service", "nova-compute", "-f", "value", "-c", "Host", "-c",
		"State")
	if n := strings.Count(out, " up"); n < hosts {
		f.Errorf("the block is ready, and Nova says that %d hosts are up, want %d", n, hosts)
	}
}

// recount is how long after its last server has gone a block may still be refused to be deleted.
const recount = 3 * time.Minute

// deleted asks for the deletion of a block whose servers are gone. What it counts is a little old: until it has counted
// again that is refused.
func (f fleet) deleted(ctx context.Context, b *fleetv1.BuildingBlock) error {
	for left := recount; ; left -= time.Second {
		err := f.Delete(ctx, b)
		if !apierrors.IsForbidden(err) || left <= 0 {
			return err
		}
		<-time.After(time.Second)
	}
}

// libvirt runs a command in the pod of libvirt, which sees the processes of the node.
func (f fleet) libvirt(ctx context.Context, command ...string) (string, error) {
	out, err := f.Cluster.Kubectl(ctx, append([]string{"-n", f.namespace, "exec", "daemonset/rack-a-libvirt", "--"},
		command...)...)
	return strings.TrimSpace(out), err
}

// guest is the process of a guest, as the node knows it, if libvirt says that it runs, and if it is a user without
// rights.
func (f fleet) guest(ctx context.Context, name string) (string, error) {
	state, err := f.libvirt(ctx, "virsh", "--connect", "qemu:///system", "domstate", name)
	if err != nil || state != "running" {
		return "", errors.Join(err, fmt.Errorf("libvirt says that guest %s is %q", name, state))
	}
	pid, err := f.libvirt(ctx, "pgrep", "-f", "^/usr/bin/qemu-system-x86_64 -name guest="+name+",")
	if err != nil {
		return "", err
	}
	user, err := f.libvirt(ctx, "stat", "--format=%U", "/proc/"+pid)
	if err == nil && user != "libvirt-qemu" {
		err = fmt.Errorf("guest %s is process %s of user %s", name, pid, user)
	}
	return pid, err
}

// The node of the cluster becomes a host by one object. A server is started on it as soon as that says that it is
// ready, and goes on while every agent is replaced, with and without grace, and while all of them are changed. What is
// declared of the host is so in Placement, and is so again when somebody has changed it there. Beside it, one pod is
// 200 hosts for tests of scale. A block with a server refuses its deletion; one without takes all away that Nova knew
// of its host, which can come back.
func TestBuildingBlock(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	f := hosted(w)
	rack := f.rack()
	rack.Spec.Placement.Traits = []fleetv1.Trait{lifelike}
	rack.Spec.Placement.Overcommit.CPU = new(fleetv1.Ratio(overcommit))
	f.make(rack, 1)
	f.restores(realHost)
	name := f.boot()

	pid, err := f.guest(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	for what, end := range map[string]func(){
		"libvirt, killed": func() { w.Kill(f.namespace, "rack-a-libvirt-") },
		"both, in order": func() {
			for _, agent := range []string{"libvirt", "compute"} {
				if _, err := w.Cluster.Kubectl(t.Context(), "-n", f.namespace, "delete", "pod", "-l",
					"app.kubernetes.io/instance=rack-a,app.kubernetes.io/component="+agent); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		end()
		w.Eventually(time.Minute, "the guest goes on: "+what, func(ctx context.Context) error {
			return f.goesOn(ctx, name, pid)
		})
		t.Logf("the agents are back after %s", w.Ready(time.Minute, rack))
	}
	f.changes(rack, name, pid)
	if state := w.OpenStack("server", "show", "first", "-f", "value", "-c", "status"); state != "ACTIVE" {
		t.Errorf("Nova says that the server is %s", state)
	}
	f.told(realHost, 1)
	crowd := f.block("crowd")
	crowd.Spec.Driver, crowd.Spec.Fake = fleetv1.DriverFake, &fleetv1.Fake{Hosts: manyHosts}
	f.make(crowd, 1+manyHosts)
	f.memory()
	f.refuses(rack, name, pid)
	f.keeps(rack, "first", name, pid)
	f.make(f.rack(), 1) // the host comes back
}

// changes gives every agent of a block other resources, and libvirt an option, which replaces all their pods. The guest
// goes on.
func (f fleet) changes(b *fleetv1.BuildingBlock, guest, pid string) {
	f.Helper()
	_, before, err := f.agents(f.Context(), b.Name)
	if err != nil {
		f.Fatal(err)
	}
	change := b.DeepCopy()
	for _, a := range []*fleetv1.Agent{&change.Spec.Agents.NovaCompute, &change.Spec.Agents.Libvirt.Agent,
		&change.Spec.Agents.Chassis.Agent, &change.Spec.Agents.Metadata.Agent} {
		a.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("11m")}
	}
	change.Spec.Agents.Libvirt.Config = map[string]servicev1.Options{"libvirtd.conf": f.options("max_clients", 4321)}
	f.Apply(change)
	f.Eventually(5*time.Minute, "every agent is another pod, and the guest goes on", func(ctx context.Context) error {
		ready, now, err := f.agents(ctx, b.Name)
		for uid, name := range before {
			if now[uid] != "" {
				err = errors.Join(err, fmt.Errorf("%s is the one of before", name))
			}
		}
		if err == nil && ready < len(before) {
			err = fmt.Errorf("%d agents are ready of %d", ready, len(before))
		}
		return errors.Join(err, f.goesOn(ctx, guest, pid))
	})
	f.Ready(time.Minute, b)
	said, err := f.libvirt(f.Context(), "virt-admin", "--connect", "libvirtd:///system", "server-clients-info", "libvirtd")
	if words := strings.Join(strings.Fields(said), " "); err != nil || !strings.Contains(words, "nclients_max : 4321") {
		f.Errorf("libvirt is to take 4321 clients, and says %s: %v", words, err)
	}
}

// agents are the pods of a block by identity, with that of its chassis, and how many of them are ready.
func (f fleet) agents(ctx context.Context, block string) (ready int, all map[types.UID]string, err error) {
	pods := &corev1.PodList{}
	err = f.List(ctx, pods, client.InNamespace(f.namespace), client.MatchingLabels{"app.kubernetes.io/instance": block})
	all = map[types.UID]string{}
	for i := range pods.Items {
		if name := pods.Items[i].Labels["app.kubernetes.io/name"]; name != "buildingblock" && name != "ovn-chassis" {
			continue
		}
		all[pods.Items[i].UID] = pods.Items[i].Name
		if ok, _ := gate.For(&pods.Items[i])(&pods.Items[i]); ok {
			ready++
		}
	}
	return ready, all, err
}

// boot starts a server that only a host of the block can run, and returns what libvirt calls it. Its disk is empty: the
// firmware says so, and waits.
func (f fleet) boot() string {
	f.Helper()
	f.Cleanup(func() {
		// The server is gone already, unless the story failed.
		for _, gone := range [][]string{
			{"server", "delete", "first", "--wait"}, {"flavor", "delete", "tiny"}, {"image", "delete", "empty"},
		} {
			_, err := f.Cluster.Stackwright(context.Background(), append([]string{"openstack"}, gone...)...)
			if err != nil && (gone[0] != "server" || f.Failed()) {
				f.Errorf("cleaning up: %v", err)
			}
		}
	})
	for _, command := range [][]string{
		{"flavor", "create", "tiny", "--ram", "64", "--disk", "1", "--property", "trait:" + lifelike + "=required"},
		{"image", "create", "empty", "--disk-format", "raw", "--container-format", "bare", "--file", "/etc/hostname"},
		{"server", "create", "first", "--flavor", "tiny", "--image", "empty", "--nic", "none", "--wait"},
	} {
		began := time.Now()
		f.OpenStack(command...)
		f.Logf("%s %s %s: %s", command[0], command[1], command[2], time.Since(began).Round(100*time.Millisecond))
	}
	return f.OpenStack("server", "show", "first", "-f", "value", "-c", "OS-EXT-SRV-ATTR:instance_name")
}

// memory tells what the agents take.
func (f fleet) memory() {
	f.Helper()
	pods := &corev1.PodList{}
	if err := f.List(f.Context(), pods); err != nil {
		f.Fatal(err)
	}
	for _, p := range pods.Items {
		if p.Labels["app.kubernetes.io/name"] != "buildingblock" {
			continue
		}
		const sum = `for p in /proc/[0-9]*; do grep -qE "$0" $p/cmdline && cat $p/smaps_rollup; done 2>/dev/null |
awk '/^Pss:/ {s += $2} END {print int(s / 1024)}'`
		out, err := f.Cluster.Kubectl(f.Context(), "-n", p.Namespace, "exec", p.Name, "--", "sh", "-c", sum,
			"^libvirtd|_compute.py")
		f.Logf("%s takes %s MiB %v", p.Name, strings.TrimSpace(out), err)
	}
}
