package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// MessageBusSpec is what a person wants of a message bus.
// +kubebuilder:validation:XValidation:rule=`(has(self.vhost) ? self.vhost : "") == (has(oldSelf.vhost) ? oldSelf.vhost : "")`,message="vhost cannot change: the queues would stay behind under the old name; make a new MessageBus"
// +kubebuilder:validation:XValidation:rule=`(has(self.username) ? self.username : "") == (has(oldSelf.username) ? oldSelf.username : "")`,message="username cannot change; make a new MessageBus"
type MessageBusSpec struct {
	// RabbitMQ is the name of the broker in the same namespace.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="rabbitmq cannot change: the queues would stay behind; make a new MessageBus"
	RabbitMQ string `json:"rabbitmq"`
	// VHost is the virtual host's name; empty takes the object's name. Its queues are quorum queues unless a client asks
	// for another type.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-_.a-z0-9]*[a-z0-9])?$`
	VHost string `json:"vhost,omitempty"`
	// Username of the account that may use the virtual host and nothing else; empty takes the object's name.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-_.a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:XValidation:rule="!(self in ['guest','stackwright-agent'])",message="username is an account of the broker itself; take another one"
	Username string `json:"username,omitempty"`
	// Listener asks for a second account, which may listen to notifications of OpenStack's services and nothing else. Its
	// Secret has the name of the other with -listener.
	// +optional
	Listener bool `json:"listener,omitempty"`
	// DeletionPolicy says whether the virtual host with its queues, the account and the Secret are removed when this
	// object is deleted.
	// +optional
	// +kubebuilder:default=Delete
	// +kubebuilder:validation:MaxLength=16
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
	// Paused stops the operator from touching anything of this object.
	// +optional
	Paused bool `json:"paused,omitempty"`
}

// MessageBusStatus is what the operator sees of a message bus.
type MessageBusStatus struct {
	owner.Status `json:",inline"`
	// SecretName is the Secret with hosts, port, vhost, username, password, transport_url and ca.crt.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	SecretName string `json:"secretName,omitempty"`
	// ListenerSecretName is the Secret with the same keys of the account that may listen.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ListenerSecretName string `json:"listenerSecretName,omitempty"`
	// VHost is the virtual host's name.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	VHost string `json:"vhost,omitempty"`
}

// MessageBus is a virtual host in a RabbitMQ with an account of its own.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=messagebuses,categories=stackwright,shortName=bus
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="RABBITMQ",type=string,JSONPath=`.spec.rabbitmq`
// +kubebuilder:printcolumn:name="SECRET",type=string,JSONPath=`.status.secretName`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 60",message="the name has at most 60 characters, so that the names made from it stay valid"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name is a DNS label: lower case letters, digits and dashes, beginning with a letter"
// +kubebuilder:validation:XValidation:rule="has(self.spec.username) || self.metadata.name != 'guest'",message="the name guest would make the account of the same name, which RabbitMQ treats in its own way; set spec.username"
type MessageBus struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// Spec is what a person wants.
	Spec MessageBusSpec `json:"spec"`
	// Status is what the operator sees.
	// +optional
	Status MessageBusStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (m *MessageBus) KitStatus() *owner.Status { return &m.Status.Status }

// Paused tells whether the operator keeps its hands off.
func (m *MessageBus) Paused() bool { return m.Spec.Paused }

// MessageBusList is a list of message buses.
// +kubebuilder:object:root=true
type MessageBusList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []MessageBus `json:"items"`
}
