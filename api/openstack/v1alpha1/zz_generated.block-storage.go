// Code generated from internal/resources/kinds. DO NOT EDIT.

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// VolumeQoS limits the speed of the volumes of a type.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=block-storage"
// +kubebuilder:resource:path=volumeqoses,categories=openstack,shortName=osvolumeqos
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type VolumeQoS struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec VolumeQoSSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// VolumeQoSSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type VolumeQoSSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *VolumeQoSResource `json:"resource,omitempty"`
}

// VolumeQoSResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.name) ? has(oldSelf.name) && self.name == oldSelf.name : !(has(oldSelf.name))",message="name cannot be changed after creation: put back what was there, or delete the object and make another"
type VolumeQoSResource struct {
	// Name in OpenStack; that of the object when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// Who keeps the limits: Cinder's back end or the hypervisor.
	// +optional
	// +kubebuilder:validation:Enum="back-end";"both";"front-end"
	Consumer *string `json:"consumer,omitempty"`
	// Limits such as total_iops_sec.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Specs map[string]Text `json:"specs,omitzero"`
}

// VolumeQoSList is a list of objects of kind VolumeQoS.
// +kubebuilder:object:root=true
type VolumeQoSList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VolumeQoS `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *VolumeQoS) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *VolumeQoS) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *VolumeQoS) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *VolumeQoS) Observed() *ResourceStatus { return &o.Status }

// VolumeType says which back end makes a volume, and how.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=block-storage"
// +kubebuilder:resource:path=volumetypes,categories=openstack,shortName=osvolumetype
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type VolumeType struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec VolumeTypeSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// VolumeTypeSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type VolumeTypeSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *VolumeTypeResource `json:"resource,omitempty"`
}

// VolumeTypeResource has what is declared of the resource.
type VolumeTypeResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description *string `json:"description,omitempty"`
	// Whether all projects may use it.
	// +optional
	IsPublic *bool `json:"isPublic,omitempty"`
	// What the back end is told, such as volume_backend_name.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	ExtraSpecs map[string]Text `json:"extraSpecs,omitzero"`
	// Limits of the volumes' speed. `{none: true}` says that there is none.
	// +optional
	QoSRef *ReferenceOrNone `json:"qosRef,omitempty"`
}

// VolumeTypeList is a list of objects of kind VolumeType.
// +kubebuilder:object:root=true
type VolumeTypeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VolumeType `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *VolumeType) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *VolumeType) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *VolumeType) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *VolumeType) Observed() *ResourceStatus { return &o.Status }

// VolumeTypeAccess lets a project use a volume type that is not public.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=block-storage"
// +kubebuilder:resource:path=volumetypeaccesses,categories=openstack,shortName=osvolumetypeaccess
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type VolumeTypeAccess struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec VolumeTypeAccessSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// VolumeTypeAccessSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type VolumeTypeAccessSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *VolumeTypeAccessResource `json:"resource,omitempty"`
}

// VolumeTypeAccessResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.volumeTypeRef == oldSelf.volumeTypeRef",message="volumeTypeRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.projectRef == oldSelf.projectRef",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
type VolumeTypeAccessResource struct {
	// Type that may be used. It cannot be changed after creation.
	VolumeTypeRef Reference `json:"volumeTypeRef"`
	// Project that may use it. It cannot be changed after creation.
	ProjectRef Reference `json:"projectRef"`
}

