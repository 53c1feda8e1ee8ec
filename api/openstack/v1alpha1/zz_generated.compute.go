// Code generated from internal/resources/kinds. DO NOT EDIT.

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// Flavor is a size of servers.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=compute"
// +kubebuilder:resource:path=flavors,categories=openstack,shortName=osflavor
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Flavor struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec FlavorSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// FlavorSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type FlavorSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *FlavorResource `json:"resource,omitempty"`
}

// FlavorResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.name) ? has(oldSelf.name) && self.name == oldSelf.name : !(has(oldSelf.name))",message="name cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.id) ? has(oldSelf.id) && self.id == oldSelf.id : !(has(oldSelf.id))",message="id cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.ram == oldSelf.ram",message="ram cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.vcpus == oldSelf.vcpus",message="vcpus cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.disk == oldSelf.disk",message="disk cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.ephemeral) ? has(oldSelf.ephemeral) && self.ephemeral == oldSelf.ephemeral : !(has(oldSelf.ephemeral))",message="ephemeral cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.swap) ? has(oldSelf.swap) && self.swap == oldSelf.swap : !(has(oldSelf.swap))",message="swap cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.isPublic) ? has(oldSelf.isPublic) && self.isPublic == oldSelf.isPublic : !(has(oldSelf.isPublic))",message="isPublic cannot be changed after creation: put back what was there, or delete the object and make another"
type FlavorResource struct {
	// Name in OpenStack; that of the object when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// Id in OpenStack, for programs that expect a certain one; made from the object when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern="^[a-zA-Z0-9._-]([a-zA-Z0-9. _-]*[a-zA-Z0-9._-])?$"
	ID *string `json:"id,omitempty"`
	// A sentence for people. It needs microversion 2.55.
	// +optional
	// +kubebuilder:validation:MaxLength=65535
	Description *string `json:"description,omitempty"`
	// Memory in MiB. It cannot be changed after creation.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	RAM int64 `json:"ram"`
	// Number of processors. It cannot be changed after creation.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	VCPUs int64 `json:"vcpus"`
	// Size of the root disk in GiB; 0 takes the size of the image. It cannot be changed after creation.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	Disk int64 `json:"disk"`
	// Size of a second disk in GiB that is gone with the server. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	Ephemeral *int64 `json:"ephemeral,omitempty"`
	// Size of a disk for swapping in MiB. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	Swap *int64 `json:"swap,omitempty"`
	// Whether all projects may use it; when not, FlavorAccess says which may. It cannot be changed after creation.
	// +optional
	IsPublic *bool `json:"isPublic,omitempty"`
	// What the scheduler and the hypervisor are told, such as hw:cpu_policy.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	ExtraSpecs map[string]Text `json:"extraSpecs,omitzero"`
}

// FlavorList is a list of objects of kind Flavor.
// +kubebuilder:object:root=true
type FlavorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Flavor `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Flavor) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Flavor) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Flavor) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Flavor) Observed() *ResourceStatus { return &o.Status }

// FlavorAccess lets a project use a flavor that is not public.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=compute"
// +kubebuilder:resource:path=flavoraccesses,categories=openstack,shortName=osflavoraccess
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type FlavorAccess struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec FlavorAccessSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// FlavorAccessSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type FlavorAccessSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *FlavorAccessResource `json:"resource,omitempty"`
}

// FlavorAccessResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.flavorRef == oldSelf.flavorRef",message="flavorRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.projectRef == oldSelf.projectRef",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
type FlavorAccessResource struct {
	// Flavor that may be used. It cannot be changed after creation.
	FlavorRef Reference `json:"flavorRef"`
	// Project that may use it. It cannot be changed after creation.
	ProjectRef Reference `json:"projectRef"`
}

// FlavorAccessList is a list of objects of kind FlavorAccess.
// +kubebuilder:object:root=true
type FlavorAccessList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []FlavorAccess `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *FlavorAccess) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *FlavorAccess) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *FlavorAccess) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *FlavorAccess) Observed() *ResourceStatus { return &o.Status }

