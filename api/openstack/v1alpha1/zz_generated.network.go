// Code generated from internal/resources/kinds. DO NOT EDIT.

package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// QoSPolicy is a set of limits for ports, networks and addresses.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=qospolicies,categories=openstack,shortName=osqospolicy
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type QoSPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec QoSPolicySpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// QoSPolicySpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type QoSPolicySpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *QoSPolicyResource `json:"resource,omitempty"`
}

// QoSPolicyResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
type QoSPolicyResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Words by which it is found, at most 50.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Whether all projects may use it.
	// +optional
	Shared *bool `json:"shared,omitempty"`
	// Whether new networks of the project get it.
	// +optional
	IsDefault *bool `json:"isDefault,omitempty"`
}

// QoSPolicyList is a list of objects of kind QoSPolicy.
// +kubebuilder:object:root=true
type QoSPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []QoSPolicy `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *QoSPolicy) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *QoSPolicy) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *QoSPolicy) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *QoSPolicy) Observed() *ResourceStatus { return &o.Status }

// QoSBandwidthLimitRule limits how much is sent or received.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=qosbandwidthlimitrules,categories=openstack,shortName=osqosbandwidthlimitrule
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type QoSBandwidthLimitRule struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec QoSBandwidthLimitRuleSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// QoSBandwidthLimitRuleSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare policyRef in spec.resource, with an import too: it is found there only"
type QoSBandwidthLimitRuleSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *QoSBandwidthLimitRuleResource `json:"resource,omitempty"`
}

// QoSBandwidthLimitRuleResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.policyRef == oldSelf.policyRef",message="policyRef cannot be changed after creation: put back what was there, or delete the object and make another"
type QoSBandwidthLimitRuleResource struct {
	// Policy that has the rule. It cannot be changed after creation.
	PolicyRef Reference `json:"policyRef"`
	// Kilobits in a second.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	MaxKBPS int64 `json:"maxKbps"`
	// Kilobits at once.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	MaxBurstKBPS *int64 `json:"maxBurstKbps,omitempty"`
	// Out of the server or into it; egress when empty.
	// +optional
	// +kubebuilder:validation:Enum="egress";"ingress"
	Direction *string `json:"direction,omitempty"`
}

// QoSBandwidthLimitRuleList is a list of objects of kind QoSBandwidthLimitRule.
// +kubebuilder:object:root=true
type QoSBandwidthLimitRuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []QoSBandwidthLimitRule `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *QoSBandwidthLimitRule) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *QoSBandwidthLimitRule) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *QoSBandwidthLimitRule) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *QoSBandwidthLimitRule) Observed() *ResourceStatus { return &o.Status }

// QoSMinimumBandwidthRule promises how much can be sent or received. A server that begins with it needs a host whose bandwidth Placement knows, and that of hosts of a control plane it does not.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=qosminimumbandwidthrules,categories=openstack,shortName=osqosminimumbandwidthrule
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type QoSMinimumBandwidthRule struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec QoSMinimumBandwidthRuleSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// QoSMinimumBandwidthRuleSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare policyRef in spec.resource, with an import too: it is found there only"
type QoSMinimumBandwidthRuleSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *QoSMinimumBandwidthRuleResource `json:"resource,omitempty"`
}

// QoSMinimumBandwidthRuleResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.policyRef == oldSelf.policyRef",message="policyRef cannot be changed after creation: put back what was there, or delete the object and make another"
type QoSMinimumBandwidthRuleResource struct {
	// Policy that has the rule. It cannot be changed after creation.
	PolicyRef Reference `json:"policyRef"`
	// Kilobits in a second.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	MinKBPS int64 `json:"minKbps"`
	// Out of the server or into it; egress when empty.
	// +optional
	// +kubebuilder:validation:Enum="egress";"ingress"
	Direction *string `json:"direction,omitempty"`
}

// QoSMinimumBandwidthRuleList is a list of objects of kind QoSMinimumBandwidthRule.
// +kubebuilder:object:root=true
type QoSMinimumBandwidthRuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []QoSMinimumBandwidthRule `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *QoSMinimumBandwidthRule) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *QoSMinimumBandwidthRule) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *QoSMinimumBandwidthRule) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *QoSMinimumBandwidthRule) Observed() *ResourceStatus { return &o.Status }

// QoSMinimumPacketRateRule promises how many packets pass.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=qosminimumpacketraterules,categories=openstack,shortName=osqosminimumpacketraterule
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type QoSMinimumPacketRateRule struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec QoSMinimumPacketRateRuleSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// QoSMinimumPacketRateRuleSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare policyRef in spec.resource, with an import too: it is found there only"
type QoSMinimumPacketRateRuleSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *QoSMinimumPacketRateRuleResource `json:"resource,omitempty"`
}

// QoSMinimumPacketRateRuleResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.policyRef == oldSelf.policyRef",message="policyRef cannot be changed after creation: put back what was there, or delete the object and make another"
type QoSMinimumPacketRateRuleResource struct {
	// Policy that has the rule. It cannot be changed after creation.
	PolicyRef Reference `json:"policyRef"`
	// Thousand packets in a second.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	MinKpps int64 `json:"minKpps"`
	// Out of the server or into it; egress when empty.
	// +optional
	// +kubebuilder:validation:Enum="any";"egress";"ingress"
	Direction *string `json:"direction,omitempty"`
}

// QoSMinimumPacketRateRuleList is a list of objects of kind QoSMinimumPacketRateRule.
// +kubebuilder:object:root=true
type QoSMinimumPacketRateRuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []QoSMinimumPacketRateRule `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *QoSMinimumPacketRateRule) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *QoSMinimumPacketRateRule) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *QoSMinimumPacketRateRule) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *QoSMinimumPacketRateRule) Observed() *ResourceStatus { return &o.Status }

