package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// HeatSpec says which orchestration service is wanted.
type HeatSpec struct {
	CommonSpec `json:",inline"`

	// Database says where stacks are kept. Its deletionPolicy is that of the key that encrypts what is secret in them, and
	// of the domain with the users of stacks, too.
	Database Database `json:"database"`
	// Identity says where the service is known.
	Identity Identity `json:"identity"`
	// RabbitMQ names the RabbitMQ through which the APIs talk with the engines, and gets a MessageBus for it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	RabbitMQ string `json:"rabbitmq"`
	// Memcached names the Memcached that the service's programs share; empty lets them ask other services each time.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Memcached string `json:"memcached,omitempty"`
	// Notifications sends a message for each change of a stack.
	// A queue that nobody reads keeps the newest 16 MiB.
	// +optional
	Notifications bool `json:"notifications,omitempty"`
	// Domain is the name in Keystone of the domain with the users of stacks, which no other Heat may have.
	// +optional
	// +kubebuilder:default=heat
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="domain cannot be changed: the users of stacks would stay behind in the other one"
	Domain string `json:"domain,omitempty"`
	// CFN says how the API runs by which servers fetch what stacks have for them, and tell that they are done.
	// +optional
	// +kubebuilder:default={}
	CFN SecondAPI `json:"cfn,omitzero"`
	// Engine says how the program runs that makes stacks.
	// +optional
	// +kubebuilder:default={}
	Engine Worker `json:"engine,omitzero"`
	// Maintenance says when deleted stacks are removed from the database.
	// +optional
	// +kubebuilder:default={}
	Maintenance Maintenance `json:"maintenance,omitzero"`
}

// SecondAPI says how an API runs beside the service's own.
type SecondAPI struct {
	Worker `json:",inline"`
	// Expose says how users outside of the cluster reach it.
	// +optional
	Expose Expose `json:"expose,omitzero"`
}

// HeatStatus tells what the orchestration service is.
type HeatStatus struct {
	owner.Status  `json:",inline"`
	ServiceStatus `json:",inline"`
	// KeySecret names the Secret with the key that encrypts what is secret in stacks. Who loses it loses that.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	KeySecret string `json:"keySecret,omitempty"`
}

// Heat is the orchestration service of an OpenStack: stacks of resources, made from templates.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:shortName=ht,categories=openstack;stackwright
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="PODS",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="PUBLIC",type=string,JSONPath=`.status.endpoints.public`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$') && size(self.metadata.name) <= 36",message="the name begins the names of the service's objects: at most 36 lower-case letters, digits and dashes, beginning with a letter"
type Heat struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which orchestration service is wanted.
	Spec HeatSpec `json:"spec"`
	// Status tells what the orchestration service is.
	// +optional
	Status HeatStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (h *Heat) KitStatus() *owner.Status { return &h.Status.Status }

// Paused tells whether a person stopped all changes.
func (h *Heat) Paused() bool { return h.Spec.Paused }

// Common returns what every service takes.
func (h *Heat) Common() *CommonSpec { return &h.Spec.CommonSpec }

// Service returns what every service tells.
func (h *Heat) Service() *ServiceStatus { return &h.Status.ServiceStatus }

// HeatList is a list of Heat.
// +kubebuilder:object:root=true
type HeatList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Heat `json:"items"`
}