// KeyPair is the public key by which people log in to servers. It belongs to the cloud's user.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=compute"
// +kubebuilder:resource:path=keypairs,categories=openstack,shortName=oskeypair
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type KeyPair struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec KeyPairSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// KeyPairSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type KeyPairSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *KeyPairResource `json:"resource,omitempty"`
}

// KeyPairResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.name) ? has(oldSelf.name) && self.name == oldSelf.name : !(has(oldSelf.name))",message="name cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.publicKey == oldSelf.publicKey",message="publicKey cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.type) ? has(oldSelf.type) && self.type == oldSelf.type : !(has(oldSelf.type))",message="type cannot be changed after creation: put back what was there, or delete the object and make another"
type KeyPairResource struct {
	// Name in OpenStack; that of the object when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// Public key, as in authorized_keys, or a certificate. It cannot be changed after creation.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=16384
	PublicKey string `json:"publicKey"`
	// Type of the key; ssh when empty. It cannot be changed after creation. It needs microversion 2.2.
	// +optional
	// +kubebuilder:validation:Enum="ssh";"x509"
	Type *string `json:"type,omitempty"`
}

// KeyPairList is a list of objects of kind KeyPair.
// +kubebuilder:object:root=true
type KeyPairList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []KeyPair `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *KeyPair) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *KeyPair) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *KeyPair) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *KeyPair) Observed() *ResourceStatus { return &o.Status }

// ServerGroup keeps servers on the same host or on different hosts.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=compute"
// +kubebuilder:resource:path=servergroups,categories=openstack,shortName=osservergroup
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type ServerGroup struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ServerGroupSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ServerGroupSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type ServerGroupSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ServerGroupResource `json:"resource,omitempty"`
}

// ServerGroupResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.name) ? has(oldSelf.name) && self.name == oldSelf.name : !(has(oldSelf.name))",message="name cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.policy == oldSelf.policy",message="policy cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.rules) ? has(oldSelf.rules) && self.rules == oldSelf.rules : !(has(oldSelf.rules))",message="rules cannot be changed after creation: put back what was there, or delete the object and make another"
type ServerGroupResource struct {
	// Name in OpenStack; that of the object when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// Rule by which hosts are chosen; soft ones may be broken. It cannot be changed after creation. It needs microversion 2.64.
	// +kubebuilder:validation:Enum="affinity";"anti-affinity";"soft-affinity";"soft-anti-affinity"
	Policy string `json:"policy"`
	// Limits of the rule. It cannot be changed after creation. It needs microversion 2.64.
	// +optional
	Rules *ServerGroupRules `json:"rules,omitempty"`
}

// ServerGroupRules is what rules has in it.
type ServerGroupRules struct {
	// Servers of the group on one host; for anti-affinity.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	MaxServerPerHost *int64 `json:"maxServerPerHost,omitempty"`
}

// ServerGroupList is a list of objects of kind ServerGroup.
// +kubebuilder:object:root=true
type ServerGroupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ServerGroup `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *ServerGroup) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *ServerGroup) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *ServerGroup) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *ServerGroup) Observed() *ResourceStatus { return &o.Status }

// Server is a virtual machine, or a bare one.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=compute"
// +kubebuilder:resource:path=servers,categories=openstack,shortName=osserver
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Server struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ServerSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ServerSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type ServerSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ServerResource `json:"resource,omitempty"`
}

// ServerResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.keypairRef) ? has(oldSelf.keypairRef) && self.keypairRef == oldSelf.keypairRef : !(has(oldSelf.keypairRef))",message="keypairRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.userDataRef) ? has(oldSelf.userDataRef) && self.userDataRef == oldSelf.userDataRef : !(has(oldSelf.userDataRef))",message="userDataRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.blockDevices) ? has(oldSelf.blockDevices) && self.blockDevices == oldSelf.blockDevices : !(has(oldSelf.blockDevices))",message="blockDevices cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.ports) ? has(oldSelf.ports) && self.ports == oldSelf.ports : !(has(oldSelf.ports))",message="ports cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.securityGroups) ? has(oldSelf.securityGroups) && self.securityGroups == oldSelf.securityGroups : !(has(oldSelf.securityGroups))",message="securityGroups cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.availabilityZone) ? has(oldSelf.availabilityZone) && self.availabilityZone == oldSelf.availabilityZone : !(has(oldSelf.availabilityZone))",message="availabilityZone cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.configDrive) ? has(oldSelf.configDrive) && self.configDrive == oldSelf.configDrive : !(has(oldSelf.configDrive))",message="configDrive cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.host) ? has(oldSelf.host) && self.host == oldSelf.host : !(has(oldSelf.host))",message="host cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.hypervisorHostname) ? has(oldSelf.hypervisorHostname) && self.hypervisorHostname == oldSelf.hypervisorHostname : !(has(oldSelf.hypervisorHostname))",message="hypervisorHostname cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.trustedImageCertificates) ? has(oldSelf.trustedImageCertificates) && self.trustedImageCertificates == oldSelf.trustedImageCertificates : !(has(oldSelf.trustedImageCertificates))",message="trustedImageCertificates cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.schedulerHints) ? has(oldSelf.schedulerHints) && self.schedulerHints == oldSelf.schedulerHints : !(has(oldSelf.schedulerHints))",message="schedulerHints cannot be changed after creation: put back what was there, or delete the object and make another"
type ServerResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people. It needs microversion 2.19.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description *string `json:"description,omitempty"`
	// Size of the server; another one resizes it.
	FlavorRef Reference `json:"flavorRef"`
	// Image of the root disk; another one builds the disk anew.
	// +optional
	ImageRef *Reference `json:"imageRef,omitempty"`
	// Key by which people log in. It cannot be changed after creation.
	// +optional
	KeypairRef *Reference `json:"keypairRef,omitempty"`
	// Script or data for cloud-init. It cannot be changed after creation.
	// +optional
	UserDataRef *SecretKey `json:"userDataRef,omitempty"`
	// Words that the server can read.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Metadata map[string]Text `json:"metadata,omitzero"`
	// Words by which servers are found, at most 50. It needs microversion 2.52.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=60
	Tags []string `json:"tags,omitzero"`
	// Name that the server finds in its metadata. It needs microversion 2.90.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern="^[a-zA-Z0-9._-]*$"
	Hostname *string `json:"hostname,omitempty"`
	// Whether it runs; left alone when empty.
	// +optional
	// +kubebuilder:validation:Enum="running";"stopped"
	Power *string `json:"power,omitempty"`
	// Whether only administrators can change it.
	// +optional
	Locked *bool `json:"locked,omitempty"`
	// Who makes the file system fit the disk: Nova or the server.
	// +optional
	// +kubebuilder:validation:Enum="AUTO";"MANUAL"
	DiskConfig *string `json:"diskConfig,omitempty"`
	// Address of IPv4 that people are told.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	AccessIPv4 *string `json:"accessIPv4,omitempty"`
	// Address of IPv6 that people are told.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	AccessIPv6 *string `json:"accessIPv6,omitempty"`
	// Disks besides the flavor's, or in place of its root disk. It cannot be changed after creation.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	BlockDevices []ServerBlockDevices `json:"blockDevices,omitzero"`
	// Ports that it is made with; none when empty. ServerInterface adds more later. It cannot be changed after creation. It needs microversion 2.42.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Ports []ServerPorts `json:"ports,omitzero"`
	// Security groups of ports that Nova makes. It cannot be changed after creation.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	SecurityGroups []ServerSecurityGroups `json:"securityGroups,omitzero"`
	// Zone in which it runs. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	AvailabilityZone *string `json:"availabilityZone,omitempty"`
	// Whether metadata is on a disk besides the network. It cannot be changed after creation.
	// +optional
	ConfigDrive *bool `json:"configDrive,omitempty"`
	// Host on which it is made, for administrators. It cannot be changed after creation. It needs microversion 2.74.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Host *string `json:"host,omitempty"`
	// Hypervisor on which it is made, for administrators. It cannot be changed after creation. It needs microversion 2.74.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	HypervisorHostname *string `json:"hypervisorHostname,omitempty"`
	// Ids of certificates that may have signed the image. It cannot be changed after creation. It needs microversion 2.63.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	TrustedImageCertificates []string `json:"trustedImageCertificates,omitzero"`
	// Wishes for the host on which it runs. It cannot be changed after creation.
	// +optional
	SchedulerHints *ServerSchedulerHints `json:"schedulerHints,omitempty"`
}

