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
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// gap is how long the server of a node that is not lost may not answer.
const gap = 30 * time.Second

// rings is how long Neutron's workers may disagree after one of them has been away.
const rings = 2 * time.Minute

// A cloud whose nodes are hosts of servers loses one of three to a cut. Its APIs go on, servers of the other nodes
// answer, and new ones are made there. When the node is back so are its servers, which have run all the time.
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
		servers[host] = serve(w, host)
	}
	token, err := w.Users(cp).Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	probes, pings := watched(w, token), pinged(w, servers[stays])
	t.Cleanup(func() { link(w, "heal", cut) })
	link(w, "cut", cut)
	w.Eventually(2*time.Minute, cut+" is lost", nodeIs(w, cut, corev1.ConditionUnknown))
	w.Eventually(3*time.Minute, "Nova knows that the host is down", host(w, cut, "down"))
	began := time.Now()
	serve(w, stays)
	t.Logf("without %s a server was made in %s", cut, time.Since(began).Round(time.Second))
	link(w, "heal", cut)
	w.Eventually(2*time.Minute, cut+" is back", nodeIs(w, cut, corev1.ConditionTrue))
	w.Eventually(3*time.Minute, "all members serve", members(w))
	w.Ready(story.UpToReady, cp)
	w.Eventually(2*time.Minute, "Nova knows that the host is up", host(w, cut, "up"))
	w.Eventually(time.Minute, "its server answers", answers(servers[cut]))
	// Neutron's workers share what OVN tells by a list of themselves that each renews once a minute, and knows who is
	// away after a minute (neutron/common/ovn/hash_ring_manager.py): until then they may leave something to each other.
	w.Holds(rings, "the server answers", answers(servers[cut]))
	if p := pings(); p.Gap > gap {
		t.Errorf("a server of another node: %s, want no gap over %s", p, gap)
	} else {
		t.Logf("a server of another node: %s", p)
	}
	for service, probe := range probes {
		judge(t, service, probe.Stop())
	}
	serve(w, cut)
	if out := w.OpenStack("server", "list", "--all-projects", "-f", "value", "-c", "Status"); out != strings.Repeat(
		"ACTIVE\n", 4)+"ACTIVE" {
		t.Errorf("the states of five servers are %s", out)
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

// serve makes a server on a host, and returns the address at which it answers from outside.
func serve(w *story.World, host string) (address string) {
	w.Helper()
	address = w.OpenStack("floating", "ip", "create", "public", "-f", "value", "-c", "floating_ip_address")
	name := "on-" + host + "-" + address[strings.LastIndex(address, ".")+1:]
	w.OpenStack("--os-compute-api-version", "2.74", "server", "create", name, "--flavor", "tiny", "--image", "guest",
		"--network", "web", "--security-group", "web", "--host", host, "--wait")
	w.OpenStack("server", "add", "floating", "ip", name, address)
	w.Eventually(3*time.Minute, name+" answers at "+address, answers(address))
	return address
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
