package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"stackwright.dev/kit/owner"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// Driver is what runs the servers of a block.
// +kubebuilder:validation:Enum=libvirt;fake
type Driver string

// Drivers that there are.
const (
	// DriverLibvirt runs servers on the nodes of the block with libvirt and QEMU.
	DriverLibvirt Driver = "libvirt"
	// DriverFake runs none and says that it does, for tests of scale.
	DriverFake Driver = "fake"
)

// BuildingBlockSpec says which hosts are wanted.
// +kubebuilder:validation:XValidation:rule="self.driver != 'libvirt' || has(self.hosts) && has(self.hosts.nodeSelector)",message="driver libvirt needs hosts.nodeSelector"
// +kubebuilder:validation:XValidation:rule="(self.driver == 'fake') == has(self.fake)",message="fake.hosts is the number of hosts of driver fake, and of no other"
// +kubebuilder:validation:XValidation:rule="!has(self.fake) || self.fake.hosts * (2 + (has(self.placement) && has(self.placement.aggregates) ? size(self.placement.aggregates) : 0)) <= 2000",message="fake.hosts times 2 more than there are placement.aggregates is 2000 at most: make two blocks"
// +kubebuilder:validation:XValidation:rule="self.driver == 'libvirt' || !has(self.libvirt) && !has(self.ovn) && !has(self.storage)",message="libvirt, ovn and storage belong to driver libvirt"
// +kubebuilder:validation:XValidation:rule="has(self.storage) == has(oldSelf.storage)",message="storage cannot be given to a block or taken from it: the disks of its servers are where they are; make another block"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.placement) || !has(oldSelf.placement.availabilityZone) || size(oldSelf.placement.availabilityZone) == 0 || has(self.placement) && has(self.placement.availabilityZone) && size(self.placement.availabilityZone) > 0",message="placement.availabilityZone cannot be taken out: Nova takes no aggregate out of a zone; name another zone, or make another block"
// +kubebuilder:validation:XValidation:rule="has(self.ovn) || !has(self.network)",message="network says how the chassis of ovn are connected: set ovn, too"
// +kubebuilder:validation:XValidation:rule="!has(self.network) || !has(self.network.bridgeMappings) || self.network.bridgeMappings.all(m, !has(m.interface) || self.network.bridgeMappings.exists_one(n, has(n.interface) && n.interface == m.interface) && !(has(self.network.tunnel) && has(self.network.tunnel.interface) && self.network.tunnel.interface == m.interface))",message="a NIC is a port of one bridge: give tunnel and each of bridgeMappings another interface"
type BuildingBlockSpec struct {
	// Cell names the NovaCell in this namespace that the hosts belong to.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=57
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cell cannot be changed: the servers on the hosts are the other one's; make another block"
	Cell string `json:"cell"`
	// Driver is what runs servers: libvirt on the nodes of the block, or fake, which runs none and says that it does.
	// +kubebuilder:default=libvirt
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="driver cannot be changed: make another block"
	// +optional
	Driver Driver `json:"driver,omitempty"`
	// Release of OpenStack. It names the OpenStackRelease with the images of agents that have none here, and the
	// catalogue that config is checked against.
	// +optional
	// +kubebuilder:default=epoxy
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Release string `json:"release,omitempty"`
	// Agents are the programs that run on each host.
	// +optional
	Agents Agents `json:"agents,omitzero"`
	// Hosts says which nodes are hosts of the block.
	// +optional
	Hosts Hosts `json:"hosts,omitzero"`
	// OVN names the OVN in this namespace that servers have their networks from. The hosts are chassis of it, see
	// OVNChassis, and tell servers who they are. Without it servers have no networks.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="ovn cannot be changed: make another block"
	OVN string `json:"ovn,omitempty"`
	// Network says how the hosts are connected.
	// +optional
	Network *infrav1.OVNConnection `json:"network,omitempty"`
	// Fake hosts.
	// +optional
	Fake *Fake `json:"fake,omitempty"`
	// Libvirt says how servers run on hosts of driver libvirt.
	// +optional
	Libvirt *Libvirt `json:"libvirt,omitempty"`
	// Storage says where the disks of servers are. Without it they are files of the host that the server is on.
	// +optional
	Storage *Storage `json:"storage,omitempty"`
	// Placement says what the scheduler is to know of the hosts.
	// +optional
	Placement Placement `json:"placement,omitzero"`
	// Config sets options of nova-compute: section, option, value. It wins over those of the cell and of the operator. A
	// value is a string, a number, a boolean, or a list of these. What the release does not have is refused before any
	// pod changes.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	Config map[string]servicev1.Options `json:"config,omitempty"`
	// Paused stops all changes by the operator until it is false again.
	// +optional
	Paused bool `json:"paused,omitempty"`
}

