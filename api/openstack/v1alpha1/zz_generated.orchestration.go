// Code generated from internal/resources/kinds. DO NOT EDIT.

package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// Stack is a set of resources that Heat makes from a template.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=orchestration"
// +kubebuilder:resource:path=stacks,categories=openstack,shortName=osstack
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Stack struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec StackSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// StackSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type StackSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *StackResource `json:"resource,omitempty"`
}

// StackResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.name) ? has(oldSelf.name) && self.name == oldSelf.name : !(has(oldSelf.name))",message="name cannot be changed after creation: put back what was there, or delete the object and make another"
type StackResource struct {
	// Name in OpenStack; that of the object when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern="^[a-zA-Z][a-zA-Z0-9_.-]*$"
	Name *string `json:"name,omitempty"`
	// The template, as YAML.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=524288
	Template string `json:"template"`
	// Values of its parameters.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Parameters *apiextensionsv1.JSON `json:"parameters,omitempty"`
	// Its environment, as YAML.
	// +optional
	// +kubebuilder:validation:MaxLength=524288
	Environment *string `json:"environment,omitempty"`
	// Files that the template names.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Files map[string]Text `json:"files,omitzero"`
	// Minutes that it may take.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	TimeoutMinutes *int64 `json:"timeoutMinutes,omitempty"`
	// Whether what failed is left as it is.
	// +optional
	DisableRollback *bool `json:"disableRollback,omitempty"`
	// Words by which it is found, with commas in between.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Tags *string `json:"tags,omitempty"`
}

// StackList is a list of objects of kind Stack.
// +kubebuilder:object:root=true
type StackList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Stack `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Stack) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Stack) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Stack) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Stack) Observed() *ResourceStatus { return &o.Status }