// QoSPacketRateLimitRule limits how many packets pass.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=qospacketratelimitrules,categories=openstack,shortName=osqospacketratelimitrule
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type QoSPacketRateLimitRule struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec QoSPacketRateLimitRuleSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// QoSPacketRateLimitRuleSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare policyRef in spec.resource, with an import too: it is found there only"
type QoSPacketRateLimitRuleSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *QoSPacketRateLimitRuleResource `json:"resource,omitempty"`
}

// QoSPacketRateLimitRuleResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.policyRef == oldSelf.policyRef",message="policyRef cannot be changed after creation: put back what was there, or delete the object and make another"
type QoSPacketRateLimitRuleResource struct {
	// Policy that has the rule. It cannot be changed after creation.
	PolicyRef Reference `json:"policyRef"`
	// Thousand packets in a second.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	MaxKpps int64 `json:"maxKpps"`
	// Thousand packets at once.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	MaxBurstKpps *int64 `json:"maxBurstKpps,omitempty"`
	// Out of the server or into it; egress when empty.
	// +optional
	// +kubebuilder:validation:Enum="egress";"ingress"
	Direction *string `json:"direction,omitempty"`
}

// QoSPacketRateLimitRuleList is a list of objects of kind QoSPacketRateLimitRule.
// +kubebuilder:object:root=true
type QoSPacketRateLimitRuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []QoSPacketRateLimitRule `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *QoSPacketRateLimitRule) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *QoSPacketRateLimitRule) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *QoSPacketRateLimitRule) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *QoSPacketRateLimitRule) Observed() *ResourceStatus { return &o.Status }

// QoSDSCPMarkingRule marks packets so that switches know how urgent they are.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=qosdscpmarkingrules,categories=openstack,shortName=osqosdscpmarkingrule
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type QoSDSCPMarkingRule struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec QoSDSCPMarkingRuleSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// QoSDSCPMarkingRuleSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare policyRef in spec.resource, with an import too: it is found there only"
type QoSDSCPMarkingRuleSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *QoSDSCPMarkingRuleResource `json:"resource,omitempty"`
}

// QoSDSCPMarkingRuleResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.policyRef == oldSelf.policyRef",message="policyRef cannot be changed after creation: put back what was there, or delete the object and make another"
type QoSDSCPMarkingRuleResource struct {
	// Policy that has the rule. It cannot be changed after creation.
	PolicyRef Reference `json:"policyRef"`
	// Mark of the packets, such as 46; odd ones are refused.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=56
	DSCPMark int64 `json:"dscpMark"`
}

// QoSDSCPMarkingRuleList is a list of objects of kind QoSDSCPMarkingRule.
// +kubebuilder:object:root=true
type QoSDSCPMarkingRuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []QoSDSCPMarkingRule `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *QoSDSCPMarkingRule) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *QoSDSCPMarkingRule) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *QoSDSCPMarkingRule) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *QoSDSCPMarkingRule) Observed() *ResourceStatus { return &o.Status }

// AddressScope is where addresses are unique, so that routers need not translate.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=addressscopes,categories=openstack,shortName=osaddressscope
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type AddressScope struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec AddressScopeSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// AddressScopeSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type AddressScopeSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *AddressScopeResource `json:"resource,omitempty"`
}

// AddressScopeResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.ipVersion == oldSelf.ipVersion",message="ipVersion cannot be changed after creation: put back what was there, or delete the object and make another"
type AddressScopeResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Version of IP: 4 or 6. It cannot be changed after creation.
	// +kubebuilder:validation:Minimum=4
	// +kubebuilder:validation:Maximum=6
	IPVersion int64 `json:"ipVersion"`
	// Whether all projects may use it; what is shared stays so.
	// +optional
	Shared *bool `json:"shared,omitempty"`
}

// AddressScopeList is a list of objects of kind AddressScope.
// +kubebuilder:object:root=true
type AddressScopeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AddressScope `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *AddressScope) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *AddressScope) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *AddressScope) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *AddressScope) Observed() *ResourceStatus { return &o.Status }

// Network is a network that ports are in.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=networks,categories=openstack,shortName=osnetwork
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Network struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec NetworkSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// NetworkSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type NetworkSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *NetworkResource `json:"resource,omitempty"`
}

// NetworkResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.availabilityZoneHints) ? has(oldSelf.availabilityZoneHints) && self.availabilityZoneHints == oldSelf.availabilityZoneHints : !(has(oldSelf.availabilityZoneHints))",message="availabilityZoneHints cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.vlanTransparent) ? has(oldSelf.vlanTransparent) && self.vlanTransparent == oldSelf.vlanTransparent : !(has(oldSelf.vlanTransparent))",message="vlanTransparent cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.providerNetworkType) ? has(oldSelf.providerNetworkType) && self.providerNetworkType == oldSelf.providerNetworkType : !(has(oldSelf.providerNetworkType))",message="providerNetworkType cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.providerPhysicalNetwork) ? has(oldSelf.providerPhysicalNetwork) && self.providerPhysicalNetwork == oldSelf.providerPhysicalNetwork : !(has(oldSelf.providerPhysicalNetwork))",message="providerPhysicalNetwork cannot be changed after creation: put back what was there, or delete the object and make another"
type NetworkResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Whether it is in operation.
	// +optional
	AdminStateUp *bool `json:"adminStateUp,omitempty"`
	// Words by which it is found, at most 50.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Whether all projects may use it; RBACPolicy says it for some.
	// +optional
	Shared *bool `json:"shared,omitempty"`
	// Whether routers and floating IPs reach the outside by it.
	// +optional
	External *bool `json:"external,omitempty"`
	// Largest packet.
	// +optional
	// +kubebuilder:validation:Minimum=68
	// +kubebuilder:validation:Maximum=65535
	MTU *int64 `json:"mtu,omitempty"`
	// Whether ports are filtered by security groups unless they say otherwise.
	// +optional
	PortSecurityEnabled *bool `json:"portSecurityEnabled,omitempty"`
	// Domain of its ports' names, which ends in a dot.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DNSDomain *string `json:"dnsDomain,omitempty"`
	// Limits of its ports. `{none: true}` says that there is none.
	// +optional
	QoSPolicyRef *ReferenceOrNone `json:"qosPolicyRef,omitempty"`
	// Zones in which it is. It cannot be changed after creation.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	AvailabilityZoneHints []string `json:"availabilityZoneHints,omitzero"`
	// Whether it is the external network of networks that Neutron makes itself.
	// +optional
	IsDefault *bool `json:"isDefault,omitempty"`
	// Whether servers may use VLANs in it. It cannot be changed after creation.
	// +optional
	VLANTransparent *bool `json:"vlanTransparent,omitempty"`
	// Type below it, such as vlan or flat; for administrators. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	ProviderNetworkType *string `json:"providerNetworkType,omitempty"`
	// Network of the hosts that carries it. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ProviderPhysicalNetwork *string `json:"providerPhysicalNetwork,omitempty"`
	// Number on the wire, such as the VLAN.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	ProviderSegmentationID *int64 `json:"providerSegmentationID,omitempty"`
}

// NetworkList is a list of objects of kind Network.
// +kubebuilder:object:root=true
type NetworkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Network `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Network) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Network) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Network) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Network) Observed() *ResourceStatus { return &o.Status }