// VolumeTypeAccessList is a list of objects of kind VolumeTypeAccess.
// +kubebuilder:object:root=true
type VolumeTypeAccessList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VolumeTypeAccess `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *VolumeTypeAccess) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *VolumeTypeAccess) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *VolumeTypeAccess) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *VolumeTypeAccess) Observed() *ResourceStatus { return &o.Status }

// Volume is a disk that lives apart from servers.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=block-storage"
// +kubebuilder:resource:path=volumes,categories=openstack,shortName=osvolume
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Volume struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec VolumeSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// VolumeSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type VolumeSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *VolumeResource `json:"resource,omitempty"`
}

// VolumeResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.availabilityZone) ? has(oldSelf.availabilityZone) && self.availabilityZone == oldSelf.availabilityZone : !(has(oldSelf.availabilityZone))",message="availabilityZone cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.imageRef) ? has(oldSelf.imageRef) && self.imageRef == oldSelf.imageRef : !(has(oldSelf.imageRef))",message="imageRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.snapshotRef) ? has(oldSelf.snapshotRef) && self.snapshotRef == oldSelf.snapshotRef : !(has(oldSelf.snapshotRef))",message="snapshotRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.sourceVolumeRef) ? has(oldSelf.sourceVolumeRef) && self.sourceVolumeRef == oldSelf.sourceVolumeRef : !(has(oldSelf.sourceVolumeRef))",message="sourceVolumeRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.backupRef) ? has(oldSelf.backupRef) && self.backupRef == oldSelf.backupRef : !(has(oldSelf.backupRef))",message="backupRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.schedulerHints) ? has(oldSelf.schedulerHints) && self.schedulerHints == oldSelf.schedulerHints : !(has(oldSelf.schedulerHints))",message="schedulerHints cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="[has(self.imageRef), has(self.snapshotRef), has(self.sourceVolumeRef), has(self.backupRef)].filter(x, x).size() < 2",message="set at most one of imageRef, snapshotRef, sourceVolumeRef, backupRef"
type VolumeResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description *string `json:"description,omitempty"`
	// Size in GiB; it can only grow.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	Size int64 `json:"size"`
	// Type; another one moves the data when it has to.
	// +optional
	VolumeTypeRef *Reference `json:"volumeTypeRef,omitempty"`
	// Zone in which it is. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	AvailabilityZone *string `json:"availabilityZone,omitempty"`
	// Image whose data it gets. It cannot be changed after creation.
	// +optional
	ImageRef *Reference `json:"imageRef,omitempty"`
	// Snapshot whose data it gets. It cannot be changed after creation.
	// +optional
	SnapshotRef *Reference `json:"snapshotRef,omitempty"`
	// Volume whose data it gets. It cannot be changed after creation.
	// +optional
	SourceVolumeRef *Reference `json:"sourceVolumeRef,omitempty"`
	// The same of a backup. It cannot be changed after creation. It needs microversion 3.47.
	// +optional
	BackupRef *Reference `json:"backupRef,omitempty"`
	// Words for programs.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Metadata map[string]Text `json:"metadata,omitzero"`
	// Whether servers can only read it.
	// +optional
	Readonly *bool `json:"readonly,omitempty"`
	// Whether servers can boot from it.
	// +optional
	Bootable *bool `json:"bootable,omitempty"`
	// Wishes for the back end, such as same_host. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	SchedulerHints map[string]Text `json:"schedulerHints,omitzero"`
}

// VolumeList is a list of objects of kind Volume.
// +kubebuilder:object:root=true
type VolumeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Volume `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Volume) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Volume) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Volume) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Volume) Observed() *ResourceStatus { return &o.Status }

// Snapshot is the state of a volume at a time.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=block-storage"
// +kubebuilder:resource:path=snapshots,categories=openstack,shortName=ossnapshot
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Snapshot struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec SnapshotSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// SnapshotSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type SnapshotSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *SnapshotResource `json:"resource,omitempty"`
}

// SnapshotResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.volumeRef == oldSelf.volumeRef",message="volumeRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.force) ? has(oldSelf.force) && self.force == oldSelf.force : !(has(oldSelf.force))",message="force cannot be changed after creation: put back what was there, or delete the object and make another"
type SnapshotResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description *string `json:"description,omitempty"`
	// Volume whose state it is. It cannot be changed after creation.
	VolumeRef Reference `json:"volumeRef"`
	// Whether it is made though a server uses the volume; since 3.66 it is. It cannot be changed after creation.
	// +optional
	Force *bool `json:"force,omitempty"`
	// Words for programs.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Metadata map[string]Text `json:"metadata,omitzero"`
}

