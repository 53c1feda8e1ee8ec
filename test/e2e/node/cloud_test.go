//go:build e2e

package node

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// gap is how long the server of a node that is not lost may not answer.
const gap = 30 * time.Second

// stuck is how long what people want may take once everything is there.
const stuck = time.Minute

// A cloud whose nodes are hosts of servers loses one of three to a cut. Its APIs go on, servers of the other nodes
// answer, and new ones are made there. A volume is made, or says why it is not. When the node is back so are its
// servers, which have run all the time, and others are made on it as before, and volumes.
func TestCloudGoesOnWithoutANode(t *testing.T) {
	story.Slow(t)
	w := story.Own(t, story.Cluster{Name: "spread", Nodes: 3}, "--profile", "core")
	cp := w.Cloud()
	more := &controlplanev1.OpenStackControlPlane{}
	more.Namespace, more.Name = cp.Namespace, cp.Name
	spread(&more.Spec.Services)
	w.Apply(more)
	w.Eventually(10*time.Minute, "all members serve", members(w))
	w.Ready(5*time.Minute, cp)
	// The Ceph of a development cluster is one pod.
	lost := nodes(w, writer(w))
	lost = slices.DeleteFunc(lost, func(node string) bool { return node == nodeOf(w, "ceph-0") })
	cut, stays := lost[0], lost[1]
	servers := map[string]string{}
	for _, host := range []string{cut, stays} {
		servers[host], _ = serve(w, host)
	}
	token, err := w.Users(cp).Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	probes, pings := watched(w, token), pinged(w, servers[stays])
	t.Cleanup(func() { link(w, "heal", cut) })
	without(w, cut, stays, servers[stays])
	again(w, cut, servers[cut])
	if p := pings(); p.Gap > gap {
		t.Errorf("a server of another node: %s, want no gap over %s", p, gap)
	} else {
		t.Logf("a server of another node: %s", p)
	}
	for service, probe := range probes {
		judge(t, service, probe.Stop())
	}
	soon(w, cut)
	if out := w.OpenStack("server", "list", "--all-projects", "-f", "value", "-c", "Status"); out != strings.Repeat(
		"ACTIVE\n", 4)+"ACTIVE" {
		t.Errorf("the states of five servers are %s", out)
	}
	removed(w, volume("meanwhile"), volume("afterwards"))
	if out := w.OpenStack("volume", "list", "--all-projects", "-f", "value", "-c", "Name"); out != "web" {
		t.Errorf("without the volumes of the story there are %s", out)
	}
}

// backend is the pod of the only program that makes volumes.
const backend = "openstack-cinder-volume-ceph-0"

// without cuts a node off, and has a volume and a server made, that on a node which stays, where another server answers
// at an address. Without the program of the back end nobody makes volumes.
func without(w *story.World, cut, stays, address string) {
	w.Helper()
	away, began := nodeOf(w, backend) == cut, time.Now()
	link(w, "cut", cut)
	w.Eventually(2*time.Minute, cut+" is lost", nodeIs(w, cut, corev1.ConditionUnknown))
	w.Eventually(3*time.Minute, "Nova knows that the host is down", host(w, cut, "down"))
	if v := volume("meanwhile"); away {
		w.Eventually(2*time.Minute, "Cinder knows that the back end is down", w.Prints("down", "volume", "service", "list",
			"--service", "cinder-volume", "-f", "value", "-c", "State"))
		w.Apply(v.DeepCopy())
		w.Eventually(stuck, "a volume says why it is not made", w.Says(v, "Ready", "backend"))
	} else {
		made(w, v)
	}
	agree(w, cut, answers(address))
	w.Logf("Neutron's workers agree %s after the cut", time.Since(began).Round(time.Second))
	soon(w, stays)
}

// again lets the node back, whose server answers at an address, and has a volume made.
func again(w *story.World, cut, address string) {
	w.Helper()
	began := time.Now()
	link(w, "heal", cut)
	w.Eventually(2*time.Minute, cut+" is back", nodeIs(w, cut, corev1.ConditionTrue))
	w.Eventually(3*time.Minute, "all members serve", members(w))
	w.Cloud()
	w.Eventually(2*time.Minute, "Nova knows that the host is up", host(w, cut, "up"))
	w.Eventually(time.Minute, "its server answers", answers(address))
	made(w, volume("afterwards"))
	agree(w, cut, answers(address))
	w.Logf("Neutron's workers agree %s after the node is back", time.Since(began).Round(time.Second))
}