// Segment is a part of a network with a wire of its own, as of a rack.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=segments,categories=openstack,shortName=ossegment
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Segment struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec SegmentSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// SegmentSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type SegmentSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *SegmentResource `json:"resource,omitempty"`
}

// SegmentResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.networkRef == oldSelf.networkRef",message="networkRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.networkType == oldSelf.networkType",message="networkType cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.physicalNetwork) ? has(oldSelf.physicalNetwork) && self.physicalNetwork == oldSelf.physicalNetwork : !(has(oldSelf.physicalNetwork))",message="physicalNetwork cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.segmentationID) ? has(oldSelf.segmentationID) && self.segmentationID == oldSelf.segmentationID : !(has(oldSelf.segmentationID))",message="segmentationID cannot be changed after creation: put back what was there, or delete the object and make another"
type SegmentResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Network that it is a part of. It cannot be changed after creation.
	NetworkRef Reference `json:"networkRef"`
	// Type of the wire, such as vlan or flat. It cannot be changed after creation.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	NetworkType string `json:"networkType"`
	// Network of the hosts that carries it. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	PhysicalNetwork *string `json:"physicalNetwork,omitempty"`
	// Number on the wire, such as the VLAN. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	SegmentationID *int64 `json:"segmentationID,omitempty"`
}

// SegmentList is a list of objects of kind Segment.
// +kubebuilder:object:root=true
type SegmentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Segment `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Segment) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Segment) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Segment) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Segment) Observed() *ResourceStatus { return &o.Status }

// SubnetPool has ranges of addresses that subnets are cut from.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=subnetpools,categories=openstack,shortName=ossubnetpool
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type SubnetPool struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec SubnetPoolSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// SubnetPoolSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type SubnetPoolSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *SubnetPoolResource `json:"resource,omitempty"`
}

// SubnetPoolResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.shared) ? has(oldSelf.shared) && self.shared == oldSelf.shared : !(has(oldSelf.shared))",message="shared cannot be changed after creation: put back what was there, or delete the object and make another"
type SubnetPoolResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Words by which it is found, at most 50.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// The ranges. They can only grow.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=64
	Prefixes []string `json:"prefixes"`
	// Scope in which addresses are unique. `{none: true}` says that there is none.
	// +optional
	AddressScopeRef *ReferenceOrNone `json:"addressScopeRef,omitempty"`
	// Prefix of subnets that ask for none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=128
	DefaultPrefixLength *int64 `json:"defaultPrefixLength,omitempty"`
	// Shortest prefix of a subnet.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=128
	MinPrefixLength *int64 `json:"minPrefixLength,omitempty"`
	// Longest prefix of a subnet.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=128
	MaxPrefixLength *int64 `json:"maxPrefixLength,omitempty"`
	// Addresses (in IPv6 networks of /64) for a project.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	DefaultQuota *int64 `json:"defaultQuota,omitempty"`
	// Whether subnets that name no pool are cut from it.
	// +optional
	IsDefault *bool `json:"isDefault,omitempty"`
	// Whether all projects may use it. It cannot be changed after creation.
	// +optional
	Shared *bool `json:"shared,omitempty"`
}

// SubnetPoolList is a list of objects of kind SubnetPool.
// +kubebuilder:object:root=true
type SubnetPoolList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SubnetPool `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *SubnetPool) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *SubnetPool) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *SubnetPool) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *SubnetPool) Observed() *ResourceStatus { return &o.Status }

// Subnet is a range of addresses in a network.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=subnets,categories=openstack,shortName=ossubnet
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Subnet struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec SubnetSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// SubnetSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type SubnetSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *SubnetResource `json:"resource,omitempty"`
}

// SubnetResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.networkRef == oldSelf.networkRef",message="networkRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.ipVersion == oldSelf.ipVersion",message="ipVersion cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.cidr) ? has(oldSelf.cidr) && self.cidr == oldSelf.cidr : !(has(oldSelf.cidr))",message="cidr cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.subnetPoolRef) ? has(oldSelf.subnetPoolRef) && self.subnetPoolRef == oldSelf.subnetPoolRef : !(has(oldSelf.subnetPoolRef))",message="subnetPoolRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.prefixLength) ? has(oldSelf.prefixLength) && self.prefixLength == oldSelf.prefixLength : !(has(oldSelf.prefixLength))",message="prefixLength cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.ipv6) ? has(oldSelf.ipv6) && self.ipv6 == oldSelf.ipv6 : !(has(oldSelf.ipv6))",message="ipv6 cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="[has(self.cidr), has(self.subnetPoolRef)].exists_one(x, x)",message="set exactly one of cidr, subnetPoolRef"
type SubnetResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Words by which it is found, at most 50.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Network that it is in. It cannot be changed after creation.
	NetworkRef Reference `json:"networkRef"`
	// Version of IP: 4 or 6. It cannot be changed after creation.
	// +kubebuilder:validation:Minimum=4
	// +kubebuilder:validation:Maximum=6
	IPVersion int64 `json:"ipVersion"`
	// The range, as 192.0.2.0/24. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	CIDR *string `json:"cidr,omitempty"`
	// Pool that a range is taken from. It cannot be changed after creation.
	// +optional
	SubnetPoolRef *Reference `json:"subnetPoolRef,omitempty"`
	// Length of that range's prefix. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=128
	PrefixLength *int64 `json:"prefixLength,omitempty"`
	// Address of the router; the first of the range when empty, or none.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	GatewayIP *string `json:"gatewayIP,omitempty"`
	// Addresses that ports get; all when empty.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	AllocationPools []SubnetAllocationPools `json:"allocationPools,omitzero"`
	// Servers of DNS that ports are told.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=64
	DNSNameservers []string `json:"dnsNameservers,omitzero"`
	// Routes that ports are told.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	HostRoutes []SubnetHostRoutes `json:"hostRoutes,omitzero"`
	// Whether ports are told by DHCP.
	// +optional
	EnableDHCP *bool `json:"enableDHCP,omitempty"`
	// How ports get addresses of IPv6. It cannot be changed after creation.
	// +optional
	IPv6 *SubnetIPv6 `json:"ipv6,omitempty"`
	// Whether addresses are published in DNS.
	// +optional
	DNSPublishFixedIP *bool `json:"dnsPublishFixedIP,omitempty"`
	// Owners of ports that get addresses here.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	ServiceTypes []string `json:"serviceTypes,omitzero"`
	// Segment of the network that it is on.
	// +optional
	SegmentRef *Reference `json:"segmentRef,omitempty"`
}

// SubnetAllocationPools is what allocationPools has in it.
type SubnetAllocationPools struct {
	// First address.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Start string `json:"start"`
	// Last address.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	End string `json:"end"`
}

// SubnetHostRoutes is what hostRoutes has in it.
type SubnetHostRoutes struct {
	// Where it leads, as 198.51.100.0/24.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Destination string `json:"destination"`
	// Address by which it leads there.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	NextHop string `json:"nextHop"`
}

// SubnetIPv6 is what ipv6 has in it.
type SubnetIPv6 struct {
	// Who gives addresses.
	// +optional
	// +kubebuilder:validation:Enum="dhcpv6-stateful";"dhcpv6-stateless";"slaac"
	AddressMode *string `json:"addressMode,omitempty"`
	// What the router announces.
	// +optional
	// +kubebuilder:validation:Enum="dhcpv6-stateful";"dhcpv6-stateless";"slaac"
	RaMode *string `json:"raMode,omitempty"`
}

// SubnetList is a list of objects of kind Subnet.
// +kubebuilder:object:root=true
type SubnetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Subnet `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Subnet) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Subnet) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Subnet) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Subnet) Observed() *ResourceStatus { return &o.Status }

// AddressGroup is a list of addresses that rules refer to.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=addressgroups,categories=openstack,shortName=osaddressgroup
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type AddressGroup struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec AddressGroupSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// AddressGroupSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type AddressGroupSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *AddressGroupResource `json:"resource,omitempty"`
}

// AddressGroupResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
type AddressGroupResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Addresses and ranges.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=64
	Addresses []string `json:"addresses,omitzero"`
}

// AddressGroupList is a list of objects of kind AddressGroup.
// +kubebuilder:object:root=true
type AddressGroupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AddressGroup `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *AddressGroup) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *AddressGroup) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *AddressGroup) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *AddressGroup) Observed() *ResourceStatus { return &o.Status }

// SecurityGroup has rules about what may pass a port: SecurityGroupRules.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=securitygroups,categories=openstack,shortName=ossecuritygroup
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type SecurityGroup struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec SecurityGroupSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// SecurityGroupSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type SecurityGroupSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *SecurityGroupResource `json:"resource,omitempty"`
}

// SecurityGroupResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
type SecurityGroupResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Words by which it is found, at most 50.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Whether answers pass without a rule; fixed once a port has the group.
	// +optional
	Stateful *bool `json:"stateful,omitempty"`
}

