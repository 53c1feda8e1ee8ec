// Package v1alpha1 has the kinds of the control plane: OpenStackControlPlane, one OpenStack as one object, and
// OpenStackRelease, which names the images that a release runs.
// +kubebuilder:object:generate=true
// +groupName=controlplane.stackwright.dev
package v1alpha1