// What Neutron's workers keep of each other, by internal/services/neutron/ring.py.
const (
	// heard is how old a worker's word may be that it is there. It gives it every 5 s.
	heard = 10 * time.Second
	// leftOut is how old it is when the worker is left out.
	leftOut = 20 * time.Second
	// remembered is how long a worker goes by the list that it has read.
	remembered = 2 * time.Second
)

// agree waits, if workers of Neutron are on a node that goes or comes, until all workers agree on who of them does what
// OVN tells. Before that, nobody does what falls to one that is away: Nova does not hear that the port of a server is
// up, waits for that for five minutes, and gives up. Servers that are made within 22 s after a node was lost may fail
// for that reason. That was over before Kubernetes knew of it. The check has to hold as the last seconds go by.
func agree(w *story.World, node string, check func(context.Context) error) {
	w.Helper()
	here := func(p corev1.Pod) bool { return p.Spec.NodeName == node }
	if !slices.ContainsFunc(networkers(w), here) {
		w.Logf("no worker of Neutron is on %s", node)
		return
	}
	w.Eventually(leftOut+stuck, "Neutron's workers are in their list, or out of it", listed(w))
	w.Holds(remembered, "a server answers", check)
}

// networkers are the pods with the workers of Neutron that hear OVN.
func networkers(w *story.World) []corev1.Pod {
	w.Helper()
	pods := &corev1.PodList{}
	if err := w.List(w.Context(), pods, client.InNamespace("openstack"), client.MatchingLabels{
		"app.kubernetes.io/name": "neutron", "app.kubernetes.io/component": "api"}); err != nil {
		w.Fatal(err)
	}
	return pods.Items
}

// listed checks of each worker that it has been heard of lately, or not for so long that whoever reads the list leaves
// it out. Those of pods that are ready are in it.
func listed(w *story.World) func(context.Context) error {
	const ages = "SELECT hostname, TIMESTAMPDIFF(SECOND, updated_at, UTC_TIMESTAMP()) " +
		"FROM openstack_neutron.ovn_hash_ring"
	return func(ctx context.Context) error {
		out, err := w.Cluster.Kubectl(ctx, "-n", "openstack", "exec", galera(w).Status.Writer, "--", "mariadb", "--batch",
			"--skip-column-names", "--execute="+ages)
		if err != nil {
			return err
		}
		in := map[string]bool{}
		for line := range strings.Lines(out) {
			var pod string
			var seconds int
			if _, err := fmt.Sscan(line, &pod, &seconds); err != nil {
				return fmt.Errorf("the list has %q: %w", line, err)
			}
			age := time.Duration(seconds) * time.Second
			if age > heard && age <= leftOut {
				return fmt.Errorf("a worker of %s was heard of %s ago", pod, age)
			}
			in[pod] = in[pod] || age <= heard
		}
		for _, pod := range networkers(w) {
			if ready, _ := gate.For(&pod)(&pod); ready && !in[pod.Name] {
				return fmt.Errorf("workers of %s, which is ready, are not in the list:\n%s", pod.Name, out)
			}
		}
		return nil
	}
}

// volume is one to declare, beside the server with which up has shown that the cloud works.
func volume(name string) *openstackv1.Volume {
	v := &openstackv1.Volume{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: name}}
	v.Spec.Resource = &openstackv1.VolumeResource{Size: 1}
	return v
}

// made declares a volume and waits until it is there.
func made(w *story.World, v *openstackv1.Volume) {
	w.Helper()
	w.Apply(v.DeepCopy())
	w.Ready(stuck, v)
}

// removed deletes volumes, also those that were never made.
func removed(w *story.World, all ...*openstackv1.Volume) {
	w.Helper()
	for _, v := range all {
		if err := w.Delete(w.Context(), v); err != nil {
			w.Fatal(err)
		}
	}
	for _, v := range all {
		w.Gone(time.Minute, v)
	}
}

