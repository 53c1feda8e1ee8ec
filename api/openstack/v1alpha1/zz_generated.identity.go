// Code generated from internal/resources/kinds. DO NOT EDIT.

package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// Region is a region of the service catalog; its id is its name.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=regions,categories=openstack,shortName=osregion
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Region struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec RegionSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// RegionSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type RegionSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *RegionResource `json:"resource,omitempty"`
}

// RegionResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.name) ? has(oldSelf.name) && self.name == oldSelf.name : !(has(oldSelf.name))",message="name cannot be changed after creation: put back what was there, or delete the object and make another"
type RegionResource struct {
	// Name of the region in the catalog. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Region that this one is a part of. `{none: true}` says that there is none.
	// +optional
	ParentRef *ReferenceOrNone `json:"parentRef,omitempty"`
}

// RegionList is a list of objects of kind Region.
// +kubebuilder:object:root=true
type RegionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Region `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Region) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Region) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Region) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Region) Observed() *ResourceStatus { return &o.Status }

// Domain is a namespace of users, groups and projects.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=domains,categories=openstack,shortName=osdomain
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Domain struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec DomainSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// DomainSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type DomainSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *DomainResource `json:"resource,omitempty"`
}

// DomainResource has what is declared of the resource.
type DomainResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Whether its users can log in.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
}

// DomainList is a list of objects of kind Domain.
// +kubebuilder:object:root=true
type DomainList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Domain `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Domain) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Domain) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Domain) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Domain) Observed() *ResourceStatus { return &o.Status }

// Project owns the resources of other services.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=projects,categories=openstack,shortName=osproject
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Project struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ProjectSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ProjectSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type ProjectSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ProjectResource `json:"resource,omitempty"`
}

// ProjectResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.domainRef) ? has(oldSelf.domainRef) && self.domainRef == oldSelf.domainRef : !(has(oldSelf.domainRef))",message="domainRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.parentRef) ? has(oldSelf.parentRef) && self.parentRef == oldSelf.parentRef : !(has(oldSelf.parentRef))",message="parentRef cannot be changed after creation: put back what was there, or delete the object and make another"
type ProjectResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Domain of the resource; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	DomainRef *Reference `json:"domainRef,omitempty"`
	// Project that this one is a part of. It cannot be changed after creation.
	// +optional
	ParentRef *Reference `json:"parentRef,omitempty"`
	// Whether people can work in the project.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// Words by which projects are found, at most 80.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
}

// ProjectList is a list of objects of kind Project.
// +kubebuilder:object:root=true
type ProjectList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Project `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Project) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Project) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Project) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Project) Observed() *ResourceStatus { return &o.Status }

// User is somebody, or some program, who can log in.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=users,categories=openstack,shortName=osuser
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type User struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec UserSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// UserSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type UserSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *UserResource `json:"resource,omitempty"`
}

// UserResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.domainRef) ? has(oldSelf.domainRef) && self.domainRef == oldSelf.domainRef : !(has(oldSelf.domainRef))",message="domainRef cannot be changed after creation: put back what was there, or delete the object and make another"
type UserResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Domain of the resource; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	DomainRef *Reference `json:"domainRef,omitempty"`
	// Project of a login that names none. `{none: true}` says that there is none.
	// +optional
	DefaultProjectRef *ReferenceOrNone `json:"defaultProjectRef,omitempty"`
	// Whether the user can log in.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// Address of the user; Keystone keeps it and sends nothing.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Email *string `json:"email,omitempty"`
	// Password of the user. A changed Secret changes the password.
	// +optional
	PasswordRef *SecretKey `json:"passwordRef,omitempty"`
	// Options of Keystone for the user, such as lock_password.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Options *apiextensionsv1.JSON `json:"options,omitempty"`
}

// UserList is a list of objects of kind User.
// +kubebuilder:object:root=true
type UserList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []User `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *User) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *User) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *User) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *User) Observed() *ResourceStatus { return &o.Status }

