//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// floating is the address by which the server is reached from outside.
const floating = "203.0.113.77"

// A server is declared with all that it needs, in one file and in no order. It boots on the node of the cluster, learns
// who it is, and answers from there at its floating address. It goes on while every agent of its host is killed, and
// updated, while OVN's southbound database is lost, and while what was asked of Open vSwitch is asked for no more.
func TestServerAnswers(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	f := hosted(w, func(s *controlplanev1.Services) {
		s.Heat = &controlplanev1.HeatService{}
		s.Neutron.DNSDomain = "cloud.example.org" // ports have no names without
	})
	rack := f.connected(f.tuned, f.golden)
	f.regroups()
	host := "guest." + w.Namespace + ".svc"
	offerCloud(w, host)
	picture := guestImage(w, host)
	began := time.Now()
	objects := append(manifest(w, "testdata/server.yaml"), raw(w, picture))
	w.Apply(picture)
	for _, o := range objects[:len(objects)-1] {
		w.Apply(o)
	}
	w.Eventually(3*time.Minute, "everything is ready", func(ctx context.Context) error {
		return allReady(ctx, w, objects)
	})
	t.Logf("everything is ready after %s", time.Since(began).Round(time.Second))
	w.Eventually(2*time.Minute, "the server answers ping", answersPing(w))
	t.Logf("it answers ping after %s", time.Since(began).Round(time.Second))
	w.Eventually(time.Minute, "it has learned who it is", tells(w))
	t.Logf("it has said who it is after %s", time.Since(began).Round(time.Second))
	w.Eventually(time.Minute, "it finds itself by its name", w.Prints("### web.cloud.example.org is 10.11.0.", "console",
		"log", "show", "web"))
	w.Eventually(time.Minute, "the proxy shows its screen", proxied(w))
	guarded(w)
	f.takesBack(rack)

	f.replace(rack)
	f.forgets(rack)
	server := f.pause("web")
	// A new start asks the new agents for everything.
	began = time.Now()
	w.OpenStack("server", "reboot", "--hard", "--wait", "web")
	w.Eventually(2*time.Minute, "it answers ping again", answersPing(w))
	w.Eventually(time.Minute, "it has learned again who it is", tells(w))
	t.Logf("started again it has said who it is after %s", time.Since(began).Round(time.Second))
	w.Ready(2*time.Minute, server)
	w.Eventually(time.Minute, "the proxy shows its screen again", proxied(w))
	stackOfServer(w, f.namespace)
	removeAll(w, objects)
	for _, list := range [][]string{{"server", "list", "--all-projects"}, {"port", "list"}, {"image", "list"}} {
		if out := w.OpenStack(append(list, "-f", "value")...); out != "" {
			t.Errorf("%s is left: %s", list[0], out)
		}
	}
}

// serverStack is a stack with a server on what the story has declared, which has its flavor's name and the word of the
// stack in the script that it is given. A port of an address outside leads to it.
const serverStack = `
heat_template_version: 2021-04-16
resources:
  word: {type: OS::Heat::RandomString, properties: {length: 12}}
  port: {type: OS::Neutron::Port, properties: {network: web, security_groups: [web]}}
  shared: {type: OS::Neutron::FloatingIP, properties: {floating_network: public}}
  page:
    type: OS::Neutron::FloatingIPPortForward
    properties:
      floating_ip: {get_resource: shared}
      protocol: tcp
      external_port: 8080
      internal_port: {get_resource: port}
      internal_ip_address: {get_attr: [port, fixed_ips, 0, ip_address]}
      internal_port_number: 80
  server:
    type: OS::Nova::Server
    properties:
      name: of-the-stack
      flavor: tiny
      image: guest
      networks: [{port: {get_resource: port}}]
      user_data_format: RAW
      user_data: {str_replace: {template: "echo '### the word is WORD'", params: {WORD: {get_attr: [word, value]}}}}
outputs:
  word: {value: {get_attr: [word, value]}}
  address: {value: {get_attr: [shared, floating_ip_address]}}
`

