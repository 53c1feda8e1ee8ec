// Package v1alpha1 has a kind for each OpenStack service, and what all of them have in common.
// +kubebuilder:object:generate=true
// +groupName=service.stackwright.dev
package v1alpha1