// watched asks all APIs all the time, with a token.
func watched(w *story.World, token string) map[string]*story.Probe {
	w.Helper()
	users := w.Users(w.Cloud())
	probes := map[string]*story.Probe{"identity": w.Watch(200*time.Millisecond, 10*time.Second, users.Mix(token))}
	for service, path := range map[string]string{"compute": "/servers", "network": "/v2.0/networks",
		"image": "/v2/images", "block-storage": "/volumes", "placement": "/resource_providers"} {
		url := w.OpenStack("endpoint", "list", "--service", service, "--interface", "public", "-f", "value", "-c", "URL")
		probes[service] = w.Watch(time.Second, 10*time.Second, func(ctx context.Context) error {
			return users.Get(ctx, url+path, token)
		})
	}
	return probes
}

// pinged pings a server until the function that it returns is called, which tells how that went.
func pinged(w *story.World, address string) (stop func() story.Pings) {
	ctx, end := context.WithCancel(w.Context())
	pings := make(chan story.Pings, 1)
	go func() {
		p, _ := story.Ping(ctx, "", address)
		pings <- p
	}()
	return func() story.Pings { end(); return <-pings }
}

// spread has enough of everything for a node to be lost.
func spread(s *controlplanev1.Services) {
	worker := servicev1.Worker{Replicas: new(int32(2))}
	s.Galera = &controlplanev1.GaleraService{Replicas: new(int32(3))}
	s.RabbitMQ = &controlplanev1.RabbitMQService{Replicas: new(int32(3))}
	s.Memcached = &controlplanev1.MemcachedService{Replicas: new(int32(3))}
	s.OVN = &controlplanev1.OVNService{Replicas: new(int32(3)), Northd: &infrav1.OVNNorthd{Replicas: 2}}
	s.Keystone, s.Glance = &controlplanev1.KeystoneService{}, &controlplanev1.GlanceService{}
	s.Placement, s.Cinder = &controlplanev1.PlacementService{}, &controlplanev1.CinderService{Scheduler: worker}
	s.Neutron = &controlplanev1.NeutronService{RPC: worker, Maintenance: worker}
	s.Nova = &controlplanev1.NovaService{Scheduler: worker, Conductor: worker, Cells: []servicev1.Cell{{Name: "cell1",
		Metadata: worker, CellSettings: servicev1.CellSettings{Conductor: worker}}}}
	for _, api := range []*controlplanev1.API{&s.Keystone.API, &s.Glance.API, &s.Placement.API, &s.Neutron.API,
		&s.Nova.API, &s.Cinder.API} {
		api.Replicas = new(int32(2))
	}
}

// nodeOf is where a pod of the cloud runs.
func nodeOf(w *story.World, name string) string {
	w.Helper()
	pod := &corev1.Pod{}
	if err := w.Get(w.Context(), client.ObjectKey{Namespace: "openstack", Name: name}, pod); err != nil {
		w.Fatal(err)
	}
	return pod.Spec.NodeName
}

// soon makes a server on a host without getting stuck.
func soon(w *story.World, host string) {
	w.Helper()
	if _, took := serve(w, host); took > stuck {
		w.Errorf("a server was made on %s in %s, want at most %s", host, took, stuck)
	}
}

// serve makes a server on a host, and returns the address at which it answers from outside, and how long Nova took.
func serve(w *story.World, host string) (address string, took time.Duration) {
	w.Helper()
	address = w.OpenStack("floating", "ip", "create", "public", "-f", "value", "-c", "floating_ip_address")
	name := "on-" + host + "-" + address[strings.LastIndex(address, ".")+1:]
	began := time.Now()
	w.OpenStack("--os-compute-api-version", "2.74", "server", "create", name, "--flavor", "tiny", "--image", "guest",
		"--network", "web", "--security-group", "web", "--host", host, "--wait")
	took = time.Since(began).Round(time.Second)
	w.Logf("a server was made on %s in %s", host, took)
	w.OpenStack("server", "add", "floating", "ip", name, address)
	w.Eventually(3*time.Minute, name+" answers at "+address, answers(address))
	return address, took
}

// answers checks that a server answers at once.
func answers(address string) func(context.Context) error {
	return story.Answers("", address, time.Second)
}

// host checks what Nova knows of a host.
func host(w *story.World, name, state string) func(context.Context) error {
	return func(ctx context.Context) error {
		out, err := w.Cluster.Stackwright(ctx, "openstack", "compute", "service", "list", "--service", "nova-compute",
			"--host", name, "-f", "value", "-c", "State")
		if err == nil && strings.TrimSpace(out) != state {
			err = fmt.Errorf("it is %s", out)
		}
		return err
	}
}
