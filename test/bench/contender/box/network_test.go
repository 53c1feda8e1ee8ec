package box_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"stackwright.dev/stackwright/test/bench/contender/box"
	"stackwright.dev/stackwright/test/bench/contender/capture"
)

// served is a pod behind two services, and a Job of the same labels.
func served() (*capture.Cloud, *corev1.Pod) {
	labels := map[string]string{"app": "api", "more": "of it"}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "api-0", Labels: labels},
		Status: corev1.PodStatus{PodIP: "10.1.0.5", Phase: corev1.PodRunning}}
	pod.Spec.Containers = []corev1.Container{{Ports: []corev1.ContainerPort{{Name: "api", ContainerPort: 8443}}}}
	job := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "job", Labels: labels},
		Status: corev1.PodStatus{PodIP: "10.1.0.6", Phase: corev1.PodSucceeded}}
	service := func(name, ip string, ports ...corev1.ServicePort) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{ClusterIP: ip,
			Selector: map[string]string{"app": "api"}, Ports: ports}}
	}
	public := service("public", "10.2.0.1", corev1.ServicePort{Port: 443, TargetPort: intstr.FromString("api")},
		corev1.ServicePort{Port: 80})
	public.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "10.3.0.1"}}
	other := service("other", "10.2.0.9")
	other.Spec.Selector = map[string]string{"app": "other"}
	cloud := &capture.Cloud{Namespace: "cloud", Pods: []*corev1.Pod{pod, job}, Services: []*corev1.Service{public,
		service("pods", "None", corev1.ServicePort{Port: 443, TargetPort: intstr.FromInt32(8443)}), other,
		{ObjectMeta: metav1.ObjectMeta{Name: "nobody"}, Spec: corev1.ServiceSpec{ClusterIP: "10.2.0.8"}}}}
	return cloud, pod
}

// A pod answers at the addresses of its services; a Job only at its own.
func TestAddresses(t *testing.T) {
	cloud, pod := served()
	if diff := cmp.Diff([]string{"10.1.0.5", "10.2.0.1", "10.3.0.1"}, box.Addresses(cloud, pod)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"10.1.0.6"}, box.Addresses(cloud, cloud.Pods[1])); diff != "" {
		t.Error(diff)
	}
}

// All addresses of a service lead to the port of the pod, by number or name; one without an address leads nowhere.
func TestForwards(t *testing.T) {
	cloud, pod := served()
	want := []box.Forward{{Address: "10.2.0.1", From: 443, To: 8443}, {Address: "10.2.0.1", From: 80, To: 80},
		{Address: "10.3.0.1", From: 443, To: 8443}, {Address: "10.3.0.1", From: 80, To: 80}}
	if diff := cmp.Diff(want, box.Forwards(cloud, pod)); diff != "" {
		t.Error(diff)
	}
}

func TestHosts(t *testing.T) {
	cloud, pod := served()
	hosts := box.Hosts(cloud, pod)
	for _, want := range []string{
		"10.2.0.1 public.cloud.svc.cluster.local public.cloud.svc public.cloud public\n",
		"10.1.0.5 api-0.pods.cloud.svc.cluster.local api-0.pods.cloud.svc api-0.pods.cloud api-0.pods\n",
		"10.1.0.5 api-0\n",
	} {
		if !strings.Contains(hosts, want) {
			t.Errorf("%q is missing in\n%s", want, hosts)
		}
	}
	if strings.Contains(hosts, "10.1.0.6") {
		t.Errorf("a Job is found by name:\n%s", hosts)
	}
	pod.Spec.HostNetwork = true
	if strings.Contains(box.Hosts(cloud, pod), "10.1.0.5 api-0\n") {
		t.Error("a pod of the node's network has a name of its own")
	}
}
