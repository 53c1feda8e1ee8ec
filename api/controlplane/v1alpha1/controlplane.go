package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// ConfirmDeletion is the annotation that confirms the deletion of a live control plane; its value is the object's name.
const ConfirmDeletion = "controlplane.stackwright.dev/confirm-deletion"

// Size picks replicas, resources and volumes of every service at once; a service's own fields win over it.
// +kubebuilder:validation:Enum=dev;small;medium;large
// +kubebuilder:validation:MaxLength=16
type Size string

// The sizes of a control plane.
const (
	// SizeDev is one replica of everything, for one machine of 8 GiB.
	SizeDev Size = "dev"
	// SizeSmall survives the loss of a node; for some ten hypervisors.
	SizeSmall Size = "small"
	// SizeMedium is for some hundred hypervisors.
	SizeMedium Size = "medium"
	// SizeLarge is for a thousand hypervisors.
	SizeLarge Size = "large"
)

// DeletionPolicy says what becomes of data when the control plane is deleted.
// +kubebuilder:validation:Enum=Retain;Delete
// +kubebuilder:validation:MaxLength=16
type DeletionPolicy string

// The deletion policies.
const (
	// Retain keeps databases, volumes and keys: a control plane of the same name takes them up again.
	Retain DeletionPolicy = "Retain"
	// Delete removes databases, volumes and keys for good.
	Delete DeletionPolicy = "Delete"
)

// TLS says how the control plane encrypts its traffic.
type TLS struct {
	// Disabled turns encryption off, inside and outside.
	// +optional
	Disabled bool `json:"disabled,omitempty"`
	// CASecret names a Secret with tls.crt and tls.key of the authority that signs all certificates. Empty: the control
	// plane makes one of its own, <name>-ca, and keeps it.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	CASecret string `json:"caSecret,omitempty"`
}

// OpenStackControlPlaneSpec says which OpenStack is wanted.
// +kubebuilder:validation:XValidation:rule="!self.?notifications.orValue(false) || !has(self.services) || !has(self.services.rabbitmq) || self.services.rabbitmq.?enabled.orValue(true)",message="services send notifications over rabbitmq: enable rabbitmq, or turn notifications off"
type OpenStackControlPlaneSpec struct {
	// Release names the OpenStackRelease that runs. A higher release upgrades; a lower one is refused.
	// +optional
	// +kubebuilder:default=epoxy
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="release is the name of an OpenStackRelease, such as epoxy; kubectl get openstackreleases lists them"
	Release string `json:"release,omitempty"`
	// Size picks replicas, resources and volumes of every service at once; a service's own fields win over it. A smaller
	// one leaves volumes as large as they are, and Galera its members: neither can shrink.
	// +optional
	// +kubebuilder:default=small
	Size Size `json:"size,omitempty"`
	// Region is the name of the region in the service catalog. It cannot be changed later.
	// +optional
	// +kubebuilder:default=RegionOne
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="region cannot be changed: it is in the service catalog and in every client's configuration; make a second control plane for a second region"
	Region string `json:"region,omitempty"`
	// TLS says how the control plane encrypts its traffic. On unless disabled.
	// +optional
	TLS TLS `json:"tls,omitzero"`
	// StorageClass of all volumes; empty takes the cluster's default. Bound volumes keep theirs, as do
	// galera, rabbitmq and ovn when they get more members.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="storageClass is the name of a StorageClass as kubectl get storageclass lists it: lower-case letters, digits, dashes and dots"
	StorageClass string `json:"storageClass,omitempty"`
	// DeletionPolicy says what becomes of data when the control plane is deleted.
	// +optional
	// +kubebuilder:default=Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
	// ConfirmDeletion repeats the object's name before a control plane that has been deployed may be deleted. The
	// annotation controlplane.stackwright.dev/confirm-deletion does the same.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ConfirmDeletion string `json:"confirmDeletion,omitempty"`
	// Notifications lets all services tell of changes over RabbitMQ, and the operator listen, so that what is changed
	// behind its back is found at once. Single services do so with a field of their own. Secret <name>-notifications is
	// for further Clouds that want to hear.
	// +optional
	Notifications bool `json:"notifications,omitempty"`
	// Paused stops all changes by the operator until it is false again.
	// +optional
	Paused bool `json:"paused,omitempty"`
	// Services says which services run, and how, where that differs from the size. A name that is no service is refused.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Services Services `json:"services,omitzero"`
}

// Endpoint tells where a service of the control plane answers.
type Endpoint struct {
	// Service such as keystone.
	// +kubebuilder:validation:MaxLength=63
	Service string `json:"service"`
	// Public is the URL for users of the cloud.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Public string `json:"public,omitempty"`
	// Internal is the URL for services and pods in the cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Internal string `json:"internal,omitempty"`
}

// OpenStackControlPlaneStatus tells what the control plane is.
type OpenStackControlPlaneStatus struct {
	owner.Status `json:",inline"`

	// Release that the services are set to run.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Release string `json:"release,omitempty"`
	// OpenStack is the version of that release. Lower ones are refused.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	OpenStack string `json:"openstack,omitempty"`
	// DeployedRelease is the last release with which all services were ready. When it is set the control plane is live:
	// its deletion has to be confirmed.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	DeployedRelease string `json:"deployedRelease,omitempty"`
	// Endpoints tell where services answer.
	// +optional
	// +listType=map
	// +listMapKey=service
	// +kubebuilder:validation:MaxItems=64
	Endpoints []Endpoint `json:"endpoints,omitempty"`
	// Clouds names the Secret with clouds.yaml, as `stackwright clouds-yaml` prints it.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Clouds string `json:"clouds,omitempty"`
}

// OpenStackControlPlane is one OpenStack: databases, queues and every API, by the objects of their own operators.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=oscp,categories=stackwright
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="RELEASE",type=string,JSONPath=`.status.release`
// +kubebuilder:printcolumn:name="SIZE",type=string,JSONPath=`.spec.size`
// +kubebuilder:printcolumn:name="IDENTITY",type=string,JSONPath=`.status.endpoints[?(@.service=="keystone")].public`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$') && size(self.metadata.name) <= 30",message="the name begins the names of all objects of the control plane: at most 30 lower-case letters, digits and dashes, beginning with a letter"
type OpenStackControlPlane struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which OpenStack is wanted.
	// +optional
	Spec OpenStackControlPlaneSpec `json:"spec,omitzero"`
	// Status tells what the control plane is.
	// +optional
	Status OpenStackControlPlaneStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (o *OpenStackControlPlane) KitStatus() *owner.Status { return &o.Status.Status }

// Paused tells whether the operator leaves the object alone.
func (o *OpenStackControlPlane) Paused() bool { return o.Spec.Paused }

// OpenStackControlPlaneList is a list of OpenStackControlPlane.
// +kubebuilder:object:root=true
type OpenStackControlPlaneList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OpenStackControlPlane `json:"items"`
}
