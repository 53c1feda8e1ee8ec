// Package v1alpha1 has a kind for each kind of OpenStack resource, and the clouds that they are in.
// +kubebuilder:object:generate=true
// +groupName=openstack.stackwright.dev
package v1alpha1
