package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// RabbitMQConfig has lines of rabbitmq.conf by their keys, without those that the operator has to own.
// +kubebuilder:validation:MaxProperties=64
// +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^[a-z][A-Za-z0-9_]*([.][A-Za-z0-9_-]+)*$') && k.size() <= 128)",message="config names keys of rabbitmq.conf, such as consumer_timeout"
// +kubebuilder:validation:XValidation:rule="self.all(k, !k.matches('^(listeners|ssl_options|management|load_definitions|definitions|default_user|default_pass|default_vhost|default_permissions|default_queue_type|loopback_users|log|cluster_formation|cluster_partition_handling|cluster_name|vm_memory_high_watermark|disk_free_limit|deprecated_features|num_acceptors|distribution)([.].*)?$'))",message="config has a key that belongs to the operator (listeners, TLS, users, definitions, logs, cluster formation, memory and disk limits and the like); remove it"
// +kubebuilder:validation:XValidation:rule="self.all(k, !self[k].contains('\\n'))",message="a value in config is one line"
type RabbitMQConfig map[string]Line

// RabbitMQSpec is what a person wants of a message broker.
// +kubebuilder:validation:XValidation:rule="!has(self.recovery) || int(self.recovery.forceBoot.split('-')[size(self.recovery.forceBoot.split('-')) - 1]) < self.replicas",message="recovery.forceBoot names a pod of this broker: <name>-0 when replicas is 1, <name>-0, <name>-1 or <name>-2 when it is 3"
type RabbitMQSpec struct {
	// Image of RabbitMQ and the agent, as a full reference.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image"`
	// Replicas is the number of members, 1 or 3. It can grow and shrink: before a member goes, its queues are moved.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:XValidation:rule="self == 1 || self == 3",message="replicas is 1 or 3: quorum queues need a majority, and an even number of members survives no more losses than one less"
	Replicas int32 `json:"replicas,omitempty"`
	// Storage of each member.
	// +optional
	// +kubebuilder:default={}
	// +kubebuilder:validation:XValidation:rule="!has(self.size) || !has(oldSelf.size) || quantity(self.size).compareTo(quantity(oldSelf.size)) >= 0",message="storage.size can grow and not shrink"
	Storage Storage `json:"storage,omitzero"`
	// TLS between clients and the broker. Members always encrypt what they send each other, with the same CA.
	// +optional
	TLS TLS `json:"tls,omitzero"`
	// Config has lines of rabbitmq.conf, such as consumer_timeout: "3600000". Keys that the operator has to own are
	// refused. A value that RabbitMQ refuses stops the rolling change at its first pod.
	// +optional
	Config RabbitMQConfig `json:"config,omitempty"`
	// Recovery lets one member go on alone when most members have lost their volumes or are gone for good, which the
	// operator says in condition MembersReady. It holds for one time only.
	// +optional
	Recovery *Recovery `json:"recovery,omitempty"`
	// DeletionPolicy says whether the volumes are removed when this object is deleted. A RabbitMQ of the same name takes
	// up volumes that were retained.
	// +optional
	// +kubebuilder:default=Retain
	// +kubebuilder:validation:MaxLength=16
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
	// Paused stops the operator from touching anything of this object.
	// +optional
	Paused bool `json:"paused,omitempty"`

	PodSettings `json:",inline"`
}

// RabbitMQStatus is what the operator sees of a message broker.
type RabbitMQStatus struct {
	owner.Status `json:",inline"`
	// VolumesPending tells that no volume is bound yet; until then spec.storage.className can change.
	// +optional
	VolumesPending bool `json:"volumesPending,omitempty"`
	// ReadyMembers is the number of members that serve.
	// +optional
	ReadyMembers int32 `json:"readyMembers,omitempty"`
	// Epoch counts how often a cluster was formed: 1 after the first start, more after all volumes were lost or a
	// member was made to go on alone. Virtual hosts and users are made again in a new one.
	// +optional
	Epoch int64 `json:"epoch,omitempty"`
	// Hosts are the DNS names of the members.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:items:MaxLength=253
	Hosts []string `json:"hosts,omitempty"`
	// Port of AMQP: 5671 with TLS, 5672 without.
	// +optional
	Port int32 `json:"port,omitempty"`
}

// RabbitMQ is a message broker of 1 or 3 members with quorum queues.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=rabbitmqs,categories=stackwright,shortName=rmq
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="MEMBERS",type=integer,JSONPath=`.status.readyMembers`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name has at most 40 characters, so that the names of pods and volumes made from it stay valid"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name is a DNS label: lower case letters, digits and dashes, beginning with a letter"
// +kubebuilder:validation:XValidation:rule=`(has(self.spec.storage.className) ? self.spec.storage.className : "") == (has(oldSelf.spec.storage.className) ? oldSelf.spec.storage.className : "") || (has(oldSelf.status) && has(oldSelf.status.volumesPending) && oldSelf.status.volumesPending)`,message="storage.className cannot change once a volume is bound: volumes do not move between classes; make a new RabbitMQ and move its MessageBuses to it"
type RabbitMQ struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// Spec is what a person wants.
	Spec RabbitMQSpec `json:"spec"`
	// Status is what the operator sees.
	// +optional
	Status RabbitMQStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (r *RabbitMQ) KitStatus() *owner.Status { return &r.Status.Status }

// Paused tells whether the operator keeps its hands off.
func (r *RabbitMQ) Paused() bool { return r.Spec.Paused }

// RabbitMQList is a list of message brokers.
// +kubebuilder:object:root=true
type RabbitMQList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []RabbitMQ `json:"items"`
}
