// Package v1alpha1 has the kinds of the compute fleet: sets of hosts of virtual machines.
//
// +kubebuilder:object:generate=true
// +groupName=fleet.stackwright.dev
package v1alpha1
