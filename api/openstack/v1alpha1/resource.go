package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// Object is an object of any kind that stands for an OpenStack resource.
// +kubebuilder:object:generate=false
type Object interface {
	owner.Object
	// Common returns what the specs of all kinds have in common, never nil.
	Common() *ResourceSpec
	// Declared returns spec.resource, a pointer that may be nil.
	Declared() any
	// Observed returns the status, never nil.
	Observed() *ResourceStatus
}

// ResourceSpec is what the specs of all kinds have in common.
type ResourceSpec struct {
	// CloudRef names the cloud that the resource is in. Empty: the Cloud named default in this namespace, or else the
	// ClusterCloud named default.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cloudRef cannot be changed: the resource would be left behind; make another object"
	CloudRef *CloudReference `json:"cloudRef,omitempty"`
	// Policy is a name for a set of policies. managed: observe, create, update and delete. observe: change nothing.
	// adopt: managed, and a resource that exists with the same name is taken over. detach: managed, but deletion of the
	// object leaves the resource.
	// +optional
	// +kubebuilder:default=managed
	// +kubebuilder:validation:Enum=managed;observe;adopt;detach
	Policy string `json:"policy,omitempty"`
	// Policies say one by one what may be done to the resource, in place of policy. Recreate allows to delete the resource
	// and to make it again when a field differs that cannot be changed.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:items:Enum=Observe;Create;Update;Delete;Recreate
	Policies []string `json:"policies,omitempty"`
	// Import takes over a resource that exists rather than making one.
	// +optional
	Import *Import `json:"import,omitempty"`
	// Drift says what happens when the resource differs from what is declared. Correct changes it back, Report tells in
	// status.drift and sends nothing, Ignore does not look.
	// +optional
	// +kubebuilder:default=Correct
	// +kubebuilder:validation:Enum=Correct;Report;Ignore
	Drift string `json:"drift,omitempty"`
	// IgnorePaths are the fields of spec.resource in which drift is left alone, such as tags.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=255
	IgnorePaths []string `json:"ignorePaths,omitempty"`
	// Extra is sent with the declared fields as it is, by the names of the API, for what this kind has no field for.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Extra *apiextensionsv1.JSON `json:"extra,omitempty"`
	// Microversion of the API by which the resource is talked about; the lowest that knows the declared fields when empty.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:Pattern="^[0-9]+\\.[0-9]+$"
	Microversion string `json:"microversion,omitempty"`
}

// CloudReference names a cloud.
type CloudReference struct {
	// Kind is Cloud, in the same namespace, or ClusterCloud.
	// +optional
	// +kubebuilder:default=Cloud
	// +kubebuilder:validation:Enum=Cloud;ClusterCloud
	Kind string `json:"kind,omitempty"`
	// Name of the cloud.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// Import says which resource is taken over.
// +kubebuilder:validation:XValidation:rule="has(self.id) != has(self.filter)",message="set either id or filter"
type Import struct {
	// ID of the resource in OpenStack.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	ID string `json:"id,omitempty"`
	// Filter has fields of spec.resource and the values by which exactly one resource is found. A field that refers to
	// another object takes an id, under the name of the API, such as projectID.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=16
	Filter map[string]Text `json:"filter,omitempty"`
}

// Text is a string in a map, with an end.
// +kubebuilder:validation:MaxLength=1024
type Text string

// Reference names another resource: one of name, id and external.
// +kubebuilder:validation:XValidation:rule="[has(self.name), has(self.id), has(self.external)].exists_one(x, x)",message="set exactly one of name, id and external"
// +kubebuilder:validation:XValidation:rule="!has(self.__namespace__) || has(self.name)",message="namespace says where the object is; set name, too"
type Reference struct {
	// Name of the object that stands for the resource.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
	// Namespace of that object when it is another one than this object's. A ReferenceGrant there has to allow it, and both
	// objects have to be in the same ClusterCloud.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
	// ID of the resource in OpenStack, which nothing here stands for.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	ID string `json:"id,omitempty"`
	// External finds a resource in OpenStack which nothing here stands for, such as a flavor that all projects see.
	// +optional
	External *External `json:"external,omitempty"`
}

// ReferenceOrNone names another resource, or says that there is none: one of name, id, external and none. It takes the
// place of a Reference where OpenStack lets a field be emptied; a field that is left out is not looked at.
// +kubebuilder:validation:XValidation:rule="[has(self.name), has(self.id), has(self.external), has(self.none)].exists_one(x, x)",message="set exactly one of name, id, external and none"
// +kubebuilder:validation:XValidation:rule="!has(self.__namespace__) || has(self.name)",message="namespace says where the object is; set name, too"
type ReferenceOrNone struct {
	// Name of the object that stands for the resource.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
	// Namespace of that object when it is another one than this object's. A ReferenceGrant there has to allow it, and both
	// objects have to be in the same ClusterCloud.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
	// ID of the resource in OpenStack, which nothing here stands for.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	ID string `json:"id,omitempty"`
	// External finds a resource in OpenStack which nothing here stands for, such as a flavor that all projects see.
	// +optional
	External *External `json:"external,omitempty"`
	// None is true when there is to be none: what is there is taken away.
	// +optional
	// +kubebuilder:validation:Enum=true
	None *bool `json:"none,omitempty"`
}

// External finds one resource in OpenStack.
// +kubebuilder:validation:XValidation:rule="has(self.name) || has(self.filter)",message="set name, filter or both"
type External struct {
	// Name of the resource.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name string `json:"name,omitempty"`
	// Filter has fields and the values by which exactly one resource is found.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=16
	Filter map[string]Text `json:"filter,omitempty"`
}

// SecretKey names a key of a Secret in the namespace of the object.
type SecretKey struct {
	// Name of the Secret.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Key in the Secret.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// ResourceStatus is what is known of a resource.
type ResourceStatus struct {
	owner.Status `json:",inline"`

	// ID of the resource in OpenStack.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	ID string `json:"id,omitempty"`
	// Cloud that the resource is in: the one that spec.cloudRef names, or stood for when it is empty. It stays when
	// another one becomes the default.
	// +optional
	Cloud *CloudReference `json:"cloud,omitempty"`
	// State of the resource as OpenStack tells it, such as ACTIVE.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	State string `json:"state,omitempty"`
	// Resource has the fields of the resource as OpenStack showed them last.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Resource *apiextensionsv1.JSON `json:"resource,omitempty"`
	// Drift lists in what the resource differs from what is declared.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Drift []Difference `json:"drift,omitempty"`
	// LastSyncTime is when the resource was last made, changed or seen to have changed.
	// +optional
	LastSyncTime metav1.Time `json:"lastSyncTime,omitzero"`
}

// Difference is one field in which a resource differs from what is declared.
type Difference struct {
	// Path of the field in spec.resource.
	// +kubebuilder:validation:MaxLength=255
	Path string `json:"path"`
	// Desired value, as JSON, cut after 256 characters.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Desired string `json:"desired,omitempty"`
	// Actual value, as JSON, cut after 256 characters.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Actual string `json:"actual,omitempty"`
}
