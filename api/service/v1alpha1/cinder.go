package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// CinderSpec says which block storage service is wanted.
type CinderSpec struct {
	CommonSpec `json:",inline"`

	// Database says where it is kept which volumes there are.
	Database Database `json:"database"`
	// Identity says where the service is known.
	Identity Identity `json:"identity"`
	// RabbitMQ names the RabbitMQ through which the service's programs talk, and gets a MessageBus for it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	RabbitMQ string `json:"rabbitmq"`
	// Notifications sends a message for each change of a volume.
	// A queue that nobody reads keeps the newest 16 MiB.
	// +optional
	Notifications bool `json:"notifications,omitempty"`
	// Backends have the volumes, each with a program of its own and a volume type named like it. The first one takes
	// volumes whose type nobody says. One that is taken out is forgotten when no volume is left in it.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=7
	Backends []CinderBackend `json:"backends,omitempty"`
	// Backup keeps copies of volumes elsewhere; without it there are none.
	// +optional
	Backup *CinderBackup `json:"backup,omitempty"`
	// Scheduler says how the program runs that chooses back ends for volumes.
	// +optional
	// +kubebuilder:default={}
	Scheduler Worker `json:"scheduler,omitzero"`
	// Volume says how the programs run that make volumes; there is one pod for each back end.
	// +optional
	Volume CinderVolume `json:"volume,omitzero"`
	// Maintenance says when the database is cleaned, and of what.
	// +optional
	// +kubebuilder:default={}
	Maintenance CinderMaintenance `json:"maintenance,omitzero"`
}

// CinderBackend has volumes. Its section of config, which is named like it, has further options of its driver.
// +kubebuilder:validation:XValidation:rule="[has(self.rbd), has(self.nfs), has(self.driver)].exists_one(x, x)",message="set exactly one of rbd, nfs and driver"
type CinderBackend struct {
	// Name of the back end and of its volume type. It cannot be changed later: volumes know their back end by it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$')",message="the name is of lower-case letters, digits and dashes, beginning with a letter"
	// +kubebuilder:validation:XValidation:rule="!(self in ['backend', 'barbican', 'coordination', 'cors', 'database', 'default', 'fc-zone-manager', 'healthcheck', 'nova', 'profiler', 'ssl', 'vault'])",message="Cinder's configuration has a section of that name; take another one"
	Name string `json:"name"`
	// RBD keeps volumes as images of a Ceph.
	// +optional
	RBD *Ceph `json:"rbd,omitempty"`
	// NFS keeps volumes as files.
	// +optional
	NFS *CinderNFS `json:"nfs,omitempty"`
	// Driver is the Python class of another driver, such as cinder.volume.drivers.pure.PureISCSIDriver. All that it needs
	// to know is in its section of config and configFrom.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	Driver string `json:"driver,omitempty"`
	// Image of this back end's program, for drivers that need what the service's image does not have.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image,omitempty"`
}

// CinderNFS keeps volumes as files.
type CinderNFS struct {
	// Shares such as server.example.org:/volumes. Their roots belong to the user and the group 64061.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:Pattern=`^[^:/]+:/.+$`
	Shares []string `json:"shares"`
}

// CinderVolume says how the programs run that make volumes.
type CinderVolume struct {
	// Resources of their containers; empty takes those of the service.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
}

// CinderBackup keeps copies of volumes elsewhere.
type CinderBackup struct {
	// RBD keeps copies in a pool of a Ceph, better of another one than the volumes are in.
	RBD *Ceph `json:"rbd"`
	// Replicas is the number of pods that copy.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=64
	Replicas *int32 `json:"replicas,omitempty"`
}

// CinderMaintenance says when the database is cleaned: records of an earlier release are rewritten as the release has
// them, and those of deleted volumes are removed.
type CinderMaintenance struct {
	// Schedule is when that is done, as cron has it, in UTC.
	// +optional
	// +kubebuilder:default="40 3 * * *"
	// +kubebuilder:validation:MaxLength=64
	Schedule string `json:"schedule,omitempty"`
	// KeepDays is for how many days the record of a deleted volume is kept; 0 is for ever.
	// +optional
	// +kubebuilder:default=30
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3650
	KeepDays *int32 `json:"keepDays,omitempty"`
}

// CinderStatus tells what the block storage service is.
type CinderStatus struct {
	owner.Status  `json:",inline"`
	ServiceStatus `json:",inline"`
	// Programs tells which programs have been asked for last.
	// +optional
	Programs ProgramsStatus `json:"programs,omitzero"`
}

// ProgramsStatus tells how the programs of a service have changed.
type ProgramsStatus struct {
	// Hash of which ones are wanted.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Hash string `json:"hash,omitempty"`
	// Changes is how often that has changed. After each change the records of programs that are gone are removed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Changes int64 `json:"changes,omitempty"`
}

// Cinder is the block storage service of an OpenStack: volumes, snapshots, backups.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:shortName=cin,categories=openstack;stackwright
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="PODS",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="PUBLIC",type=string,JSONPath=`.status.endpoints.public`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$') && size(self.metadata.name) <= 37",message="the name begins the names of the service's objects: at most 37 lower-case letters, digits and dashes, beginning with a letter"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.backends) || self.spec.backends.all(b, size(self.metadata.name) + size(b.name) <= 44)",message="the pods of a back end are named after both: together the name of the Cinder and of each back end have at most 44 characters"
type Cinder struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which block storage service is wanted.
	Spec CinderSpec `json:"spec"`
	// Status tells what the block storage service is.
	// +optional
	Status CinderStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (c *Cinder) KitStatus() *owner.Status { return &c.Status.Status }

// Paused tells whether a person stopped all changes.
func (c *Cinder) Paused() bool { return c.Spec.Paused }

// Common returns what every service takes.
func (c *Cinder) Common() *CommonSpec { return &c.Spec.CommonSpec }

// Service returns what every service tells.
func (c *Cinder) Service() *ServiceStatus { return &c.Status.ServiceStatus }

// CinderList is a list of Cinder.
// +kubebuilder:object:root=true
type CinderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Cinder `json:"items"`
}
