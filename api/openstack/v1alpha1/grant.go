package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ReferenceGrantSpec says who may refer to what.
type ReferenceGrantSpec struct {
	// From lists the kinds and namespaces of objects that may refer to objects of this namespace.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	From []ReferenceGrantFrom `json:"from"`
	// To lists the objects of this namespace that they may refer to.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	To []ReferenceGrantTo `json:"to"`
}

// ReferenceGrantFrom is a kind of objects in another namespace.
type ReferenceGrantFrom struct {
	// Group of the kind.
	// +optional
	// +kubebuilder:default=openstack.stackwright.dev
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group,omitempty"`
	// Kind of the objects, such as User.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`
	// Namespace of the objects.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`
}

// ReferenceGrantTo is one object of this namespace, or all of a kind.
type ReferenceGrantTo struct {
	// Group of the kind.
	// +optional
	// +kubebuilder:default=openstack.stackwright.dev
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group,omitempty"`
	// Kind of the objects, such as Project.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`
	// Name of the object; all of the kind when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}

// ReferenceGrant lets objects of other namespaces refer to objects of its own. It has the fields of Gateway API's kind
// of that name, and does not need Gateway API.
// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="stackwright.dev/service=any"
// +kubebuilder:resource:categories=openstack,shortName=osgrant
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ReferenceGrant struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says who may refer to what.
	Spec ReferenceGrantSpec `json:"spec"`
}

// ReferenceGrantList is a list of grants.
// +kubebuilder:object:root=true
type ReferenceGrantList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ReferenceGrant `json:"items"`
}
