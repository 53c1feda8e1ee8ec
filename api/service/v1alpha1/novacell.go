package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// NovaCellSpec says which cell is wanted. Its API is the one from which servers learn about themselves, and what it
// exposes to users are the screens of servers.
type NovaCellSpec struct {
	CommonSpec `json:",inline"`

	// Nova names the compute service that the cell belongs to, and as whose user it asks other services.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="nova cannot be changed: the servers of the cell are the other one's; make another cell"
	Nova string `json:"nova"`
	// Database says where it is kept which servers run on the cell's hosts.
	Database Database `json:"database"`
	// Identity says where the compute service is known.
	Identity Identity `json:"identity"`
	// RabbitMQ names the RabbitMQ through which the cell talks with its hosts, and gets a MessageBus for it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	RabbitMQ string `json:"rabbitmq"`
	// Memcached names the Memcached that the cell's programs share; empty lets each process remember for itself.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Memcached string `json:"memcached,omitempty"`
	// Notifications sends a message for each change of a server that happens on a host.
	// A queue that nobody reads keeps the newest 16 MiB.
	// +optional
	Notifications bool `json:"notifications,omitempty"`

	CellSettings `json:",inline"`
}

// NovaCellStatus tells what the cell is.
type NovaCellStatus struct {
	owner.Status  `json:",inline"`
	ServiceStatus `json:",inline"`
	// ComputeSecret has what the cell's compute hosts have in common: nova.conf, ca.crt, and hash, which changes with
	// them. The file is meant to lie in /etc/stackwright/compute.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ComputeSecret string `json:"computeSecret,omitempty"`
	// MetadataSecret has the password by which a metadata agent shows that it is one.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	MetadataSecret string `json:"metadataSecret,omitempty"`
	// Programs tells which programs have been asked for last.
	// +optional
	Programs ProgramsStatus `json:"programs,omitzero"`
}

// NovaCell is a part of a compute service: a database, a bus, a conductor and a console proxy for a number of hosts.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:shortName=cell,categories=openstack;stackwright
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="PODS",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="CONSOLE",type=string,JSONPath=`.status.endpoints.public`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$') && size(self.metadata.name) <= 42",message="the name begins the names of the cell's objects: at most 42 lower-case letters, digits and dashes, beginning with a letter"
type NovaCell struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which cell is wanted.
	Spec NovaCellSpec `json:"spec"`
	// Status tells what the cell is.
	// +optional
	Status NovaCellStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (c *NovaCell) KitStatus() *owner.Status { return &c.Status.Status }

// Paused tells whether a person stopped all changes.
func (c *NovaCell) Paused() bool { return c.Spec.Paused }

// Common returns what every service takes.
func (c *NovaCell) Common() *CommonSpec { return &c.Spec.CommonSpec }

// Service returns what every service tells.
func (c *NovaCell) Service() *ServiceStatus { return &c.Status.ServiceStatus }

// NovaCellList is a list of NovaCell.
// +kubebuilder:object:root=true
type NovaCellList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []NovaCell `json:"items"`
}