// Group is a set of users that roles are given to.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=groups,categories=openstack,shortName=osgroup
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Group struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec GroupSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// GroupSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type GroupSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *GroupResource `json:"resource,omitempty"`
}

// GroupResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.domainRef) ? has(oldSelf.domainRef) && self.domainRef == oldSelf.domainRef : !(has(oldSelf.domainRef))",message="domainRef cannot be changed after creation: put back what was there, or delete the object and make another"
type GroupResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Domain of the resource; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	DomainRef *Reference `json:"domainRef,omitempty"`
}

// GroupList is a list of objects of kind Group.
// +kubebuilder:object:root=true
type GroupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Group `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Group) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Group) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Group) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Group) Observed() *ResourceStatus { return &o.Status }

// GroupMembership puts a user into a group.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=groupmemberships,categories=openstack,shortName=osgroupmembership
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type GroupMembership struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec GroupMembershipSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// GroupMembershipSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type GroupMembershipSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *GroupMembershipResource `json:"resource,omitempty"`
}

// GroupMembershipResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.groupRef == oldSelf.groupRef",message="groupRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.userRef == oldSelf.userRef",message="userRef cannot be changed after creation: put back what was there, or delete the object and make another"
type GroupMembershipResource struct {
	// Group that gets the user. It cannot be changed after creation.
	GroupRef Reference `json:"groupRef"`
	// User that comes into the group. It cannot be changed after creation.
	UserRef Reference `json:"userRef"`
}

// GroupMembershipList is a list of objects of kind GroupMembership.
// +kubebuilder:object:root=true
type GroupMembershipList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []GroupMembership `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *GroupMembership) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *GroupMembership) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *GroupMembership) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *GroupMembership) Observed() *ResourceStatus { return &o.Status }

// Role is a name for what users may do; policies of the services say what that is.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=roles,categories=openstack,shortName=osrole
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Role struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec RoleSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// RoleSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type RoleSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *RoleResource `json:"resource,omitempty"`
}

// RoleResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.domainRef) ? has(oldSelf.domainRef) && self.domainRef == oldSelf.domainRef : !(has(oldSelf.domainRef))",message="domainRef cannot be changed after creation: put back what was there, or delete the object and make another"
type RoleResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Domain of the resource; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	DomainRef *Reference `json:"domainRef,omitempty"`
}

// RoleList is a list of objects of kind Role.
// +kubebuilder:object:root=true
type RoleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Role `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Role) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Role) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Role) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Role) Observed() *ResourceStatus { return &o.Status }

// RoleInference lets one role imply another.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=roleinferences,categories=openstack,shortName=osroleinference
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type RoleInference struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec RoleInferenceSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// RoleInferenceSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type RoleInferenceSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *RoleInferenceResource `json:"resource,omitempty"`
}

// RoleInferenceResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.priorRoleRef == oldSelf.priorRoleRef",message="priorRoleRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.impliedRoleRef == oldSelf.impliedRoleRef",message="impliedRoleRef cannot be changed after creation: put back what was there, or delete the object and make another"
type RoleInferenceResource struct {
	// Role that implies the other. It cannot be changed after creation.
	PriorRoleRef Reference `json:"priorRoleRef"`
	// Role that who has the first one has too. It cannot be changed after creation.
	ImpliedRoleRef Reference `json:"impliedRoleRef"`
}

// RoleInferenceList is a list of objects of kind RoleInference.
// +kubebuilder:object:root=true
type RoleInferenceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []RoleInference `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *RoleInference) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *RoleInference) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *RoleInference) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *RoleInference) Observed() *ResourceStatus { return &o.Status }

// RoleAssignment gives a role to a user or group, in a project, a domain or the whole system.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=roleassignments,categories=openstack,shortName=osroleassignment
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type RoleAssignment struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec RoleAssignmentSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// RoleAssignmentSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type RoleAssignmentSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *RoleAssignmentResource `json:"resource,omitempty"`
}

// RoleAssignmentResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.roleRef == oldSelf.roleRef",message="roleRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.userRef) ? has(oldSelf.userRef) && self.userRef == oldSelf.userRef : !(has(oldSelf.userRef))",message="userRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.groupRef) ? has(oldSelf.groupRef) && self.groupRef == oldSelf.groupRef : !(has(oldSelf.groupRef))",message="groupRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.domainRef) ? has(oldSelf.domainRef) && self.domainRef == oldSelf.domainRef : !(has(oldSelf.domainRef))",message="domainRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.system) ? has(oldSelf.system) && self.system == oldSelf.system : !(has(oldSelf.system))",message="system cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.inherited) ? has(oldSelf.inherited) && self.inherited == oldSelf.inherited : !(has(oldSelf.inherited))",message="inherited cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="[has(self.userRef), has(self.groupRef)].exists_one(x, x)",message="set exactly one of userRef, groupRef"
// +kubebuilder:validation:XValidation:rule="[has(self.projectRef), has(self.domainRef), has(self.system)].exists_one(x, x)",message="set exactly one of projectRef, domainRef, system"
type RoleAssignmentResource struct {
	// Role that is given. It cannot be changed after creation.
	RoleRef Reference `json:"roleRef"`
	// User that gets the role. It cannot be changed after creation.
	// +optional
	UserRef *Reference `json:"userRef,omitempty"`
	// Group whose users get the role. It cannot be changed after creation.
	// +optional
	GroupRef *Reference `json:"groupRef,omitempty"`
	// Project in which the role counts. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Domain in which the role counts. It cannot be changed after creation.
	// +optional
	DomainRef *Reference `json:"domainRef,omitempty"`
	// The word system: the role counts for the cloud as a whole. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:Enum="system"
	System *string `json:"system,omitempty"`
	// The word inherited_to_projects: the role counts in all projects below rather than here. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:Enum="inherited_to_projects"
	Inherited *string `json:"inherited,omitempty"`
}

// RoleAssignmentList is a list of objects of kind RoleAssignment.
// +kubebuilder:object:root=true
type RoleAssignmentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []RoleAssignment `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *RoleAssignment) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *RoleAssignment) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *RoleAssignment) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *RoleAssignment) Observed() *ResourceStatus { return &o.Status }

// Service is an entry of the service catalog; its endpoints say where it is.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=services,categories=openstack,shortName=osservice
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Service struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ServiceSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ServiceSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type ServiceSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ServiceResource `json:"resource,omitempty"`
}

// ServiceResource has what is declared of the resource.
type ServiceResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Type of the service by which clients find it, such as compute.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Type string `json:"type"`
	// Whether the service is shown in the catalog.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
}

// ServiceList is a list of objects of kind Service.
// +kubebuilder:object:root=true
type ServiceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Service `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Service) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Service) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Service) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Service) Observed() *ResourceStatus { return &o.Status }

// Endpoint is the address of a service in a region.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=endpoints,categories=openstack,shortName=osendpoint
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Endpoint struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec EndpointSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// EndpointSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
type EndpointSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *EndpointResource `json:"resource,omitempty"`
}

// EndpointResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.serviceRef == oldSelf.serviceRef",message="serviceRef cannot be changed after creation: put back what was there, or delete the object and make another"
type EndpointResource struct {
	// Service that answers there. It cannot be changed after creation.
	ServiceRef Reference `json:"serviceRef"`
	// Who the address is for.
	// +kubebuilder:validation:Enum="admin";"internal";"public"
	Interface string `json:"interface"`
	// Address of the service's API.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=225
	// +kubebuilder:validation:Pattern="^[a-zA-Z0-9+.-]+:.+"
	URL string `json:"url"`
	// Region in which the service is. `{none: true}` says that there is none.
	// +optional
	RegionRef *ReferenceOrNone `json:"regionRef,omitempty"`
	// Whether the address is shown in the catalog.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
}