// Agents are the programs that run on each host.
type Agents struct {
	// NovaCompute starts and stops servers as Nova says.
	// +optional
	NovaCompute Agent `json:"novaCompute,omitzero"`
	// Libvirt keeps the virtual machines. They go on while it restarts.
	// +optional
	Libvirt LibvirtAgent `json:"libvirt,omitzero"`
	// Chassis is Open vSwitch and ovn-controller, which carry packets of servers.
	// +optional
	Chassis ChassisAgent `json:"chassis,omitzero"`
	// Metadata tells servers who they are, at 169.254.169.254: their name, keys and user data.
	// +optional
	Metadata MetadataAgent `json:"metadata,omitzero"`
	// MaxUnavailable is how many hosts may have an agent restarting at a time, as a number or a share such as 10%.
	// +optional
	// +kubebuilder:default="10%"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 1 : self.matches('^([1-9][0-9]?|100)%$')",message="maxUnavailable is a number of at least 1, or a share such as 10%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
}

// Agent is one of the programs that run on each host.
type Agent struct {
	// Image of the agent, as a full reference. Empty takes the release's.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image,omitempty"`
	// Resources of the agent's container. Servers are not in it.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
}

// LibvirtAgent is the program that keeps the virtual machines of a host.
type LibvirtAgent struct {
	Agent `json:",inline"`
	// Config sets options of libvirt: file, option, value. The files are libvirtd.conf, such as max_clients: 2000, and
	// qemu.conf, such as max_core: unlimited. A value is a string, a number, a boolean, or a list of strings. What the
	// release does not have, and what the operator has to own, is refused before any pod changes.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	Config map[string]servicev1.Options `json:"config,omitempty"`
}

// ChassisAgent is the programs that carry packets of the servers of a host.
type ChassisAgent struct {
	Agent `json:",inline"`
	// Config sets options of Open vSwitch and ovn-controller: column of the table Open_vSwitch, key, value. The columns
	// are other_config, such as max-idle: 30000, and external_ids, such as ovn-memlimit-lflow-cache-kb: 65536. What the
	// programs do not know, and what the operator has to own, is refused before any pod changes.
	// +optional
	Config infrav1.OVNChassisConfig `json:"config,omitempty"`
}

// MetadataAgent is the program from which the servers of a host learn who they are.
type MetadataAgent struct {
	Agent `json:",inline"`
	// Config sets options of neutron-ovn-metadata-agent: section, option, value. It wins over those of the operator. A
	// value is a string, a number, a boolean, or a list of these. What the release does not have is refused before any
	// pod changes.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Config map[string]servicev1.Options `json:"config,omitempty"`
}

// Hosts says which nodes are hosts of the block.
type Hosts struct {
	// NodeSelector are the labels of the nodes. A node belongs to one block at most.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=32
	NodeSelector map[string]servicev1.Label `json:"nodeSelector,omitempty"`
	// Tolerations of the agents.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
}

// Fake says how many hosts there are that run nothing.
type Fake struct {
	// Hosts is their number. They are called like the block, with a number from 0, and run in one pod.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=500
	Hosts int32 `json:"hosts"`
}

// Libvirt says how servers run.
type Libvirt struct {
	// VirtType is what servers run on: kvm, the processor; qemu, a program that does what a processor does, slowly; or
	// auto, which each host finds out for itself by starting an empty machine.
	// +optional
	// +kubebuilder:default=auto
	// +kubebuilder:validation:Enum=auto;kvm;qemu
	VirtType string `json:"virtType,omitempty"`
	// CPUMode is the processor that servers see; see Nova's option cpu_mode. Empty leaves it to Nova: host-model on kvm,
	// and QEMU's own otherwise.
	// +optional
	// +kubebuilder:validation:Enum=host-model;host-passthrough;custom;none
	CPUMode string `json:"cpuMode,omitempty"`
	// CPUModels are the names of processors for cpuMode custom, the oldest first, such as Nehalem.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=63
	CPUModels []string `json:"cpuModels,omitempty"`
	// Ceph has the users of Cephs that servers' volumes are in: those of Cinder's back ends. Hosts know their keys.
	// +optional
	// +listType=map
	// +listMapKey=secret
	// +kubebuilder:validation:MaxItems=8
	Ceph []CephUser `json:"ceph,omitempty"`
}

// Storage says where the disks of servers are. Volumes are where Cinder has them, whatever is said here.
// +kubebuilder:validation:XValidation:rule="self.rbd.pool == oldSelf.rbd.pool",message="storage.rbd.pool cannot be changed: the disks of the servers are in it; make another block"
type Storage struct {
	// RBD keeps disks in a pool of a Ceph. Servers move between the hosts of the block without copying them, and an image
	// that is in the same Ceph is not copied for a new server. The user writes the pool and reads that of the images.
	RBD servicev1.Ceph `json:"rbd"`
}