// SnapshotList is a list of objects of kind Snapshot.
// +kubebuilder:object:root=true
type SnapshotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Snapshot `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Snapshot) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Snapshot) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Snapshot) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Snapshot) Observed() *ResourceStatus { return &o.Status }

// Backup is a copy of a volume in another store.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=block-storage"
// +kubebuilder:resource:path=backups,categories=openstack,shortName=osbackup
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Backup struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec BackupSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// BackupSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type BackupSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *BackupResource `json:"resource,omitempty"`
}

// BackupResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.volumeRef == oldSelf.volumeRef",message="volumeRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.snapshotRef) ? has(oldSelf.snapshotRef) && self.snapshotRef == oldSelf.snapshotRef : !(has(oldSelf.snapshotRef))",message="snapshotRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.container) ? has(oldSelf.container) && self.container == oldSelf.container : !(has(oldSelf.container))",message="container cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.incremental) ? has(oldSelf.incremental) && self.incremental == oldSelf.incremental : !(has(oldSelf.incremental))",message="incremental cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.force) ? has(oldSelf.force) && self.force == oldSelf.force : !(has(oldSelf.force))",message="force cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.availabilityZone) ? has(oldSelf.availabilityZone) && self.availabilityZone == oldSelf.availabilityZone : !(has(oldSelf.availabilityZone))",message="availabilityZone cannot be changed after creation: put back what was there, or delete the object and make another"
type BackupResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description *string `json:"description,omitempty"`
	// Volume that is copied. It cannot be changed after creation.
	VolumeRef Reference `json:"volumeRef"`
	// Snapshot of the volume that is copied in its place. It cannot be changed after creation.
	// +optional
	SnapshotRef *Reference `json:"snapshotRef,omitempty"`
	// Container in the store. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Container *string `json:"container,omitempty"`
	// Whether it holds only what changed since the last. It cannot be changed after creation.
	// +optional
	Incremental *bool `json:"incremental,omitempty"`
	// Whether it is made though a server uses the volume. It cannot be changed after creation.
	// +optional
	Force *bool `json:"force,omitempty"`
	// Zone of the service that makes it. It cannot be changed after creation. It needs microversion 3.51.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	AvailabilityZone *string `json:"availabilityZone,omitempty"`
	// Words for programs. It needs microversion 3.43.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Metadata map[string]Text `json:"metadata,omitzero"`
}

// BackupList is a list of objects of kind Backup.
// +kubebuilder:object:root=true
type BackupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Backup `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Backup) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Backup) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Backup) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Backup) Observed() *ResourceStatus { return &o.Status }

// VolumeQuota limits what a project may have in Cinder; its deletion brings the defaults back.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=block-storage"
// +kubebuilder:resource:path=volumequotas,categories=openstack,shortName=osvolumequota
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type VolumeQuota struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec VolumeQuotaSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// VolumeQuotaSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type VolumeQuotaSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *VolumeQuotaResource `json:"resource,omitempty"`
}

// VolumeQuotaResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
type VolumeQuotaResource struct {
	// Project that is limited; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Volumes. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Volumes *int64 `json:"volumes,omitempty"`
	// Snapshots. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Snapshots *int64 `json:"snapshots,omitempty"`
	// GiB of volumes and snapshots. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Gigabytes *int64 `json:"gigabytes,omitempty"`
	// GiB of one volume. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	PerVolumeGigabytes *int64 `json:"perVolumeGigabytes,omitempty"`
	// Backups. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Backups *int64 `json:"backups,omitempty"`
	// GiB of backups. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	BackupGigabytes *int64 `json:"backupGigabytes,omitempty"`
	// Groups of volumes. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	Groups *int64 `json:"groups,omitempty"`
}

// VolumeQuotaList is a list of objects of kind VolumeQuota.
// +kubebuilder:object:root=true
type VolumeQuotaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VolumeQuota `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *VolumeQuota) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *VolumeQuota) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *VolumeQuota) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *VolumeQuota) Observed() *ResourceStatus { return &o.Status }
