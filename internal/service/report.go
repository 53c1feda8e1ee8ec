package service

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/step"
)

// Report tells where the service answers and how many pods serve.
func (s Service[T]) Report(v step.View, o T) {
	status := o.Service()
	public, _ := v.Child(StepEndpoints, "Service", s.main(o).publicName()).(*corev1.Service)
	status.Endpoints = s.URLs(o, public)
	status.Selector = metav1.FormatLabelSelector(&metav1.LabelSelector{MatchLabels: s.Labels(o, ComponentAPI)})
	d, ok := v.Child(StepAPI, "Deployment", apiName(o)).(*appsv1.Deployment)
	if !ok {
		return
	}
	status.Replicas, status.ReadyReplicas = d.Status.Replicas, d.Status.ReadyReplicas
	if config := d.Annotations[annotationConfig]; s.rolled(v, o, config) {
		status.Config = config
	}
}

// rolled tells whether all pods, of the API and of all workers, run the configuration of that hash.
func (s Service[T]) rolled(v step.View, o T, config string) bool {
	running := []client.Object{v.Child(StepAPI, "Deployment", apiName(o))}
	for _, w := range s.Workers {
		kind := "Deployment"
		if w.stable() {
			kind = "StatefulSet"
		}
		for _, set := range w.sets(o) {
			running = append(running, v.Child(w.Name, kind, set))
		}
	}
	for _, r := range running {
		if r == nil || r.GetAnnotations()[annotationConfig] != config {
			return false
		}
		if done, _ := gate.For(r)(r); !done {
			return false
		}
	}
	return true
}