// EndpointList is a list of objects of kind Endpoint.
// +kubebuilder:object:root=true
type EndpointList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Endpoint `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Endpoint) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Endpoint) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Endpoint) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Endpoint) Observed() *ResourceStatus { return &o.Status }

// ApplicationCredential lets a program log in as a user, in one project and with some of the roles.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=applicationcredentials,categories=openstack,shortName=osapplicationcredential
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type ApplicationCredential struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ApplicationCredentialSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ApplicationCredentialSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type ApplicationCredentialSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ApplicationCredentialResource `json:"resource,omitempty"`
}

// ApplicationCredentialResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.userRef) ? has(oldSelf.userRef) && self.userRef == oldSelf.userRef : !(has(oldSelf.userRef))",message="userRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.name) ? has(oldSelf.name) && self.name == oldSelf.name : !(has(oldSelf.name))",message="name cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.description) ? has(oldSelf.description) && self.description == oldSelf.description : !(has(oldSelf.description))",message="description cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.secretRef == oldSelf.secretRef",message="secretRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.expiresAt) ? has(oldSelf.expiresAt) && self.expiresAt == oldSelf.expiresAt : !(has(oldSelf.expiresAt))",message="expiresAt cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.unrestricted) ? has(oldSelf.unrestricted) && self.unrestricted == oldSelf.unrestricted : !(has(oldSelf.unrestricted))",message="unrestricted cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.roles) ? has(oldSelf.roles) && self.roles == oldSelf.roles : !(has(oldSelf.roles))",message="roles cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.accessRules) ? has(oldSelf.accessRules) && self.accessRules == oldSelf.accessRules : !(has(oldSelf.accessRules))",message="accessRules cannot be changed after creation: put back what was there, or delete the object and make another"
type ApplicationCredentialResource struct {
	// User as whom programs log in; that of the cloud's credentials, whom Keystone wants it to be. It cannot be changed after creation.
	// +optional
	UserRef *Reference `json:"userRef,omitempty"`
	// Name in OpenStack; that of the object when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
	// Word by which programs log in. It cannot be changed after creation.
	SecretRef SecretKey `json:"secretRef"`
	// Time after which it is void, as 2030-01-01T00:00:00Z. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ExpiresAt *string `json:"expiresAt,omitempty"`
	// Whether it may make other credentials and trusts. It cannot be changed after creation.
	// +optional
	Unrestricted *bool `json:"unrestricted,omitempty"`
	// Roles that it has; all of the user's when empty. It cannot be changed after creation.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Roles []ApplicationCredentialRoles `json:"roles,omitzero"`
	// Requests that it may be used for. It cannot be changed after creation.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	AccessRules []ApplicationCredentialAccessRules `json:"accessRules,omitzero"`
}

// ApplicationCredentialRoles is what roles has in it.
type ApplicationCredentialRoles struct {
	// Role of the user in the project.
	RoleRef Reference `json:"roleRef"`
}

// ApplicationCredentialAccessRules is what accessRules has in it.
type ApplicationCredentialAccessRules struct {
	// Path below the service's endpoint, such as /v2.1/servers.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=225
	Path string `json:"path"`
	// Method of HTTP.
	// +kubebuilder:validation:Enum="DELETE";"GET";"HEAD";"PATCH";"POST";"PUT"
	Method string `json:"method"`
	// Type of the service.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Service string `json:"service"`
}

// ApplicationCredentialList is a list of objects of kind ApplicationCredential.
// +kubebuilder:object:root=true
type ApplicationCredentialList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ApplicationCredential `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *ApplicationCredential) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *ApplicationCredential) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *ApplicationCredential) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *ApplicationCredential) Observed() *ResourceStatus { return &o.Status }

// EC2Credential is a pair of keys for the APIs of EC2 and S3. Keystone makes its id from the access key.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=ec2credentials,categories=openstack,shortName=osec2credential
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type EC2Credential struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec EC2CredentialSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// EC2CredentialSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
type EC2CredentialSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *EC2CredentialResource `json:"resource,omitempty"`
}