// stackOfServer has Heat make a server, which tells what the stack gave it, and shows its page outside.
func stackOfServer(w *story.World, namespace string) {
	w.Helper()
	heat := &servicev1.Heat{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "openstack-heat"}}
	w.Ready(story.UpToReady, heat)
	if _, err := inClient(w.Context(), w, namespace, "sh", "-c", "cat > /tmp/server.yaml <<'EOF'"+serverStack+
		"EOF"); err != nil {
		w.Fatal(err)
	}
	w.OpenStack("stack", "create", "--wait", "--template", "/tmp/server.yaml", "servers")
	output := func(name string) string {
		return w.OpenStack("stack", "output", "show", "servers", name, "-f", "value", "-c", "output_value")
	}
	word := output("word")
	w.Eventually(2*time.Minute, "the server of the stack knows the word "+word,
		w.Prints("### the word is "+word, "console", "log", "show", "of-the-stack"))
	url := "http://" + output("address") + ":8080/"
	w.Eventually(time.Minute, "its page is at "+url, func(ctx context.Context) error {
		page, err := story.Page(ctx, w.Cluster.Network("node-1"), url)
		if err == nil && !strings.Contains(page, "hello from of-the-stack") {
			err = fmt.Errorf("it is %q", page)
		}
		return err
	})
	w.OpenStack("stack", "delete", "--yes", "--wait", "servers")
}

// connected makes the node a host whose servers have networks, also one that is outside.
func (f fleet) connected(change ...func(*fleetv1.BuildingBlock)) *fleetv1.BuildingBlock {
	f.Helper()
	rack := f.rack()
	rack.Spec.OVN, rack.Spec.Placement.AvailabilityZone = "openstack-ovn", "north"
	rack.Spec.Network = &infrav1.OVNConnection{Gateway: true,
		BridgeMappings: []infrav1.OVNBridgeMapping{{PhysicalNetwork: "public", Address: "203.0.113.1/24"}}}
	for _, f := range change {
		f(rack)
	}
	f.make(rack, 1)
	f.Eventually(time.Minute, "users see the availability zone", f.Prints("north", "availability", "zone", "list",
		"--compute", "-f", "value"))
	return rack
}

// golden is put into an aggregate that the block does not own.
func (f fleet) golden(rack *fleetv1.BuildingBlock) {
	rack.Spec.Placement.Aggregates = []string{"gold"}
	gold := &openstackv1.HostAggregate{ObjectMeta: metav1.ObjectMeta{Namespace: f.namespace, Name: "gold"}}
	gold.Spec.CloudRef = &openstackv1.CloudReference{Name: "openstack-keystone"}
	gold.Spec.Resource = &openstackv1.HostAggregateResource{Metadata: map[string]openstackv1.Text{"rank": "gold"}}
	f.Apply(gold)
	f.Cleanup(func() {
		f.Leave()
		if err := f.Delete(context.Background(), gold); err != nil {
			f.Errorf("removing aggregate %s: %v", gold.Name, err)
		}
	})
}

// regroups takes the host out of the aggregates that its block names, and its zone away, beside the block, and wants
// all of it back.
func (f fleet) regroups() {
	f.Helper()
	group := func(name string) func(context.Context) error {
		return f.Prints(realHost, "aggregate", "show", name, "-f", "value", "-c", "hosts")
	}
	f.Eventually(time.Minute, "the host is in the aggregate that its block names", group("gold"))
	began := time.Now()
	f.OpenStack("aggregate", "remove", "host", "gold", realHost)
	f.Eventually(2*time.Minute, "the host is in its aggregate again", group("gold"))
	f.Logf("it is there again after %s", time.Since(began).Round(time.Second))
	began = time.Now()
	f.OpenStack("aggregate", "set", "--zone", "south", "rack-a")
	f.Eventually(2*time.Minute, "the zone is that of the block again", f.Prints("north", "aggregate", "show", "rack-a",
		"-f", "value", "-c", "availability_zone"))
	f.Logf("the zone is back after %s", time.Since(began).Round(time.Second))
}

// pause stops a guest beside Nova, as QEMU does when a disk is full, and waits until the object of the server tells.
func (f fleet) pause(name string) *openstackv1.Server {
	f.Helper()
	guest := f.OpenStack("server", "show", name, "-f", "value", "-c", "OS-EXT-SRV-ATTR:instance_name")
	if _, err := f.libvirt(f.Context(), "virsh", "--connect", "qemu:///system", "suspend", guest); err != nil {
		f.Fatal(err)
	}
	server := &openstackv1.Server{ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: name}}
	f.Eventually(3*time.Minute, "the object tells that the server is paused", func(ctx context.Context) error {
		err := f.Get(ctx, f.Key(server), server)
		c := meta.FindStatusCondition(server.Status.Conditions, "Ready")
		if err == nil && (c == nil || !strings.Contains(c.Message, "its hypervisor has paused it")) {
			err = fmt.Errorf("its conditions are %v", server.Status.Conditions)
		}
		return err
	})
	if state := f.OpenStack("server", "show", name, "-f", "value", "-c", "status"); state != "ACTIVE" {
		f.Errorf("Nova says that the paused server is %s: its state alone tells then", state)
	}
	return server
}