// SecurityGroupList is a list of objects of kind SecurityGroup.
// +kubebuilder:object:root=true
type SecurityGroupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SecurityGroup `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *SecurityGroup) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *SecurityGroup) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *SecurityGroup) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *SecurityGroup) Observed() *ResourceStatus { return &o.Status }

// SecurityGroupRule lets something pass the ports of a group.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=securitygrouprules,categories=openstack,shortName=ossecuritygrouprule
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type SecurityGroupRule struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec SecurityGroupRuleSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// SecurityGroupRuleSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
type SecurityGroupRuleSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *SecurityGroupRuleResource `json:"resource,omitempty"`
}

// SecurityGroupRuleResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.description) ? has(oldSelf.description) && self.description == oldSelf.description : !(has(oldSelf.description))",message="description cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.securityGroupRef == oldSelf.securityGroupRef",message="securityGroupRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.direction == oldSelf.direction",message="direction cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.ethertype) ? has(oldSelf.ethertype) && self.ethertype == oldSelf.ethertype : !(has(oldSelf.ethertype))",message="ethertype cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.protocol) ? has(oldSelf.protocol) && self.protocol == oldSelf.protocol : !(has(oldSelf.protocol))",message="protocol cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.portRange) ? has(oldSelf.portRange) && self.portRange == oldSelf.portRange : !(has(oldSelf.portRange))",message="portRange cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.remoteIPPrefix) ? has(oldSelf.remoteIPPrefix) && self.remoteIPPrefix == oldSelf.remoteIPPrefix : !(has(oldSelf.remoteIPPrefix))",message="remoteIPPrefix cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.remoteGroupRef) ? has(oldSelf.remoteGroupRef) && self.remoteGroupRef == oldSelf.remoteGroupRef : !(has(oldSelf.remoteGroupRef))",message="remoteGroupRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.remoteAddressGroupRef) ? has(oldSelf.remoteAddressGroupRef) && self.remoteAddressGroupRef == oldSelf.remoteAddressGroupRef : !(has(oldSelf.remoteAddressGroupRef))",message="remoteAddressGroupRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="[has(self.remoteIPPrefix), has(self.remoteGroupRef), has(self.remoteAddressGroupRef)].filter(x, x).size() < 2",message="set at most one of remoteIPPrefix, remoteGroupRef, remoteAddressGroupRef"
type SecurityGroupRuleResource struct {
	// A sentence for people. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Group that has the rule. It cannot be changed after creation.
	SecurityGroupRef Reference `json:"securityGroupRef"`
	// Out of the server or into it. It cannot be changed after creation.
	// +kubebuilder:validation:Enum="egress";"ingress"
	Direction string `json:"direction"`
	// Version of IP; IPv4 when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:Enum="IPv4";"IPv6"
	Ethertype *string `json:"ethertype,omitempty"`
	// Protocol, such as tcp, or its number; any when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=40
	Protocol *string `json:"protocol,omitempty"`
	// Ports; type and code for ICMP. Any when empty. It cannot be changed after creation.
	// +optional
	PortRange *SecurityGroupRulePortRange `json:"portRange,omitempty"`
	// Addresses on the other side. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	RemoteIPPrefix *string `json:"remoteIPPrefix,omitempty"`
	// Group of the ports on the other side. It cannot be changed after creation.
	// +optional
	RemoteGroupRef *Reference `json:"remoteGroupRef,omitempty"`
	// Addresses on the other side. It cannot be changed after creation.
	// +optional
	RemoteAddressGroupRef *Reference `json:"remoteAddressGroupRef,omitempty"`
}

// SecurityGroupRulePortRange is what portRange has in it.
type SecurityGroupRulePortRange struct {
	// First port, or the type.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	Min *int64 `json:"min,omitempty"`
	// Last port, or the code.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	Max *int64 `json:"max,omitempty"`
}

// SecurityGroupRuleList is a list of objects of kind SecurityGroupRule.
// +kubebuilder:object:root=true
type SecurityGroupRuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SecurityGroupRule `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *SecurityGroupRule) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *SecurityGroupRule) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *SecurityGroupRule) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *SecurityGroupRule) Observed() *ResourceStatus { return &o.Status }

// Port is where a server or something else is plugged into a network.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=ports,categories=openstack,shortName=osport
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Port struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec PortSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// PortSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type PortSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *PortResource `json:"resource,omitempty"`
}

// PortResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.networkRef == oldSelf.networkRef",message="networkRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.deviceID) ? has(oldSelf.deviceID) && self.deviceID == oldSelf.deviceID : !(has(oldSelf.deviceID))",message="deviceID cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.deviceOwner) ? has(oldSelf.deviceOwner) && self.deviceOwner == oldSelf.deviceOwner : !(has(oldSelf.deviceOwner))",message="deviceOwner cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.deviceProfile) ? has(oldSelf.deviceProfile) && self.deviceProfile == oldSelf.deviceProfile : !(has(oldSelf.deviceProfile))",message="deviceProfile cannot be changed after creation: put back what was there, or delete the object and make another"
type PortResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Whether it is in operation.
	// +optional
	AdminStateUp *bool `json:"adminStateUp,omitempty"`
	// Words by which it is found, at most 50.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Network that it is in. It cannot be changed after creation.
	NetworkRef Reference `json:"networkRef"`
	// Its addresses; one of each version when empty.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Addresses []PortAddresses `json:"addresses,omitzero"`
	// Its hardware address; only administrators change it.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	MACAddress *string `json:"macAddress,omitempty"`
	// More addresses that it may send from.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	AllowedAddressPairs []PortAllowedAddressPairs `json:"allowedAddressPairs,omitzero"`
	// What may pass.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	SecurityGroupRefs []Reference `json:"securityGroupRefs,omitzero"`
	// Whether it is filtered at all.
	// +optional
	// +kubebuilder:validation:Enum="Disabled";"Enabled"
	PortSecurity *string `json:"portSecurity,omitempty"`
	// What it is plugged into, when that is not a server of Nova. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DeviceID *string `json:"deviceID,omitempty"`
	// Kind of that thing. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DeviceOwner *string `json:"deviceOwner,omitempty"`
	// Name of the port in DNS.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DNSName *string `json:"dnsName,omitempty"`
	// Domain of that name.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DNSDomain *string `json:"dnsDomain,omitempty"`
	// More that it is told by DHCP.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	ExtraDHCPOpts []PortExtraDHCPOpts `json:"extraDHCPOpts,omitzero"`
	// Limits of the port. `{none: true}` says that there is none.
	// +optional
	QoSPolicyRef *ReferenceOrNone `json:"qosPolicyRef,omitempty"`
	// Whether the card is beside the server's processors.
	// +optional
	// +kubebuilder:validation:Enum="legacy";"preferred";"required";"socket"
	NumaAffinityPolicy *string `json:"numaAffinityPolicy,omitempty"`
	// Profile of Cyborg for an accelerator. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DeviceProfile *string `json:"deviceProfile,omitempty"`
	// Kind of card that the server gets.
	// +optional
	// +kubebuilder:validation:Enum="accelerator-direct";"accelerator-direct-physical";"baremetal";"direct";"direct-physical";"macvtap";"normal";"remote-managed";"smart-nic";"vdpa";"virtio-forwarder"
	VNICType *string `json:"vnicType,omitempty"`
	// Host that it is on; for administrators.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	HostID *string `json:"hostID,omitempty"`
	// What the network's driver is told; for administrators.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	BindingProfile *apiextensionsv1.JSON `json:"bindingProfile,omitempty"`
	// Whether the server sees when the host's cable is out.
	// +optional
	PropagateUplinkStatus *bool `json:"propagateUplinkStatus,omitempty"`
	// Whether the server may change the card's settings; for administrators.
	// +optional
	TrustedVIF *bool `json:"trustedVIF,omitempty"`
}