// ServerBlockDevices is what blockDevices has in it.
type ServerBlockDevices struct {
	// What the disk is made from.
	// +kubebuilder:validation:Enum="blank";"image";"snapshot";"volume"
	SourceType string `json:"sourceType"`
	// Image, snapshot or volume of that type.
	// +optional
	SourceRef *Reference `json:"sourceRef,omitempty"`
	// Where the disk is: on the host or in Cinder.
	// +optional
	// +kubebuilder:validation:Enum="local";"volume"
	DestinationType *string `json:"destinationType,omitempty"`
	// Order of booting; the disk with 0 is the root disk.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=255
	BootIndex *int64 `json:"bootIndex,omitempty"`
	// Size in GiB.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	VolumeSize *int64 `json:"volumeSize,omitempty"`
	// Type of a volume that is made. It needs microversion 2.67.
	// +optional
	VolumeTypeRef *Reference `json:"volumeTypeRef,omitempty"`
	// Whether the disk is deleted with the server.
	// +optional
	DeleteOnTermination *bool `json:"deleteOnTermination,omitempty"`
	// Name of the device; most hypervisors choose themselves.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DeviceName *string `json:"deviceName,omitempty"`
	// Kind of device, such as disk or cdrom.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DeviceType *string `json:"deviceType,omitempty"`
	// Bus of the device, such as virtio.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DiskBus *string `json:"diskBus,omitempty"`
	// File system, such as swap.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	GuestFormat *string `json:"guestFormat,omitempty"`
	// Word by which the server finds the device in its metadata. It needs microversion 2.42.
	// +optional
	// +kubebuilder:validation:MaxLength=60
	// +kubebuilder:validation:Pattern="^[^,/]*$"
	Tag *string `json:"tag,omitempty"`
}

// ServerPorts is what ports has in it.
type ServerPorts struct {
	// Port that exists.
	// +optional
	PortRef *Reference `json:"portRef,omitempty"`
	// Network in which Nova makes a port; it goes with the server.
	// +optional
	NetworkRef *Reference `json:"networkRef,omitempty"`
	// Address in that network.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	FixedIP *string `json:"fixedIP,omitempty"`
	// Word by which the server finds the device in its metadata.
	// +optional
	// +kubebuilder:validation:MaxLength=60
	// +kubebuilder:validation:Pattern="^[^,/]*$"
	Tag *string `json:"tag,omitempty"`
}

// ServerSecurityGroups is what securityGroups has in it.
type ServerSecurityGroups struct {
	// Security group.
	SecurityGroupRef Reference `json:"securityGroupRef"`
}

// ServerSchedulerHints is what schedulerHints has in it.
type ServerSchedulerHints struct {
	// Group that the server is in.
	// +optional
	ServerGroupRef *Reference `json:"serverGroupRef,omitempty"`
	// Servers that are on other hosts.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	DifferentHostServerRefs []Reference `json:"differentHostServerRefs,omitzero"`
	// Servers that are on the same host.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	SameHostServerRefs []Reference `json:"sameHostServerRefs,omitzero"`
	// Address near which it is made.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	BuildNearHostIP *string `json:"buildNearHostIP,omitempty"`
	// Cell in which it is made.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	TargetCell *string `json:"targetCell,omitempty"`
	// Condition for the host, as JSON.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Query *string `json:"query,omitempty"`
}

