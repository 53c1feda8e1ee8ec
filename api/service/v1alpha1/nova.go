package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// NovaSpec says which compute service is wanted.
type NovaSpec struct {
	CommonSpec `json:",inline"`

	// Database says where it is kept which servers there are, and those that no cell took.
	Database Database `json:"database"`
	// Identity says where the service is known.
	Identity Identity `json:"identity"`
	// RabbitMQ names the RabbitMQ through which API, scheduler and conductor talk, and gets a MessageBus for it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	RabbitMQ string `json:"rabbitmq"`
	// Memcached names the Memcached that the service's programs share; empty lets each process remember for itself.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Memcached string `json:"memcached,omitempty"`
	// Notifications sends a message for each change of a server.
	// A queue that nobody reads keeps the newest 16 MiB.
	// +optional
	Notifications bool `json:"notifications,omitempty"`
	// Cells hold the compute hosts and their servers. A cell that breaks keeps its servers running, and does not keep the
	// others from anything. One that is taken out is deleted when no host is left in it.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Cells []Cell `json:"cells,omitempty"`
	// Scheduler says how the program runs that chooses hosts for servers.
	// +optional
	// +kubebuilder:default={}
	Scheduler Worker `json:"scheduler,omitzero"`
	// Conductor says how the program runs that leads servers through the cells.
	// +optional
	// +kubebuilder:default={}
	Conductor Worker `json:"conductor,omitzero"`
	// Maintenance says when the databases are cleaned, and of what.
	// +optional
	// +kubebuilder:default={}
	Maintenance Maintenance `json:"maintenance,omitzero"`
}

// Cell is a part of a compute service with a database and a bus of its own.
type Cell struct {
	// Name by which Nova knows the cell.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([a-z0-9-]*[a-z0-9])?$') && self != 'cell0'",message="the name is of lower-case letters, digits and dashes, such as cell1; cell0 is Nova's own, for servers that no host took"
	Name string `json:"name"`
	// Galera names the Galera that holds the cell's database; empty is that of the service.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Galera string `json:"galera,omitempty"`
	// RabbitMQ names the RabbitMQ through which the cell talks with its hosts; empty is that of the service.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	RabbitMQ string `json:"rabbitmq,omitempty"`
	// Metadata says how the program runs from which servers learn about themselves.
	// +optional
	// +kubebuilder:default={}
	Metadata Worker `json:"metadata,omitzero"`
	// Expose says how browsers outside of the cluster reach the screens of the cell's servers.
	// +optional
	Expose Expose `json:"expose,omitzero"`

	CellSettings `json:",inline"`
}

// CellSettings are what a cell takes beside its name, its database and its bus.
type CellSettings struct {
	// Conductor says how the program runs that writes the database for the hosts.
	// +optional
	// +kubebuilder:default={}
	Conductor Worker `json:"conductor,omitzero"`
	// Console says how the program runs through which browsers see the screens of servers.
	// +optional
	// +kubebuilder:default={}
	Console Worker `json:"console,omitzero"`
}

// NovaStatus tells what the compute service is.
type NovaStatus struct {
	owner.Status  `json:",inline"`
	ServiceStatus `json:",inline"`
	// Cells are those of the service, by name.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Cells []CellStatus `json:"cells,omitempty"`
	// Programs tells which programs have been asked for last.
	// +optional
	Programs ProgramsStatus `json:"programs,omitzero"`
}

// CellStatus tells what a cell is.
type CellStatus struct {
	// Name of the cell.
	// +kubebuilder:validation:MaxLength=20
	Name string `json:"name"`
	// Registered tells whether the service knows how to reach the cell.
	// +optional
	Registered bool `json:"registered,omitempty"`
	// Ready tells whether the cell's own programs run.
	// +optional
	Ready bool `json:"ready,omitempty"`
}

// Nova is the compute service of an OpenStack: servers, flavors, key pairs, host aggregates.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:path=novas,shortName=nv,categories=openstack;stackwright
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="PODS",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="PUBLIC",type=string,JSONPath=`.status.endpoints.public`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$') && size(self.metadata.name) <= 36",message="the name begins the names of the service's objects: at most 36 lower-case letters, digits and dashes, beginning with a letter"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.cells) || self.spec.cells.all(c, size(self.metadata.name) + size(c.name) <= 41)",message="a NovaCell is named after both: together the name of the Nova and of each cell have at most 41 characters"
type Nova struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which compute service is wanted.
	Spec NovaSpec `json:"spec"`
	// Status tells what the compute service is.
	// +optional
	Status NovaStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (n *Nova) KitStatus() *owner.Status { return &n.Status.Status }

// Paused tells whether a person stopped all changes.
func (n *Nova) Paused() bool { return n.Spec.Paused }

// Common returns what every service takes.
func (n *Nova) Common() *CommonSpec { return &n.Spec.CommonSpec }

// Service returns what every service tells.
func (n *Nova) Service() *ServiceStatus { return &n.Status.ServiceStatus }

// NovaList is a list of Nova.
// +kubebuilder:object:root=true
type NovaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Nova `json:"items"`
}