// PortAddresses is what addresses has in it.
type PortAddresses struct {
	// The address; a free one of the subnet when empty.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	IP *string `json:"ip,omitempty"`
	// Subnet that the address is of.
	// +optional
	SubnetRef *Reference `json:"subnetRef,omitempty"`
}

// PortAllowedAddressPairs is what allowedAddressPairs has in it.
type PortAllowedAddressPairs struct {
	// Address or range.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	IP string `json:"ip"`
	// Hardware address; that of the port when empty.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	MAC *string `json:"mac,omitempty"`
}

// PortExtraDHCPOpts is what extraDHCPOpts has in it.
type PortExtraDHCPOpts struct {
	// Name of the option, such as bootfile-name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Name string `json:"name"`
	// Its value.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Value string `json:"value"`
	// Version of IP; 4 when empty.
	// +optional
	// +kubebuilder:validation:Minimum=4
	// +kubebuilder:validation:Maximum=6
	IPVersion *int64 `json:"ipVersion,omitempty"`
}

// PortList is a list of objects of kind Port.
// +kubebuilder:object:root=true
type PortList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Port `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Port) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Port) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Port) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Port) Observed() *ResourceStatus { return &o.Status }

// Trunk lets one port of a server carry several networks, each with a VLAN.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=trunks,categories=openstack,shortName=ostrunk
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Trunk struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec TrunkSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// TrunkSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type TrunkSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *TrunkResource `json:"resource,omitempty"`
}

// TrunkResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.portRef == oldSelf.portRef",message="portRef cannot be changed after creation: put back what was there, or delete the object and make another"
type TrunkResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Whether it is in operation.
	// +optional
	AdminStateUp *bool `json:"adminStateUp,omitempty"`
	// Words by which it is found, at most 50.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Port that the server sees. It cannot be changed after creation.
	PortRef Reference `json:"portRef"`
	// Ports that are carried.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Subports []TrunkSubports `json:"subports,omitzero"`
}

// TrunkSubports is what subports has in it.
type TrunkSubports struct {
	// Port in the network that is carried.
	PortRef Reference `json:"portRef"`
	// VLAN that the server sees.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4094
	SegmentationID *int64 `json:"segmentationID,omitempty"`
	// Whether the VLAN is given or that of the network.
	// +optional
	// +kubebuilder:validation:Enum="inherit";"vlan"
	SegmentationType *string `json:"segmentationType,omitempty"`
}

// TrunkList is a list of objects of kind Trunk.
// +kubebuilder:object:root=true
type TrunkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Trunk `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Trunk) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Trunk) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Trunk) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Trunk) Observed() *ResourceStatus { return &o.Status }

// Router connects networks with each other and with the outside.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=routers,categories=openstack,shortName=osrouter
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Router struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec RouterSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// RouterSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type RouterSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *RouterResource `json:"resource,omitempty"`
}

// RouterResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.availabilityZoneHints) ? has(oldSelf.availabilityZoneHints) && self.availabilityZoneHints == oldSelf.availabilityZoneHints : !(has(oldSelf.availabilityZoneHints))",message="availabilityZoneHints cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.flavorID) ? has(oldSelf.flavorID) && self.flavorID == oldSelf.flavorID : !(has(oldSelf.flavorID))",message="flavorID cannot be changed after creation: put back what was there, or delete the object and make another"
type RouterResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Whether it is in operation.
	// +optional
	AdminStateUp *bool `json:"adminStateUp,omitempty"`
	// Words by which it is found, at most 50.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Way to the outside. `{none: true}` says that there is none.
	// +optional
	ExternalGateway *RouterExternalGateway `json:"externalGateway,omitempty"`
	// More routes.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Routes []RouterRoutes `json:"routes,omitzero"`
	// Whether it is on all hosts; changes only while adminStateUp is false.
	// +optional
	Distributed *bool `json:"distributed,omitempty"`
	// Whether a second host takes over; changes only while adminStateUp is false.
	// +optional
	HA *bool `json:"ha,omitempty"`
	// Whether single addresses of IPv6 can be reached from outside.
	// +optional
	EnableNDPProxy *bool `json:"enableNDPProxy,omitempty"`
	// Zones in which it is. It cannot be changed after creation.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	AvailabilityZoneHints []string `json:"availabilityZoneHints,omitzero"`
	// Id of the flavor, which says how it is made. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=36
	FlavorID *string `json:"flavorID,omitempty"`
}

