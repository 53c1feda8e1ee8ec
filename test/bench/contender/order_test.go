package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stackwright.dev/stackwright/test/bench/contender/capture"
)

// pod of a service that was ready, or ended, some seconds after the beginning.
func pod(name, service, component string, second int64, ended bool) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		"app.kubernetes.io/name": service, "app.kubernetes.io/component": component}}}
	at := metav1.NewTime(time.Unix(second, 0))
	if ended {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{FinishedAt: at}}}}
		// A pod that ended is not ready from the beginning.
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady}}
	} else {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, LastTransitionTime: at}}
	}
	return p
}

func controlled(kind, name string) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: kind, Name: name, Controller: new(true)}}
}

// A script goes by service, and in a service by what was done first. What comes after the token, and hosts, are apart.
func TestOrder(t *testing.T) {
	daily := pod("daily", "keystone", "flush", 9, true)
	daily.OwnerReferences = controlled("Job", "daily")
	job := &unstructured.Unstructured{}
	job.SetGroupVersionKind(schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"})
	job.SetName("daily")
	job.SetOwnerReferences(controlled("CronJob", "daily"))
	failed := pod("failed", "glance", "db-expand", 1, true)
	failed.Status.Phase = corev1.PodFailed
	p := order(&capture.Cloud{Resources: []*unstructured.Unstructured{job}, Pods: []*corev1.Pod{failed,
		pod("horizon", "horizon", "", 20, false), pod("nova-api", "nova", "api", 50, false),
		pod("nova-sync", "nova", "db-sync", 30, true), pod("glance", "glance", "api", 60, false),
		pod("contract", "keystone", "db-contract", 12, true), pod("client", "openstackclient", "", 5, false),
		pod("keystone", "keystone", "api", 11, false), pod("expand", "keystone", "db-expand", 8, true),
		pod("bus", "rabbitmq", "", 40, false), pod("db", "galera", "", 7, false), daily,
		pod("compute", "buildingblock", "compute", 70, false), pod("libvirt", "buildingblock", "libvirt", 65, false),
		pod("switch", "ovn-chassis", "", 80, false),
	}})
	names := func(list []*corev1.Pod) (out []string) {
		for _, p := range list {
			out = append(out, p.Name)
		}
		return out
	}
	for what, diff := range map[string]string{
		"first": cmp.Diff([]string{"db", "bus", "expand", "keystone", "client"}, names(p.first)),
		"core":  cmp.Diff([]string{"contract", "glance", "nova-sync", "nova-api", "horizon"}, names(p.core)),
		"hosts": cmp.Diff([]string{"switch", "libvirt", "compute"}, names(p.hosts)),
	} {
		if diff != "" {
			t.Error(what, diff)
		}
	}
}

func TestComplaint(t *testing.T) {
	for _, text := range []string{"No service with a type, name or ID of 'x' exists.\n", "\n a warning\nConflict: 409\n"} {
		if complaint(text) == nil {
			t.Errorf("%q is let pass", text)
		}
	}
	for _, text := range []string{"", "\n", "x.py:1: DeprecationWarning: soon gone\n"} {
		if err := complaint(text); err != nil {
			t.Error(err)
		}
	}
}
