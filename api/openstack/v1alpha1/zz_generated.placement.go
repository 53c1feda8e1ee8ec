// Code generated from internal/resources/kinds. DO NOT EDIT.

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// ResourceClass is something that hosts have and servers take, such as accelerators of a type.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=placement"
// +kubebuilder:resource:path=resourceclasses,categories=openstack,shortName=osresourceclass
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type ResourceClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ResourceClassSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ResourceClassSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type ResourceClassSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ResourceClassResource `json:"resource,omitempty"`
}

// ResourceClassResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.name == oldSelf.name",message="name cannot be changed after creation: put back what was there, or delete the object and make another"
type ResourceClassResource struct {
	// Name of the class, which begins with CUSTOM_. It cannot be changed after creation. It needs microversion 1.7.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern="^CUSTOM_[A-Z0-9_]+$"
	Name string `json:"name"`
}

// ResourceClassList is a list of objects of kind ResourceClass.
// +kubebuilder:object:root=true
type ResourceClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClass `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *ResourceClass) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *ResourceClass) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *ResourceClass) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *ResourceClass) Observed() *ResourceStatus { return &o.Status }

// Trait is a property that hosts have or have not.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=placement"
// +kubebuilder:resource:path=traits,categories=openstack,shortName=ostrait
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Trait struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec TraitSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// TraitSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type TraitSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *TraitResource `json:"resource,omitempty"`
}

// TraitResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.name == oldSelf.name",message="name cannot be changed after creation: put back what was there, or delete the object and make another"
type TraitResource struct {
	// Name of the trait, which begins with CUSTOM_. It cannot be changed after creation. It needs microversion 1.6.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern="^CUSTOM_[A-Z0-9_]+$"
	Name string `json:"name"`
}

// TraitList is a list of objects of kind Trait.
// +kubebuilder:object:root=true
type TraitList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Trait `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Trait) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Trait) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Trait) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Trait) Observed() *ResourceStatus { return &o.Status }

// ResourceProvider is a host, or a part of it, in Placement. Objects only observe it.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=placement"
// +kubebuilder:resource:path=resourceproviders,categories=openstack,shortName=osresourceprovider
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type ResourceProvider struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ResourceProviderSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ResourceProviderSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type ResourceProviderSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ResourceProviderResource `json:"resource,omitempty"`
}

// ResourceProviderResource has what is declared of the resource.
type ResourceProviderResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	Name *string `json:"name,omitempty"`
	// Provider that this one is a part of. It needs microversion 1.14.
	// +optional
	ParentRef *Reference `json:"parentRef,omitempty"`
}

// ResourceProviderList is a list of objects of kind ResourceProvider.
// +kubebuilder:object:root=true
type ResourceProviderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceProvider `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *ResourceProvider) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *ResourceProvider) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *ResourceProvider) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *ResourceProvider) Observed() *ResourceStatus { return &o.Status }
