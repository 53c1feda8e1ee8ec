// Code generated from internal/resources/kinds. DO NOT EDIT.

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// KeyManagerSecret is something secret that Barbican keeps, for people and for other services.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=key-manager"
// +kubebuilder:resource:path=keymanagersecrets,categories=openstack,shortName=oskeymanagersecret
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type KeyManagerSecret struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec KeyManagerSecretSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// KeyManagerSecretSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type KeyManagerSecretSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *KeyManagerSecretResource `json:"resource,omitempty"`
}

// KeyManagerSecretResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.name) ? has(oldSelf.name) && self.name == oldSelf.name : !(has(oldSelf.name))",message="name cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.payloadRef == oldSelf.payloadRef",message="payloadRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.payloadContentType == oldSelf.payloadContentType",message="payloadContentType cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.payloadContentEncoding) ? has(oldSelf.payloadContentEncoding) && self.payloadContentEncoding == oldSelf.payloadContentEncoding : !(has(oldSelf.payloadContentEncoding))",message="payloadContentEncoding cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.secretType) ? has(oldSelf.secretType) && self.secretType == oldSelf.secretType : !(has(oldSelf.secretType))",message="secretType cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.algorithm) ? has(oldSelf.algorithm) && self.algorithm == oldSelf.algorithm : !(has(oldSelf.algorithm))",message="algorithm cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.bitLength) ? has(oldSelf.bitLength) && self.bitLength == oldSelf.bitLength : !(has(oldSelf.bitLength))",message="bitLength cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.mode) ? has(oldSelf.mode) && self.mode == oldSelf.mode : !(has(oldSelf.mode))",message="mode cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.expiration) ? has(oldSelf.expiration) && self.expiration == oldSelf.expiration : !(has(oldSelf.expiration))",message="expiration cannot be changed after creation: put back what was there, or delete the object and make another"
type KeyManagerSecretResource struct {
	// Name in OpenStack; that of the object when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// What is kept. It cannot be changed after creation.
	PayloadRef SecretKey `json:"payloadRef"`
	// Type of it, such as text/plain or application/octet-stream. It cannot be changed after creation.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	PayloadContentType string `json:"payloadContentType"`
	// How bytes are written in the Secret. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:Enum="base64"
	PayloadContentEncoding *string `json:"payloadContentEncoding,omitempty"`
	// What it is; opaque when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:Enum="certificate";"opaque";"passphrase";"private";"public";"symmetric"
	SecretType *string `json:"secretType,omitempty"`
	// What it is for, such as aes. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Algorithm *string `json:"algorithm,omitempty"`
	// Length of the key. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=32767
	BitLength *int64 `json:"bitLength,omitempty"`
	// How it is used, such as cbc. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Mode *string `json:"mode,omitempty"`
	// Time after which it is void, as 2030-01-01T00:00:00Z. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Expiration *string `json:"expiration,omitempty"`
}

// KeyManagerSecretList is a list of objects of kind KeyManagerSecret.
// +kubebuilder:object:root=true
type KeyManagerSecretList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KeyManagerSecret `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *KeyManagerSecret) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *KeyManagerSecret) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *KeyManagerSecret) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *KeyManagerSecret) Observed() *ResourceStatus { return &o.Status }

// KeyManagerContainer groups secrets, such as a certificate and its key.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=key-manager"
// +kubebuilder:resource:path=keymanagercontainers,categories=openstack,shortName=oskeymanagercontainer
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type KeyManagerContainer struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec KeyManagerContainerSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// KeyManagerContainerSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type KeyManagerContainerSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *KeyManagerContainerResource `json:"resource,omitempty"`
}

// KeyManagerContainerResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.name) ? has(oldSelf.name) && self.name == oldSelf.name : !(has(oldSelf.name))",message="name cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.type == oldSelf.type",message="type cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.secrets) ? has(oldSelf.secrets) && self.secrets == oldSelf.secrets : !(has(oldSelf.secrets))",message="secrets cannot be changed after creation: put back what was there, or delete the object and make another"
type KeyManagerContainerResource struct {
	// Name in OpenStack; that of the object when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// What it groups. It cannot be changed after creation.
	// +kubebuilder:validation:Enum="certificate";"generic";"rsa"
	Type string `json:"type"`
	// The secrets. It cannot be changed after creation.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Secrets []KeyManagerContainerSecrets `json:"secrets,omitzero"`
}

// KeyManagerContainerSecrets is what secrets has in it.
type KeyManagerContainerSecrets struct {
	// Part that it plays, such as certificate or private_key.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// Secret that plays it.
	SecretRef Reference `json:"secretRef"`
}

// KeyManagerContainerList is a list of objects of kind KeyManagerContainer.
// +kubebuilder:object:root=true
type KeyManagerContainerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KeyManagerContainer `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *KeyManagerContainer) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *KeyManagerContainer) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *KeyManagerContainer) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *KeyManagerContainer) Observed() *ResourceStatus { return &o.Status }
