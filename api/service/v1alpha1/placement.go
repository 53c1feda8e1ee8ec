package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// PlacementSpec says which placement service is wanted.
type PlacementSpec struct {
	CommonSpec `json:",inline"`

	// Database says where inventories and allocations are kept.
	Database Database `json:"database"`
	// Identity says where the service is known.
	Identity Identity `json:"identity"`
}

// PlacementStatus tells what the placement service is.
type PlacementStatus struct {
	owner.Status  `json:",inline"`
	ServiceStatus `json:",inline"`
}

// Placement is the placement service of an OpenStack: what hosts have, and what of it is taken.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:shortName=plc,categories=openstack;stackwright
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="PODS",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="PUBLIC",type=string,JSONPath=`.status.endpoints.public`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$') && size(self.metadata.name) <= 40",message="the name begins the names of the service's objects: at most 40 lower-case letters, digits and dashes, beginning with a letter"
type Placement struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which placement service is wanted.
	Spec PlacementSpec `json:"spec"`
	// Status tells what the placement service is.
	// +optional
	Status PlacementStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (p *Placement) KitStatus() *owner.Status { return &p.Status.Status }

// Paused tells whether a person stopped all changes.
func (p *Placement) Paused() bool { return p.Spec.Paused }

// Common returns what every service takes.
func (p *Placement) Common() *CommonSpec { return &p.Spec.CommonSpec }

// Service returns what every service tells.
func (p *Placement) Service() *ServiceStatus { return &p.Status.ServiceStatus }

// PlacementList is a list of Placement.
// +kubebuilder:object:root=true
type PlacementList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Placement `json:"items"`
}
