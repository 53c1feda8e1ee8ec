package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// DevCephSpec is what a person wants of a Ceph for development.
type DevCephSpec struct {
	// Image of Ceph, as a full reference.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image"`
	// Storage is the volume that has everything: 1Gi of it is the monitor's, the rest is for data. It is taken as data
	// comes, where the storage class does so.
	// +optional
	// +kubebuilder:default={}
	// +kubebuilder:validation:XValidation:rule="!has(self.size) || quantity(self.size).compareTo(quantity('3Gi')) >= 0",message="size is at least 3Gi, such as 20Gi: 1Gi of it is the monitor's"
	Storage Storage `json:"storage,omitzero"`
	// Pools for images of block devices. One that is taken out of the list stays, with what is in it.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Pools []DevCephPool `json:"pools,omitempty"`
	// Clients are users of Ceph. Each gets a Secret <name>-<client> by which it is known; the key of one that is taken out
	// of the list is worth nothing from then on.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Clients []DevCephClient `json:"clients,omitempty"`
	// DeletionPolicy says what becomes of the data and the keys when the object is deleted. What is retained is taken up
	// by a DevCeph of the same name.
	// +optional
	// +kubebuilder:default=Retain
	// +kubebuilder:validation:MaxLength=16
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
	// Paused stops the operator from touching anything of this object.
	// +optional
	Paused bool `json:"paused,omitempty"`

	PodSettings `json:",inline"`
}

// DevCephPool is a pool for images of block devices.
type DevCephPool struct {
	// Name of the pool.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`
}

// DevCephClient is a user of Ceph.
type DevCephClient struct {
	// Name of the user.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && !(self in ['admin', 'config', 'data', 'keys'])",message="the name is of lower-case letters, digits and dashes, beginning with a letter; admin, config, data and keys are taken"
	Name string `json:"name"`
	// Pools that the user reads and writes.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=40
	// +kubebuilder:validation:items:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
	Pools []string `json:"pools,omitempty"`
	// ReadOnlyPools are pools that the user only reads.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=40
	// +kubebuilder:validation:items:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
	ReadOnlyPools []string `json:"readOnlyPools,omitempty"`
}

// DevCephStatus is what the operator sees of a Ceph for development.
type DevCephStatus struct {
	owner.Status `json:",inline"`
	// FSID is the id of the cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=36
	FSID string `json:"fsid,omitempty"`
	// Monitors are where clients begin.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:items:MaxLength=128
	Monitors []string `json:"monitors,omitempty"`
}

// DevCeph is a Ceph for development: a monitor, a manager and one disk in one pod, so there is one copy of everything.
// Nobody's only copy of something belongs into it.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=devcephs,categories=stackwright,shortName=dceph
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="MONITORS",type=string,JSONPath=`.status.monitors`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name has at most 40 characters, so that the names of pods made from it stay valid"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name is a DNS label: lower case letters, digits and dashes, beginning with a letter"
type DevCeph struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// Spec is what a person wants.
	Spec DevCephSpec `json:"spec"`
	// Status is what the operator sees.
	// +optional
	Status DevCephStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (d *DevCeph) KitStatus() *owner.Status { return &d.Status.Status }

// Paused tells whether the operator keeps its hands off.
func (d *DevCeph) Paused() bool { return d.Spec.Paused }

// DevCephList is a list of Cephs for development.
// +kubebuilder:object:root=true
type DevCephList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []DevCeph `json:"items"`
}