// RouterExternalGateway is what externalGateway has in it.
// +kubebuilder:validation:XValidation:rule="has(self.none) ? !(has(self.networkRef) || has(self.enableSNAT) || has(self.addresses) || has(self.qosPolicyRef)) : has(self.networkRef)",message="set networkRef, or none alone"
type RouterExternalGateway struct {
	// External network.
	// +optional
	NetworkRef *Reference `json:"networkRef,omitempty"`
	// Whether addresses are translated on the way out.
	// +optional
	EnableSNAT *bool `json:"enableSNAT,omitempty"`
	// The router's addresses there.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Addresses []RouterExternalGatewayAddresses `json:"addresses,omitzero"`
	// Limits of the way. `{none: true}` says that there is none.
	// +optional
	QoSPolicyRef *ReferenceOrNone `json:"qosPolicyRef,omitempty"`
	// True says that there is none, and stands alone.
	// +optional
	// +kubebuilder:validation:Enum=true
	None *bool `json:"none,omitempty"`
}

// RouterExternalGatewayAddresses is what addresses has in it.
type RouterExternalGatewayAddresses struct {
	// The address; a free one of the subnet when empty.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	IP *string `json:"ip,omitempty"`
	// Subnet that the address is of.
	// +optional
	SubnetRef *Reference `json:"subnetRef,omitempty"`
}

// RouterRoutes is what routes has in it.
type RouterRoutes struct {
	// Where it leads, as 198.51.100.0/24.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Destination string `json:"destination"`
	// Address by which it leads there.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	NextHop string `json:"nextHop"`
}

// RouterList is a list of objects of kind Router.
// +kubebuilder:object:root=true
type RouterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Router `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Router) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Router) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Router) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Router) Observed() *ResourceStatus { return &o.Status }

// RouterInterface connects a router with a subnet.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=routerinterfaces,categories=openstack,shortName=osrouterinterface
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type RouterInterface struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec RouterInterfaceSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// RouterInterfaceSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type RouterInterfaceSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *RouterInterfaceResource `json:"resource,omitempty"`
}

// RouterInterfaceResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.routerRef == oldSelf.routerRef",message="routerRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.subnetRef) ? has(oldSelf.subnetRef) && self.subnetRef == oldSelf.subnetRef : !(has(oldSelf.subnetRef))",message="subnetRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.portRef) ? has(oldSelf.portRef) && self.portRef == oldSelf.portRef : !(has(oldSelf.portRef))",message="portRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="[has(self.subnetRef), has(self.portRef)].exists_one(x, x)",message="set exactly one of subnetRef, portRef"
type RouterInterfaceResource struct {
	// Router that is connected. It cannot be changed after creation.
	RouterRef Reference `json:"routerRef"`
	// Subnet, whose gateway the router becomes. It cannot be changed after creation.
	// +optional
	SubnetRef *Reference `json:"subnetRef,omitempty"`
	// Port, for another address than the gateway's. It cannot be changed after creation.
	// +optional
	PortRef *Reference `json:"portRef,omitempty"`
}

// RouterInterfaceList is a list of objects of kind RouterInterface.
// +kubebuilder:object:root=true
type RouterInterfaceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []RouterInterface `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *RouterInterface) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *RouterInterface) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *RouterInterface) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *RouterInterface) Observed() *ResourceStatus { return &o.Status }

// FloatingIP is an address of an external network that leads to a port.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=floatingips,categories=openstack,shortName=osfloatingip
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type FloatingIP struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec FloatingIPSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// FloatingIPSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
type FloatingIPSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *FloatingIPResource `json:"resource,omitempty"`
}

// FloatingIPResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.floatingNetworkRef == oldSelf.floatingNetworkRef",message="floatingNetworkRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.floatingSubnetRef) ? has(oldSelf.floatingSubnetRef) && self.floatingSubnetRef == oldSelf.floatingSubnetRef : !(has(oldSelf.floatingSubnetRef))",message="floatingSubnetRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.floatingIP) ? has(oldSelf.floatingIP) && self.floatingIP == oldSelf.floatingIP : !(has(oldSelf.floatingIP))",message="floatingIP cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.dnsName) ? has(oldSelf.dnsName) && self.dnsName == oldSelf.dnsName : !(has(oldSelf.dnsName))",message="dnsName cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.dnsDomain) ? has(oldSelf.dnsDomain) && self.dnsDomain == oldSelf.dnsDomain : !(has(oldSelf.dnsDomain))",message="dnsDomain cannot be changed after creation: put back what was there, or delete the object and make another"
type FloatingIPResource struct {
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Words by which it is found, at most 50.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// External network that it is of. It cannot be changed after creation.
	FloatingNetworkRef Reference `json:"floatingNetworkRef"`
	// Subnet of that network that it is from. It cannot be changed after creation.
	// +optional
	FloatingSubnetRef *Reference `json:"floatingSubnetRef,omitempty"`
	// A certain address; for administrators. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	FloatingIP *string `json:"floatingIP,omitempty"`
	// Port that it leads to; another one can be named at any time. `{none: true}` says that there is none.
	// +optional
	PortRef *ReferenceOrNone `json:"portRef,omitempty"`
	// Address of the port, when it has several.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	FixedIP *string `json:"fixedIP,omitempty"`
	// Limits of the address. `{none: true}` says that there is none.
	// +optional
	QoSPolicyRef *ReferenceOrNone `json:"qosPolicyRef,omitempty"`
	// Name of the address in DNS. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DNSName *string `json:"dnsName,omitempty"`
	// Domain of that name. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DNSDomain *string `json:"dnsDomain,omitempty"`
	// Whether it is on the server's host; for OVN.
	// +optional
	Distributed *bool `json:"distributed,omitempty"`
}

