package main

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/stackwright/test/bench/contender/capture"
)

// plan has the pods of a cloud in the order in which a person's script would start them.
type plan struct {
	// first is all that it takes to get a token, and the client last. core are the other services.
	first, core, hosts []*corev1.Pod
}

// order sorts pods by service, as one has them in a script, and those of a service by when they were done in the cloud
// that was captured: what a pod needs was done before it was.
func order(cloud *capture.Cloud) plan {
	var p plan
	for _, pod := range cloud.Pods {
		switch {
		case lost(pod), recurs(cloud, pod):
		case slices.Contains(hosts(), service(pod)):
			p.hosts = append(p.hosts, pod)
		case slices.Contains(first(), service(pod)) && !contracts(pod):
			p.first = append(p.first, pod)
		default:
			p.core = append(p.core, pod)
		}
	}
	for list, names := range map[*[]*corev1.Pod][]string{&p.first: first(), &p.core: core(), &p.hosts: hosts()} {
		slices.SortFunc(*list, func(a, b *corev1.Pod) int {
			return cmp.Or(cmp.Compare(rank(names, a), rank(names, b)), done(a).Compare(done(b)),
				started(a).Compare(started(b)), strings.Compare(a.Name, b.Name))
		})
	}
	return p
}

func first() []string {
	return []string{"galera", "rabbitmq", "memcached", "keystone", "openstackclient"}
}

func core() []string {
	return []string{"keystone", "ceph", "ceph-content", "glance", "placement", "ovn", "neutron", "nova", "cinder"}
}

func hosts() []string { return []string{"ovn-chassis", "buildingblock"} }

func service(pod *corev1.Pod) string { return pod.Labels["app.kubernetes.io/name"] }

// contracts tells of the Job that takes from Keystone's schema what an older release needed. A token can be had before.
func contracts(pod *corev1.Pod) bool {
	return service(pod) == "keystone" && pod.Labels["app.kubernetes.io/component"] == "db-contract"
}

// lost tells of a pod that failed, and was made up for by another one, or that is to go.
func lost(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.DeletionTimestamp != nil
}

// recurs tells of the pod of a Job that a clock has started.
func recurs(cloud *capture.Cloud, pod *corev1.Pod) bool {
	by := metav1.GetControllerOf(pod)
	for _, job := range cloud.Of("batch", "Job") {
		owner := metav1.GetControllerOf(job)
		if by != nil && by.Kind == "Job" && by.Name == job.GetName() && owner != nil && owner.Kind == "CronJob" {
			return true
		}
	}
	return false
}

// rank is the place of a pod's service; one that is not in the list is last.
func rank(names []string, pod *corev1.Pod) int {
	if i := slices.Index(names, service(pod)); i >= 0 {
		return i
	}
	return len(names)
}

// ends tells of a pod that is to end.
func ends(pod *corev1.Pod) bool {
	by := metav1.GetControllerOf(pod)
	return by != nil && by.Kind == "Job"
}

// done is when a pod ended, or became ready.
func done(pod *corev1.Pod) time.Time {
	var last time.Time
	for _, c := range pod.Status.ContainerStatuses {
		if t := c.State.Terminated; t != nil && t.FinishedAt.After(last) {
			last = t.FinishedAt.Time
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && last.IsZero() {
			return c.LastTransitionTime.Time
		}
	}
	return last
}

func started(pod *corev1.Pod) time.Time {
	if pod.Status.StartTime == nil {
		return time.Time{}
	}
	return pod.Status.StartTime.Time
}
