// Package v1alpha1 has the backing services that OpenStack stands on: databases, message queues and caches.
//
// +groupName=infra.stackwright.dev
// +kubebuilder:object:generate=true
package v1alpha1