// ServerList is a list of objects of kind Server.
// +kubebuilder:object:root=true
type ServerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Server `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Server) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Server) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Server) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Server) Observed() *ResourceStatus { return &o.Status }

// ServerVolumeAttachment attaches a volume to a server.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=compute"
// +kubebuilder:resource:path=servervolumeattachments,categories=openstack,shortName=osservervolumeattachment
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type ServerVolumeAttachment struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ServerVolumeAttachmentSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ServerVolumeAttachmentSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare serverRef in spec.resource, with an import too: it is found there only"
type ServerVolumeAttachmentSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ServerVolumeAttachmentResource `json:"resource,omitempty"`
}

// ServerVolumeAttachmentResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.serverRef == oldSelf.serverRef",message="serverRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.volumeRef == oldSelf.volumeRef",message="volumeRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.device) ? has(oldSelf.device) && self.device == oldSelf.device : !(has(oldSelf.device))",message="device cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.tag) ? has(oldSelf.tag) && self.tag == oldSelf.tag : !(has(oldSelf.tag))",message="tag cannot be changed after creation: put back what was there, or delete the object and make another"
type ServerVolumeAttachmentResource struct {
	// Server that gets the volume. It cannot be changed after creation.
	ServerRef Reference `json:"serverRef"`
	// Volume that is attached. It cannot be changed after creation.
	VolumeRef Reference `json:"volumeRef"`
	// Name of the device in the server, such as /dev/vdb; most hypervisors choose themselves. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern="^/dev/x?[a-z]?d?[a-z]+[0-9]*$"
	Device *string `json:"device,omitempty"`
	// Word by which the server finds the device in its metadata. It cannot be changed after creation. It needs microversion 2.49.
	// +optional
	// +kubebuilder:validation:MaxLength=60
	// +kubebuilder:validation:Pattern="^[^,/]*$"
	Tag *string `json:"tag,omitempty"`
	// Whether the volume is deleted with the server. It needs microversion 2.79.
	// +optional
	DeleteOnTermination *bool `json:"deleteOnTermination,omitempty"`
}

// ServerVolumeAttachmentList is a list of objects of kind ServerVolumeAttachment.
// +kubebuilder:object:root=true
type ServerVolumeAttachmentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ServerVolumeAttachment `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *ServerVolumeAttachment) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *ServerVolumeAttachment) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *ServerVolumeAttachment) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *ServerVolumeAttachment) Observed() *ResourceStatus { return &o.Status }

// ServerInterface attaches a port to a server.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=compute"
// +kubebuilder:resource:path=serverinterfaces,categories=openstack,shortName=osserverinterface
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type ServerInterface struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ServerInterfaceSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ServerInterfaceSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare serverRef in spec.resource, with an import too: it is found there only"
type ServerInterfaceSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ServerInterfaceResource `json:"resource,omitempty"`
}

// ServerInterfaceResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.serverRef == oldSelf.serverRef",message="serverRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.portRef == oldSelf.portRef",message="portRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.tag) ? has(oldSelf.tag) && self.tag == oldSelf.tag : !(has(oldSelf.tag))",message="tag cannot be changed after creation: put back what was there, or delete the object and make another"
type ServerInterfaceResource struct {
	// Server that gets the port. It cannot be changed after creation.
	ServerRef Reference `json:"serverRef"`
	// Port that is attached. It cannot be changed after creation.
	PortRef Reference `json:"portRef"`
	// Word by which the server finds the device in its metadata. It cannot be changed after creation. It needs microversion 2.49.
	// +optional
	// +kubebuilder:validation:MaxLength=60
	// +kubebuilder:validation:Pattern="^[^,/]*$"
	Tag *string `json:"tag,omitempty"`
}

