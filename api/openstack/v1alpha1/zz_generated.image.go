// Code generated from internal/resources/kinds. DO NOT EDIT.

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// Image is what disks of servers are made from.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=image"
// +kubebuilder:resource:path=images,categories=openstack,shortName=osimage
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Image struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ImageSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ImageSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type ImageSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ImageResource `json:"resource,omitempty"`
}

// ImageResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.content) ? has(oldSelf.content) && self.content == oldSelf.content : !(has(oldSelf.content))",message="content cannot be changed after creation: put back what was there, or delete the object and make another"
type ImageResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// Data of the image. It cannot be changed after creation.
	// +optional
	Content *ImageContent `json:"content,omitempty"`
	// Who sees the image.
	// +optional
	// +kubebuilder:validation:Enum="community";"private";"public";"shared"
	Visibility *string `json:"visibility,omitempty"`
	// Whether it cannot be deleted.
	// +optional
	Protected *bool `json:"protected,omitempty"`
	// Whether lists leave it out.
	// +optional
	Hidden *bool `json:"hidden,omitempty"`
	// Project that owns it; others are for administrators.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Root disk that it needs, in GiB.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	MinDiskGB *int64 `json:"minDiskGB,omitempty"`
	// Memory that it needs, in MiB.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	MinMemoryMB *int64 `json:"minMemoryMB,omitempty"`
	// Words by which images are found.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Properties such as hw_disk_bus or os_distro.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Properties map[string]Text `json:"properties,omitzero"`
}

// ImageContent is what content has in it.
type ImageContent struct {
	// Format of what is around the disk; bare, which is nothing, when empty.
	// +optional
	// +kubebuilder:validation:Enum="aki";"ami";"ari";"bare";"compressed";"docker";"ova";"ovf"
	ContainerFormat *string `json:"containerFormat,omitempty"`
	// Format of the disk.
	// +kubebuilder:validation:Enum="aki";"ami";"ari";"iso";"ploop";"qcow2";"raw";"vdi";"vhd";"vhdx";"vmdk"
	DiskFormat string `json:"diskFormat"`
	// Where the data comes from; it is uploaded by others when empty. The cloud fetches it when it offers web-download and neither hash nor decompress is set, and the operator uploads it otherwise.
	// +optional
	Download *ImageContentDownload `json:"download,omitempty"`
}

// ImageContentDownload is what download has in it.
type ImageContentDownload struct {
	// Address of the data.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern="^https?://"
	URL string `json:"url"`
	// How the data is packed.
	// +optional
	// +kubebuilder:validation:Enum="bz2";"gz";"xz"
	Decompress *string `json:"decompress,omitempty"`
	// Sum that the data must have as it is downloaded, before it is unpacked.
	// +optional
	Hash *ImageContentDownloadHash `json:"hash,omitempty"`
}

// ImageContentDownloadHash is what hash has in it.
type ImageContentDownloadHash struct {
	// Algorithm of the sum.
	// +kubebuilder:validation:Enum="md5";"sha1";"sha256";"sha512"
	Algorithm string `json:"algorithm"`
	// The sum in hexadecimal digits.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern="^[0-9a-f]+$"
	Value string `json:"value"`
}

// ImageList is a list of objects of kind Image.
// +kubebuilder:object:root=true
type ImageList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Image `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Image) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Image) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Image) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Image) Observed() *ResourceStatus { return &o.Status }

// ImageMember shows an image to a project.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=image"
// +kubebuilder:resource:path=imagemembers,categories=openstack,shortName=osimagemember
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type ImageMember struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ImageMemberSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ImageMemberSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare imageRef in spec.resource, with an import too: it is found there only"
type ImageMemberSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ImageMemberResource `json:"resource,omitempty"`
}

// ImageMemberResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.imageRef == oldSelf.imageRef",message="imageRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.projectRef == oldSelf.projectRef",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
type ImageMemberResource struct {
	// Image that is shown. It cannot be changed after creation.
	ImageRef Reference `json:"imageRef"`
	// Project that sees it. It cannot be changed after creation.
	ProjectRef Reference `json:"projectRef"`
	// Whether the project lists it.
	// +optional
	// +kubebuilder:validation:Enum="accepted";"pending";"rejected"
	Status *string `json:"status,omitempty"`
}

// ImageMemberList is a list of objects of kind ImageMember.
// +kubebuilder:object:root=true
type ImageMemberList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ImageMember `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *ImageMember) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *ImageMember) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *ImageMember) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *ImageMember) Observed() *ResourceStatus { return &o.Status }