// EC2CredentialResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.userRef) ? has(oldSelf.userRef) && self.userRef == oldSelf.userRef : !(has(oldSelf.userRef))",message="userRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.projectRef == oldSelf.projectRef",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
type EC2CredentialResource struct {
	// User whom the keys stand for; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	UserRef *Reference `json:"userRef,omitempty"`
	// Project in which the keys are good. It cannot be changed after creation.
	ProjectRef Reference `json:"projectRef"`
	// Secret whose key holds both keys as JSON: {"access": "...", "secret": "..."}.
	KeysRef SecretKey `json:"keysRef"`
}

// EC2CredentialList is a list of objects of kind EC2Credential.
// +kubebuilder:object:root=true
type EC2CredentialList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []EC2Credential `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *EC2Credential) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *EC2Credential) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *EC2Credential) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *EC2Credential) Observed() *ResourceStatus { return &o.Status }

// RegisteredLimit is the default of a limit for all projects.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=registeredlimits,categories=openstack,shortName=osregisteredlimit
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type RegisteredLimit struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec RegisteredLimitSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// RegisteredLimitSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
type RegisteredLimitSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *RegisteredLimitResource `json:"resource,omitempty"`
}

// RegisteredLimitResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.serviceRef == oldSelf.serviceRef",message="serviceRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.regionRef) ? has(oldSelf.regionRef) && self.regionRef == oldSelf.regionRef : !(has(oldSelf.regionRef))",message="regionRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.resourceName == oldSelf.resourceName",message="resourceName cannot be changed after creation: put back what was there, or delete the object and make another"
type RegisteredLimitResource struct {
	// Service that keeps the limit. It cannot be changed after creation.
	ServiceRef Reference `json:"serviceRef"`
	// Region for which the limit is. It cannot be changed after creation.
	// +optional
	RegionRef *Reference `json:"regionRef,omitempty"`
	// What is limited, such as servers. It cannot be changed after creation.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	ResourceName string `json:"resourceName"`
	// How many a project may have; -1 is no limit.
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	DefaultLimit int64 `json:"defaultLimit"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
}

// RegisteredLimitList is a list of objects of kind RegisteredLimit.
// +kubebuilder:object:root=true
type RegisteredLimitList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []RegisteredLimit `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *RegisteredLimit) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *RegisteredLimit) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *RegisteredLimit) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *RegisteredLimit) Observed() *ResourceStatus { return &o.Status }

// Limit is a limit for one project or domain in place of the registered one.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=identity"
// +kubebuilder:resource:path=limits,categories=openstack,shortName=oslimit
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Limit struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec LimitSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// LimitSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
type LimitSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *LimitResource `json:"resource,omitempty"`
}

// LimitResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.domainRef) ? has(oldSelf.domainRef) && self.domainRef == oldSelf.domainRef : !(has(oldSelf.domainRef))",message="domainRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.serviceRef == oldSelf.serviceRef",message="serviceRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.regionRef) ? has(oldSelf.regionRef) && self.regionRef == oldSelf.regionRef : !(has(oldSelf.regionRef))",message="regionRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.resourceName == oldSelf.resourceName",message="resourceName cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="[has(self.projectRef), has(self.domainRef)].exists_one(x, x)",message="set exactly one of projectRef, domainRef"
type LimitResource struct {
	// Project that is limited. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Domain that is limited. It cannot be changed after creation.
	// +optional
	DomainRef *Reference `json:"domainRef,omitempty"`
	// Service that keeps the limit. It cannot be changed after creation.
	ServiceRef Reference `json:"serviceRef"`
	// Region for which the limit is. It cannot be changed after creation.
	// +optional
	RegionRef *Reference `json:"regionRef,omitempty"`
	// What is limited, such as servers. It cannot be changed after creation.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	ResourceName string `json:"resourceName"`
	// How many there may be; -1 is no limit. Keystone does not change it to 0: make the object anew for that.
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	ResourceLimit int64 `json:"resourceLimit"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description *string `json:"description,omitempty"`
}

// LimitList is a list of objects of kind Limit.
// +kubebuilder:object:root=true
type LimitList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Limit `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Limit) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Limit) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Limit) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Limit) Observed() *ResourceStatus { return &o.Status }