// ServerInterfaceList is a list of objects of kind ServerInterface.
// +kubebuilder:object:root=true
type ServerInterfaceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ServerInterface `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *ServerInterface) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *ServerInterface) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *ServerInterface) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *ServerInterface) Observed() *ResourceStatus { return &o.Status }

// HostAggregate is a set of hosts with properties that the scheduler knows; AggregateHost puts hosts into it.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=compute"
// +kubebuilder:resource:path=hostaggregates,categories=openstack,shortName=oshostaggregate
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type HostAggregate struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec HostAggregateSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// HostAggregateSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type HostAggregateSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *HostAggregateResource `json:"resource,omitempty"`
}

// HostAggregateResource has what is declared of the resource.
type HostAggregateResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// Availability zone that its hosts make up. There can be another one, and never none again.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern="^[^:]*$"
	AvailabilityZone *string `json:"availabilityZone,omitempty"`
	// Properties of the hosts, which extra specs of flavors ask for.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Metadata map[string]Text `json:"metadata,omitzero"`
}

// HostAggregateList is a list of objects of kind HostAggregate.
// +kubebuilder:object:root=true
type HostAggregateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []HostAggregate `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *HostAggregate) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *HostAggregate) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *HostAggregate) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *HostAggregate) Observed() *ResourceStatus { return &o.Status }

// AggregateHost puts a host into an aggregate.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=compute"
// +kubebuilder:resource:path=aggregatehosts,categories=openstack,shortName=osaggregatehost
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type AggregateHost struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec AggregateHostSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// AggregateHostSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type AggregateHostSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *AggregateHostResource `json:"resource,omitempty"`
}

// AggregateHostResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.aggregateRef == oldSelf.aggregateRef",message="aggregateRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.host == oldSelf.host",message="host cannot be changed after creation: put back what was there, or delete the object and make another"
type AggregateHostResource struct {
	// Aggregate that gets the host. It cannot be changed after creation.
	AggregateRef Reference `json:"aggregateRef"`
	// Name of the host, as its nova-compute calls itself. It cannot be changed after creation.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern="^[a-zA-Z0-9._-]+$"
	Host string `json:"host"`
}

// AggregateHostList is a list of objects of kind AggregateHost.
// +kubebuilder:object:root=true
type AggregateHostList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []AggregateHost `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *AggregateHost) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *AggregateHost) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *AggregateHost) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *AggregateHost) Observed() *ResourceStatus { return &o.Status }

// ComputeQuota limits what a project may have in Nova; its deletion brings the defaults back.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=compute"
// +kubebuilder:resource:path=computequotas,categories=openstack,shortName=oscomputequota
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type ComputeQuota struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ComputeQuotaSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ComputeQuotaSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type ComputeQuotaSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ComputeQuotaResource `json:"resource,omitempty"`
}

// ComputeQuotaResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
type ComputeQuotaResource struct {
	// Project that is limited; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Processors of all servers. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Cores *int64 `json:"cores,omitempty"`
	// Servers. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Instances *int64 `json:"instances,omitempty"`
	// Memory of all servers in MiB. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	RAM *int64 `json:"ram,omitempty"`
	// Key pairs of a user. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	KeyPairs *int64 `json:"keyPairs,omitempty"`
	// Entries in the metadata of a server. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	MetadataItems *int64 `json:"metadataItems,omitempty"`
	// Server groups. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	ServerGroups *int64 `json:"serverGroups,omitempty"`
	// Servers in a group. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	ServerGroupMembers *int64 `json:"serverGroupMembers,omitempty"`
}

// ComputeQuotaList is a list of objects of kind ComputeQuota.
// +kubebuilder:object:root=true
type ComputeQuotaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ComputeQuota `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *ComputeQuota) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *ComputeQuota) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *ComputeQuota) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *ComputeQuota) Observed() *ResourceStatus { return &o.Status }
