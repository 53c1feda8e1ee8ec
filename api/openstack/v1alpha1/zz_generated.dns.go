// Code generated from internal/resources/kinds. DO NOT EDIT.

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// Zone is a domain whose names Designate serves; RecordSets are the names.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=dns"
// +kubebuilder:resource:path=zones,categories=openstack,shortName=oszone
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Zone struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ZoneSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ZoneSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
type ZoneSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ZoneResource `json:"resource,omitempty"`
}

// ZoneResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.name == oldSelf.name",message="name cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.type) ? has(oldSelf.type) && self.type == oldSelf.type : !(has(oldSelf.type))",message="type cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.attributes) ? has(oldSelf.attributes) && self.attributes == oldSelf.attributes : !(has(oldSelf.attributes))",message="attributes cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.poolID) ? has(oldSelf.poolID) && self.poolID == oldSelf.poolID : !(has(oldSelf.poolID))",message="poolID cannot be changed after creation: put back what was there, or delete the object and make another"
type ZoneResource struct {
	// The domain, which ends in a dot. It cannot be changed after creation.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern="\\.$"
	Name string `json:"name"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=160
	Description *string `json:"description,omitempty"`
	// Whether names are made here; PRIMARY when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:Enum="CATALOG";"PRIMARY";"SECONDARY"
	Type *string `json:"type,omitempty"`
	// Address of who answers for it; a primary zone needs it.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Email *string `json:"email,omitempty"`
	// Seconds for which others may remember names.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	TTL *int64 `json:"ttl,omitempty"`
	// Servers that a secondary zone is copied from.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Masters []string `json:"masters,omitzero"`
	// Wishes for the pool of servers. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Attributes map[string]Text `json:"attributes,omitzero"`
	// Id of the pool of servers; for administrators. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=36
	PoolID *string `json:"poolID,omitempty"`
}

// ZoneList is a list of objects of kind Zone.
// +kubebuilder:object:root=true
type ZoneList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Zone `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Zone) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Zone) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Zone) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Zone) Observed() *ResourceStatus { return &o.Status }

// RecordSet is a name of a zone, with the answers of one type.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=dns"
// +kubebuilder:resource:path=recordsets,categories=openstack,shortName=osrecordset
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type RecordSet struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec RecordSetSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// RecordSetSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare zoneRef in spec.resource, with an import too: it is found there only"
type RecordSetSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *RecordSetResource `json:"resource,omitempty"`
}

// RecordSetResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.zoneRef == oldSelf.zoneRef",message="zoneRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.name == oldSelf.name",message="name cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.type == oldSelf.type",message="type cannot be changed after creation: put back what was there, or delete the object and make another"
type RecordSetResource struct {
	// Zone of the name. It cannot be changed after creation.
	ZoneRef Reference `json:"zoneRef"`
	// The whole name, which ends in a dot. It cannot be changed after creation.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern="\\.$"
	Name string `json:"name"`
	// Type of the answers. It cannot be changed after creation.
	// +kubebuilder:validation:Enum="A";"AAAA";"CAA";"CERT";"CNAME";"MX";"NAPTR";"NS";"PTR";"SOA";"SPF";"SRV";"SSHFP";"TXT"
	Type string `json:"type"`
	// The answers, as in a zone file.
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=4096
	Records []string `json:"records"`
	// Seconds for which others may remember it; the zone's when empty.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	TTL *int64 `json:"ttl,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=160
	Description *string `json:"description,omitempty"`
}

// RecordSetList is a list of objects of kind RecordSet.
// +kubebuilder:object:root=true
type RecordSetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []RecordSet `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *RecordSet) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *RecordSet) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *RecordSet) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *RecordSet) Observed() *ResourceStatus { return &o.Status }

// TSIGKey is a word by which servers of DNS know each other.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=dns"
// +kubebuilder:resource:path=tsigkeys,categories=openstack,shortName=ostsigkey
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type TSIGKey struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec TSIGKeySpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// TSIGKeySpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type TSIGKeySpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *TSIGKeyResource `json:"resource,omitempty"`
}

// TSIGKeyResource has what is declared of the resource.
type TSIGKeyResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=160
	Name *string `json:"name,omitempty"`
	// Algorithm of the signatures.
	// +kubebuilder:validation:Enum="hmac-md5";"hmac-sha1";"hmac-sha224";"hmac-sha256";"hmac-sha384";"hmac-sha512"
	Algorithm string `json:"algorithm"`
	// The word, in base64.
	SecretRef SecretKey `json:"secretRef"`
	// What it is good for.
	// +kubebuilder:validation:Enum="POOL";"ZONE"
	Scope string `json:"scope"`
	// Zone, or the id of a pool.
	ResourceRef Reference `json:"resourceRef"`
}

// TSIGKeyList is a list of objects of kind TSIGKey.
// +kubebuilder:object:root=true
type TSIGKeyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []TSIGKey `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *TSIGKey) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *TSIGKey) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *TSIGKey) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *TSIGKey) Observed() *ResourceStatus { return &o.Status }