// replace has the pods of all agents of the node replaced while the server is pinged, those of its network, too: they
// are killed, and then updated in order. Its process is not theirs.
func (f fleet) replace(rack *fleetv1.BuildingBlock) {
	f.Helper()
	name := f.OpenStack("server", "show", "web", "-f", "value", "-c", "OS-EXT-SRV-ATTR:instance_name")
	process, err := f.guest(f.Context(), name)
	if err != nil {
		f.Fatal(err)
	}
	f.pinged("killed", 15*time.Second, func() {
		f.Logf("%d agents were killed", f.KillAll(2*time.Minute, f.namespace, rack.Name+"-"))
		f.Ready(time.Minute, rack)
	})
	f.Eventually(time.Minute, "libvirt has the guest", func(ctx context.Context) error {
		return f.goesOn(ctx, name, process)
	})
	f.pinged("updated", 30*time.Second, func() { f.changes(rack, name, process) })
}

// forgets takes away the only volume of the southbound database while the server is pinged. The agents of its host take
// the one that comes, also the one that tells servers who they are, whose connection never would.
func (f fleet) forgets(rack *fleetv1.BuildingBlock) {
	f.Helper()
	agents := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: f.namespace, Name: rack.Name + "-metadata"}}
	if err := f.Get(f.Context(), f.Key(agents), agents); err != nil {
		f.Fatal(err)
	}
	before := agents.Status.ObservedGeneration
	f.pinged("given another southbound database", time.Minute, func() {
		formsAnew(f.World, f.namespace, "sb", func(o *infrav1.OVN) int64 { return o.Status.Southbound.Epoch })
		f.Eventually(2*time.Minute, "the metadata agent is another", func(ctx context.Context) error {
			err := f.Get(ctx, f.Key(agents), agents)
			if s := agents.Status; err == nil && (s.ObservedGeneration <= before || s.UpdatedNumberScheduled < 1 ||
				s.NumberAvailable < 1) {
				err = fmt.Errorf("it is %+v", s)
			}
			return err
		})
		// ovn-controller takes it two minutes after it has lost the other one: northd has filled it by then.
		f.Ready(4*time.Minute, rack)
	})
}

// pinged pings the server while something is done to its agents, and wants no gap that is longer than the most.
func (f fleet) pinged(what string, most time.Duration, do func()) {
	f.Helper()
	ctx, stop := context.WithCancel(f.Context())
	done := make(chan story.Pings, 1)
	go func() {
		p, _ := story.Ping(ctx, f.Cluster.Network("node-1"), floating)
		done <- p
	}()
	do()
	f.Eventually(time.Minute, "the server answers ping", answersPing(f.World))
	stop()
	if p := <-done; p.Gap > most {
		f.Errorf("while its agents were %s: %s, want no gap over %s", what, p, most)
	} else {
		f.Logf("while its agents were %s: %s", what, p)
	}
}

func answersPing(w *story.World) func(context.Context) error {
	return story.Answers(w.Cluster.Network("node-1"), floating, 2*time.Second)
}

// tells checks that the server has said on its serial line, by the script that it was given, who it is.
func tells(w *story.World) func(context.Context) error {
	return w.Prints("### by web", "console", "log", "show", "web")
}

// guestImage serves the disk of a small server, and declares an image of it.
func guestImage(w *story.World, host string) *openstackv1.Image {
	w.Helper()
	disk(w)
	return declare(w, "guest", &openstackv1.ImageContentDownload{URL: "http://" + host + "/disk.raw"})
}

// disk serves the disk of a small server in the namespace of the story, at the Service guest.
func disk(w *story.World) {
	w.Helper()
	labels := map[string]string{"app": "guest"}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "guest", Labels: labels}}
	pod.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: new(true), RunAsUser: new(int64(42500)),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}}
	pod.Spec.Containers = []corev1.Container{{Name: "guest", Image: image(w, "guest"),
		SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
		ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: "/disk.raw", Port: intstr.FromInt32(8080)}}, PeriodSeconds: 1}}}
	w.Apply(pod)
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "guest"}}
	service.Spec.Selector = labels
	service.Spec.Ports = []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080)}}
	w.Apply(service)
	w.Ready(time.Minute, pod)
}

// raw is an object as those of a manifest are.
func raw(w *story.World, obj *openstackv1.Image) *unstructured.Unstructured {
	w.Helper()
	return decoded(w, "{apiVersion: openstack.stackwright.dev/v1alpha1, kind: Image, metadata: {name: "+obj.Name+"}}")[0]
}