// FloatingIPList is a list of objects of kind FloatingIP.
// +kubebuilder:object:root=true
type FloatingIPList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []FloatingIP `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *FloatingIP) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *FloatingIP) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *FloatingIP) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *FloatingIP) Observed() *ResourceStatus { return &o.Status }

// PortForwarding lets a port of a floating IP lead to a port of a server.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=portforwardings,categories=openstack,shortName=osportforwarding
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type PortForwarding struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec PortForwardingSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// PortForwardingSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare floatingIPRef in spec.resource, with an import too: it is found there only"
type PortForwardingSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *PortForwardingResource `json:"resource,omitempty"`
}

// PortForwardingResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.floatingIPRef == oldSelf.floatingIPRef",message="floatingIPRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="[has(self.externalPort), has(self.externalPortRange)].exists_one(x, x)",message="set exactly one of externalPort, externalPortRange"
// +kubebuilder:validation:XValidation:rule="[has(self.internalPort), has(self.internalPortRange)].exists_one(x, x)",message="set exactly one of internalPort, internalPortRange"
type PortForwardingResource struct {
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Address that people connect to. It cannot be changed after creation.
	FloatingIPRef Reference `json:"floatingIPRef"`
	// Protocol.
	// +kubebuilder:validation:Enum="dccp";"icmp";"ipv6-icmp";"sctp";"tcp";"udp"
	Protocol string `json:"protocol"`
	// Port in Neutron that it leads to.
	InternalPortRef Reference `json:"internalPortRef"`
	// Address of that port.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	InternalIP string `json:"internalIP"`
	// Number that people connect to.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	ExternalPort *int64 `json:"externalPort,omitempty"`
	// Number that the server listens on.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	InternalPort *int64 `json:"internalPort,omitempty"`
	// Numbers that people connect to, as 8000:8010.
	// +optional
	// +kubebuilder:validation:MaxLength=11
	// +kubebuilder:validation:Pattern="^[0-9]+(:[0-9]+)?$"
	ExternalPortRange *string `json:"externalPortRange,omitempty"`
	// Numbers that the server listens on: as many, or one.
	// +optional
	// +kubebuilder:validation:MaxLength=11
	// +kubebuilder:validation:Pattern="^[0-9]+(:[0-9]+)?$"
	InternalPortRange *string `json:"internalPortRange,omitempty"`
}

// PortForwardingList is a list of objects of kind PortForwarding.
// +kubebuilder:object:root=true
type PortForwardingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PortForwarding `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *PortForwarding) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *PortForwarding) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *PortForwarding) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *PortForwarding) Observed() *ResourceStatus { return &o.Status }

// RBACPolicy lets a project use what another one owns.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=rbacpolicies,categories=openstack,shortName=osrbacpolicy
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type RBACPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec RBACPolicySpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// RBACPolicySpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
type RBACPolicySpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *RBACPolicyResource `json:"resource,omitempty"`
}

// RBACPolicyResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.objectType == oldSelf.objectType",message="objectType cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.objectRef == oldSelf.objectRef",message="objectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.action == oldSelf.action",message="action cannot be changed after creation: put back what was there, or delete the object and make another"
type RBACPolicyResource struct {
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Kind of what is used. It cannot be changed after creation.
	// +kubebuilder:validation:Enum="address_group";"address_scope";"network";"qos_policy";"security_group";"subnetpool"
	ObjectType string `json:"objectType"`
	// What is used. It cannot be changed after creation.
	ObjectRef Reference `json:"objectRef"`
	// How it is used. It cannot be changed after creation.
	// +kubebuilder:validation:Enum="access_as_external";"access_as_shared"
	Action string `json:"action"`
	// Project that may use it; the id * is all.
	TargetProjectRef Reference `json:"targetProjectRef"`
}

// RBACPolicyList is a list of objects of kind RBACPolicy.
// +kubebuilder:object:root=true
type RBACPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []RBACPolicy `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *RBACPolicy) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *RBACPolicy) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *RBACPolicy) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *RBACPolicy) Observed() *ResourceStatus { return &o.Status }

// NetworkQuota limits what a project may have in Neutron; its deletion brings the defaults back.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=network"
// +kubebuilder:resource:path=networkquotas,categories=openstack,shortName=osnetworkquota
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type NetworkQuota struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec NetworkQuotaSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// NetworkQuotaSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type NetworkQuotaSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *NetworkQuotaResource `json:"resource,omitempty"`
}

// NetworkQuotaResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
type NetworkQuotaResource struct {
	// Project that is limited; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Networks. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Network *int64 `json:"network,omitempty"`
	// Subnets. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Subnet *int64 `json:"subnet,omitempty"`
	// Subnet pools. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Subnetpool *int64 `json:"subnetpool,omitempty"`
	// Ports. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Port *int64 `json:"port,omitempty"`
	// Routers. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Router *int64 `json:"router,omitempty"`
	// Floating IPs. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Floatingip *int64 `json:"floatingip,omitempty"`
	// Security groups. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	SecurityGroup *int64 `json:"securityGroup,omitempty"`
	// Rules of security groups. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	SecurityGroupRule *int64 `json:"securityGroupRule,omitempty"`
	// RBAC policies. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	RBACPolicy *int64 `json:"rbacPolicy,omitempty"`
	// Trunks. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Trunk *int64 `json:"trunk,omitempty"`
}

// NetworkQuotaList is a list of objects of kind NetworkQuota.
// +kubebuilder:object:root=true
type NetworkQuotaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []NetworkQuota `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *NetworkQuota) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *NetworkQuota) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *NetworkQuota) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *NetworkQuota) Observed() *ResourceStatus { return &o.Status }
