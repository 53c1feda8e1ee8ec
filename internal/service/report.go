package service

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/step"
)

// Report tells where the service answers and how many pods serve.
func (s Service[T]) Report(v step.View, o T) {
	status := o.Service()
	public, _ := v.Child(StepEndpoints, "Service", publicName(o)).(*corev1.Service)
	status.Endpoints = s.URLs(o, public)
	status.Selector = metav1.FormatLabelSelector(&metav1.LabelSelector{MatchLabels: s.Labels(o, ComponentAPI)})
	d, ok := v.Child(StepAPI, "Deployment", apiName(o)).(*appsv1.Deployment)
	if !ok {
		return
	}
	status.Replicas, status.ReadyReplicas = d.Status.Replicas, d.Status.ReadyReplicas
	if rolled, _ := gate.For(d)(d); rolled {
		status.Config = d.Annotations[annotationConfig]
	}
}