// CephUser is a user of a Ceph. Where that is Cinder tells with each volume.
type CephUser struct {
	// Secret names the Secret in this namespace with the user and its key: the one that Cinder's back end names.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Secret string `json:"secret"`
	// User is the name of the user, without client. at its beginning; empty takes the one that the Secret names.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	User string `json:"user,omitempty"`
}

// Placement says what the scheduler is to know of the hosts.
type Placement struct {
	// AvailabilityZone that the hosts make up, with those of other blocks. It is the aggregate's of the block's name.
	// Another one is taken while no servers are on the hosts; Nova takes no aggregate out of a zone.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="!self.contains(':')",message="availabilityZone has no colon: users write ZONE:HOST"
	AvailabilityZone string `json:"availabilityZone,omitempty"`
	// Aggregates name the HostAggregates in this namespace that the hosts are put into.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	Aggregates []string `json:"aggregates,omitempty"`
	// Overcommit says how much more is given to servers than there is.
	// +optional
	Overcommit Overcommit `json:"overcommit,omitzero"`
	// Traits of the hosts beside those that Nova finds out.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Traits []Trait `json:"traits,omitempty"`
}

// Trait is a quality of a host that flavors and images can ask for.
// +kubebuilder:validation:MaxLength=255
// +kubebuilder:validation:XValidation:rule="self.matches('^CUSTOM_[A-Z0-9_]+$')",message="a trait of one's own is CUSTOM_ and capital letters, digits and underscores, such as CUSTOM_GOLD; all others Nova finds out"
type Trait string

// Overcommit says how much more is given to servers than there is. Empty leaves it to Nova: 4 for CPU, 1 for others,
// unless somebody sets another ratio in Placement. What is emptied becomes Nova's again, and stays so.
type Overcommit struct {
	// CPU is how many virtual processors there are for each real one, such as 4.0.
	// +optional
	CPU *Ratio `json:"cpu,omitempty"`
	// Memory is how much is given for each real one, such as 1.0.
	// +optional
	Memory *Ratio `json:"memory,omitempty"`
	// Disk is how much is given for each real one, such as 1.5.
	// +optional
	Disk *Ratio `json:"disk,omitempty"`
}

// Ratio is a decimal number greater than 0, written as a string.
// +kubebuilder:validation:MaxLength=8
// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?$') && double(self) > 0.0",message="a ratio is a decimal number greater than 0 in quotes, such as \"1.5\""
type Ratio string

// BuildingBlockStatus tells how the hosts are.
type BuildingBlockStatus struct {
	owner.Status `json:",inline"`
	// Hosts counts them.
	// +optional
	Hosts HostCount `json:"hosts,omitzero"`
}

// HostCount counts the hosts of a block.
type HostCount struct {
	// Total is the number of hosts: the nodes that have the labels, or the fake ones.
	// +optional
	Total int32 `json:"total,omitempty"`
	// Ready is the number of those whose agents work.
	// +optional
	Ready int32 `json:"ready,omitempty"`
	// Servers is how many servers the hosts have, as far as Nova has told: the sum of what their Hypervisors say, which
	// can be two minutes old. While there are some the block is not deleted.
	// +optional
	Servers int32 `json:"servers,omitempty"`
}

// BuildingBlock is a set of hosts of servers that are bought, run and retired as one. Unless its driver is fake, its
// namespace has the label pod-security.kubernetes.io/enforce=privileged.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=bb,categories=openstack;stackwright
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="CELL",type=string,JSONPath=`.spec.cell`
// +kubebuilder:printcolumn:name="DRIVER",type=string,JSONPath=`.spec.driver`
// +kubebuilder:printcolumn:name="HOSTS",type=integer,JSONPath=`.status.hosts.total`
// +kubebuilder:printcolumn:name="WORKING",type=integer,JSONPath=`.status.hosts.ready`
// +kubebuilder:printcolumn:name="SERVERS",type=integer,JSONPath=`.status.hosts.servers`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$') && size(self.metadata.name) <= 40",message="the name begins the names of the block's pods: at most 40 lower-case letters, digits and dashes, beginning with a letter"
type BuildingBlock struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which hosts are wanted.
	Spec BuildingBlockSpec `json:"spec"`
	// Status tells how the hosts are.
	// +optional
	Status BuildingBlockStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (b *BuildingBlock) KitStatus() *owner.Status { return &b.Status.Status }

// Paused tells whether a person stopped all changes.
func (b *BuildingBlock) Paused() bool { return b.Spec.Paused }

// BuildingBlockList is a list of BuildingBlock.
// +kubebuilder:object:root=true
type BuildingBlockList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BuildingBlock `json:"items"`
}
