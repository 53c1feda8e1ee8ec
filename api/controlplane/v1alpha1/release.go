package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OpenStackReleaseSpec names what a release of OpenStack runs.
type OpenStackReleaseSpec struct {
	// OpenStack is the version of OpenStack, year and number in the year, such as 2025.1. Control planes go from a
	// lower to a higher one and never back.
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]{4}[.][0-9]$')",message="openstack is a year and a number, such as 2025.1"
	OpenStack string `json:"openstack"`
	// Images maps a component (mariadb, rabbitmq, memcached, keystone, openstackclient, operator) to a full image
	// reference. `stackwright images` writes this map.
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(self[k]) > 0)",message="an image needs a full reference, such as registry.example.org/keystone:epoxy"
	Images map[string]Image `json:"images"`
}

// Image is a full image reference.
// +kubebuilder:validation:MaxLength=512
type Image string

// OpenStackRelease names the images of one release of OpenStack. The name of the object is what
// OpenStackControlPlane.spec.release refers to.
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=osr,categories=stackwright
// +kubebuilder:printcolumn:name="OPENSTACK",type=string,JSONPath=`.spec.openstack`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type OpenStackRelease struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec names what the release runs.
	Spec OpenStackReleaseSpec `json:"spec"`
}

// OpenStackReleaseList is a list of OpenStackRelease.
// +kubebuilder:object:root=true
type OpenStackReleaseList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OpenStackRelease `json:"items"`
}
