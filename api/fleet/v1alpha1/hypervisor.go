package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// HypervisorSpec says where the host belongs. Its block writes it.
type HypervisorSpec struct {
	// Block names the BuildingBlock in this namespace that the host is of.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="block cannot be changed: a host is taken out of one block and put into another by the labels of its node"
	Block string `json:"block"`
	// Cell names the NovaCell in this namespace that the host belongs to.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=57
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cell cannot be changed: servers on the host are the other one's"
	Cell string `json:"cell"`
	// Cloud names the Cloud in this namespace whose Nova and Placement are asked.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Cloud string `json:"cloud"`
	// Paused stops all requests about the host until it is false again.
	// +optional
	Paused bool `json:"paused,omitempty"`
}

// HostState is what nova-compute of a host does.
// +kubebuilder:validation:MaxLength=16
type HostState string

// States of hosts.
const (
	// HostUp is a host whose nova-compute reports, and that is given servers.
	HostUp HostState = "up"
	// HostDown is a host whose nova-compute does not report.
	HostDown HostState = "down"
	// HostDisabled is a host whose nova-compute reports, and that is given no new servers.
	HostDisabled HostState = "disabled"
)

// Vacancy tells whether servers are on a host that is to leave its block.
// +kubebuilder:validation:MaxLength=16
type Vacancy string

// Vacancies of hosts that are to leave.
const (
	// VacancyUnknown says that Nova or Placement did not tell.
	VacancyUnknown Vacancy = "Unknown"
	// Occupied hosts have servers, or hold something for servers that come or go.
	Occupied Vacancy = "Occupied"
	// Vacant hosts are closed to new servers and have none.
	Vacant Vacancy = "Vacant"
)

// HypervisorStatus tells what Nova and Placement know of the host.
type HypervisorStatus struct {
	owner.Status `json:",inline"`
	// ID of the host's compute node in Nova, which is that of its resource provider in Placement.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ID string `json:"id,omitempty"`
	// State of nova-compute: up, down, or disabled when it is up and is given no new servers.
	// +optional
	State HostState `json:"state,omitempty"`
	// Service is nova-compute as Nova knows it.
	// +optional
	Service HostService `json:"service,omitzero"`
	// Type of the hypervisor, such as QEMU.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Type string `json:"type,omitempty"`
	// Version of the hypervisor, such as 8.2.2.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Version string `json:"version,omitempty"`
	// Zone is the availability zone that the host is in.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Zone string `json:"zone,omitempty"`
	// Aggregates that the host is in, by name; the first 64.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=255
	Aggregates []string `json:"aggregates,omitempty"`
	// VCPUs are the processors of the host.
	// +optional
	VCPUs *HostResource `json:"vcpus,omitempty"`
	// Memory of the host.
	// +optional
	Memory *HostResource `json:"memory,omitempty"`
	// Disk of the host that servers without volumes are on.
	// +optional
	Disk *HostResource `json:"disk,omitempty"`
	// Traits of the host's resource provider in Placement; the first 512.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	// +kubebuilder:validation:items:MaxLength=255
	Traits []string `json:"traits,omitempty"`
	// DeclaredTraits are those that the block gives the host, and those that it has given it and that are to be taken
	// away: they stay here until no nova-compute gives them any more.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	// +kubebuilder:validation:items:MaxLength=255
	DeclaredTraits []string `json:"declaredTraits,omitempty"`
	// Servers is the number of servers on the host, in whatever state. It is empty while that is not known.
	// +optional
	Servers *int32 `json:"servers,omitempty"`
	// Vacancy tells of a host that is to leave its block whether servers are on it. Others have none.
	// +optional
	Vacancy Vacancy `json:"vacancy,omitempty"`
	// ClosedSince is since when a host that is to leave its block is known to take no new servers. Others have none.
	// +optional
	ClosedSince *metav1.Time `json:"closedSince,omitempty"`
}

// HostService is nova-compute of a host.
type HostService struct {
	// ID of the service in Nova.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	ID string `json:"id,omitempty"`
	// Disabled says that the host is given no new servers.
	// +optional
	Disabled bool `json:"disabled,omitempty"`
	// DisabledReason is what who disabled it has said.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DisabledReason string `json:"disabledReason,omitempty"`
}

// HostResource is how much of something a host has.
type HostResource struct {
	// Total is what there is.
	// +optional
	Total resource.Quantity `json:"total"`
	// Reserved is what servers do not get.
	// +optional
	Reserved resource.Quantity `json:"reserved"`
	// Used is what servers have, or are about to have, of total less reserved, times allocationRatio.
	// +optional
	Used resource.Quantity `json:"used"`
	// AllocationRatio is how much is given to servers for each one that there is, such as 4 or 1.5.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	AllocationRatio string `json:"allocationRatio,omitempty"`
}

// Hypervisor is a host of servers: what Nova and Placement know of it. Its BuildingBlock makes it.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=hv,categories=openstack;stackwright
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="SERVERS",type=integer,JSONPath=`.status.servers`
// +kubebuilder:printcolumn:name="VCPUS",type=string,JSONPath=`.status.vcpus.total`
// +kubebuilder:printcolumn:name="MEMORY",type=string,JSONPath=`.status.memory.total`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Hypervisor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says where the host belongs.
	Spec HypervisorSpec `json:"spec"`
	// Status tells what Nova and Placement know of the host.
	// +optional
	Status HypervisorStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (h *Hypervisor) KitStatus() *owner.Status { return &h.Status.Status }

// Paused tells whether a person stopped all changes.
func (h *Hypervisor) Paused() bool { return h.Spec.Paused }

// HypervisorList is a list of Hypervisor.
// +kubebuilder:object:root=true
type HypervisorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Hypervisor `json:"items"`
}
