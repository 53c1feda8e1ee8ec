//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// floating is the address by which the server is reached from outside.
const floating = "203.0.113.77"

// A server is declared with all that it needs, in one file and in no order. It boots on the node of the cluster, and
// answers from there at its floating address.
func TestServerAnswers(t *testing.T) {
	w := story.Start(t)
	f := hosted(w)
	chassis := &infrav1.OVNChassis{ObjectMeta: metav1.ObjectMeta{Namespace: f.namespace, Name: "nodes"}}
	chassis.Spec = infrav1.OVNChassisSpec{OVN: "openstack-ovn", Image: image(w, "ovn-chassis"),
		NodeSelector: map[string]string{rackLabel: "a"}, Gateway: true,
		BridgeMappings: []infrav1.OVNBridgeMapping{{PhysicalNetwork: "public", Address: "203.0.113.1/24"}}}
	w.Apply(chassis)
	rack := f.block("rack-a")
	rack.Spec.Agents.Libvirt = &fleetv1.Agent{Image: image(w, "libvirt")}
	rack.Spec.Hosts.NodeSelector = map[string]servicev1.Label{rackLabel: "a"}
	f.make(rack, 1)
	t.Logf("the node is a chassis after %s", w.Ready(time.Minute, chassis))

	host := "guest." + w.Namespace + ".svc"
	offerCloud(w, host)
	picture := guestImage(w, host)
	began := time.Now()
	objects := manifest(w, "testdata/server.yaml")
	w.Apply(picture)
	for _, o := range objects {
		w.Apply(o)
	}
	w.Eventually(3*time.Minute, "everything is ready", func(ctx context.Context) error {
		return allReady(ctx, w, append(objects, raw(w, picture)))
	})
	t.Logf("everything is ready after %s", time.Since(began).Round(time.Second))
	here := w.Cluster.Network("node-1")
	w.Eventually(2*time.Minute, "the server answers ping", func(ctx context.Context) error {
		ctx, stop := context.WithTimeout(ctx, 2*time.Second)
		defer stop()
		p, err := story.Ping(ctx, here, floating)
		if err == nil && p.Answered == 0 {
			err = fmt.Errorf("%s", p)
		}
		return err
	})
	t.Logf("it answers ping after %s", time.Since(began).Round(time.Second))
	removeAll(w, append(objects, raw(w, picture)))
	for _, list := range [][]string{{"server", "list", "--all-projects"}, {"port", "list"}, {"image", "list"}} {
		if out := w.OpenStack(append(list, "-f", "value")...); out != "" {
			t.Errorf("%s is left: %s", list[0], out)
		}
	}
}

// guestImage serves the disk of a small server in the namespace of the story, and declares an image of it.
func guestImage(w *story.World, host string) *openstackv1.Image {
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
	i := declare(w, "guest", &openstackv1.ImageContentDownload{URL: "http://" + host + "/disk.raw"})
	return i
}

// raw is an object as those of a manifest are.
func raw(w *story.World, obj *openstackv1.Image) *unstructured.Unstructured {
	w.Helper()
	return decoded(w, "{apiVersion: openstack.stackwright.dev/v1alpha1, kind: Image, metadata: {name: "+obj.Name+"}}")[0]
}