// ZoneTransferRequest offers a zone to another project.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=dns"
// +kubebuilder:resource:path=zonetransferrequests,categories=openstack,shortName=oszonetransferrequest
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type ZoneTransferRequest struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ZoneTransferRequestSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ZoneTransferRequestSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
type ZoneTransferRequestSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ZoneTransferRequestResource `json:"resource,omitempty"`
}

// ZoneTransferRequestResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.zoneRef == oldSelf.zoneRef",message="zoneRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.targetProjectRef) ? has(oldSelf.targetProjectRef) && self.targetProjectRef == oldSelf.targetProjectRef : !(has(oldSelf.targetProjectRef))",message="targetProjectRef cannot be changed after creation: put back what was there, or delete the object and make another"
type ZoneTransferRequestResource struct {
	// Zone that is offered. It cannot be changed after creation.
	ZoneRef Reference `json:"zoneRef"`
	// Project that may take it; any with the key when empty. It cannot be changed after creation.
	// +optional
	TargetProjectRef *Reference `json:"targetProjectRef,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=160
	Description *string `json:"description,omitempty"`
	// Secret that gets the key by which the zone is taken.
	// +optional
	KeyRef *SecretKey `json:"keyRef,omitempty"`
}

// ZoneTransferRequestList is a list of objects of kind ZoneTransferRequest.
// +kubebuilder:object:root=true
type ZoneTransferRequestList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ZoneTransferRequest `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *ZoneTransferRequest) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *ZoneTransferRequest) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *ZoneTransferRequest) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *ZoneTransferRequest) Observed() *ResourceStatus { return &o.Status }

// ZoneTransferAccept takes a zone that another project offers.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=dns"
// +kubebuilder:resource:path=zonetransferaccepts,categories=openstack,shortName=oszonetransferaccept
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type ZoneTransferAccept struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ZoneTransferAcceptSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ZoneTransferAcceptSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
type ZoneTransferAcceptSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ZoneTransferAcceptResource `json:"resource,omitempty"`
}

// ZoneTransferAcceptResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.transferRequestRef == oldSelf.transferRequestRef",message="transferRequestRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.keyRef == oldSelf.keyRef",message="keyRef cannot be changed after creation: put back what was there, or delete the object and make another"
type ZoneTransferAcceptResource struct {
	// The offer. It cannot be changed after creation.
	TransferRequestRef Reference `json:"transferRequestRef"`
	// Key of the offer. It cannot be changed after creation.
	KeyRef SecretKey `json:"keyRef"`
}

// ZoneTransferAcceptList is a list of objects of kind ZoneTransferAccept.
// +kubebuilder:object:root=true
type ZoneTransferAcceptList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ZoneTransferAccept `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *ZoneTransferAccept) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *ZoneTransferAccept) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *ZoneTransferAccept) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *ZoneTransferAccept) Observed() *ResourceStatus { return &o.Status }

// DNSQuota limits what a project may have in Designate; its deletion brings the defaults back.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=dns"
// +kubebuilder:resource:path=dnsquotas,categories=openstack,shortName=osdnsquota
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type DNSQuota struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec DNSQuotaSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// DNSQuotaSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type DNSQuotaSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *DNSQuotaResource `json:"resource,omitempty"`
}

// DNSQuotaResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
type DNSQuotaResource struct {
	// Project that is limited; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Zones. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Zones *int64 `json:"zones,omitempty"`
	// Record sets of a zone. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	ZoneRecordsets *int64 `json:"zoneRecordsets,omitempty"`
	// Records of a zone. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	ZoneRecords *int64 `json:"zoneRecords,omitempty"`
	// Records of a record set. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	RecordsetRecords *int64 `json:"recordsetRecords,omitempty"`
	// Records of an export. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	APIExportSize *int64 `json:"apiExportSize,omitempty"`
}

// DNSQuotaList is a list of objects of kind DNSQuota.
// +kubebuilder:object:root=true
type DNSQuotaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []DNSQuota `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *DNSQuota) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *DNSQuota) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *DNSQuota) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *DNSQuota) Observed() *ResourceStatus { return &o.Status }
