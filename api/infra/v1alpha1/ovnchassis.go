package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"stackwright.dev/kit/owner"
)

// OVNChassisSpec is what a person wants of a set of nodes that are chassis of an OVN.
// +kubebuilder:validation:XValidation:rule="!has(self.bridgeMappings) || self.bridgeMappings.all(m, !has(m.interface) || self.bridgeMappings.exists_one(n, has(n.interface) && n.interface == m.interface) && !(has(self.tunnel) && has(self.tunnel.interface) && self.tunnel.interface == m.interface))",message="a NIC is a port of one bridge: give tunnel and each of bridgeMappings another interface"
type OVNChassisSpec struct {
	// OVN names the OVN in the same namespace whose chassis the nodes are.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="ovn cannot change: make another OVNChassis, and delete this one"
	OVN string `json:"ovn"`
	// Image with Open vSwitch, ovn-controller and the agent, as a full reference.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image"`
	// NodeSelector has the labels of the nodes that are chassis. A node is a chassis of one OVNChassis.
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=16
	NodeSelector map[string]string `json:"nodeSelector"`
	// Nodes are chassis by name, beside those that have the labels: such as hosts that have lost them and have servers
	// still.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	Nodes []string `json:"nodes,omitempty"`
	// Tolerations let pods run on tainted nodes.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// Resources of the container that forwards packets, in which ovs-vswitchd runs.
	// +optional
	Resources     corev1.ResourceRequirements `json:"resources,omitzero"`
	OVNConnection `json:",inline"`
	// Config sets options of Open vSwitch and ovn-controller: column of the table Open_vSwitch, key, value. The columns
	// are other_config, such as max-idle: 30000, and external_ids, such as ovn-memlimit-lflow-cache-kb: 65536. What the
	// programs do not know, and what the operator has to own, is refused before any pod changes.
	// +optional
	Config OVNChassisConfig `json:"config,omitempty"`
	// MaxUnavailable is how many nodes, or how many percent of them, are updated at the same time. Packets of their
	// guests wait for some seconds.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 1 && self <= 1000 : self.matches('^([1-9][0-9]?|100)%$')",message="maxUnavailable is a number from 1 on, or a percentage such as 10%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
	// Paused stops the operator from touching anything of this object.
	// +optional
	Paused bool `json:"paused,omitempty"`
}

// OVNConnection says how nodes are connected, with each other and with networks outside.
type OVNConnection struct {
	// Datapath forwards packets: Kernel is the fast one and needs the kernel's module openvswitch, Userspace runs
	// everywhere. Auto (the default) takes the kernel's where it works, for each node; a node keeps the one it began with.
	// +optional
	// +kubebuilder:default=Auto
	// +kubebuilder:validation:MaxLength=16
	Datapath OVNDatapath `json:"datapath,omitempty"`
	// Tunnel carries packets between nodes.
	// +optional
	Tunnel OVNTunnel `json:"tunnel,omitzero"`
	// Gateway lets Neutron put the gateways of routers onto the nodes.
	// +optional
	Gateway bool `json:"gateway,omitempty"`
	// BridgeMappings are the physical networks that the nodes are connected to.
	// +optional
	// +listType=map
	// +listMapKey=physicalNetwork
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(m, self.exists_one(n, (has(n.bridge) ? n.bridge : 'br-' + n.physicalNetwork) == (has(m.bridge) ? m.bridge : 'br-' + m.physicalNetwork)))",message="every physical network has a bridge of its own: give each of bridgeMappings another bridge"
	BridgeMappings []OVNBridgeMapping `json:"bridgeMappings,omitempty"`
}

// OVNDatapath is how Open vSwitch forwards packets.
// +kubebuilder:validation:Enum=Auto;Kernel;Userspace
type OVNDatapath string

// The datapaths.
const (
	DatapathAuto      OVNDatapath = "Auto"
	DatapathKernel    OVNDatapath = "Kernel"
	DatapathUserspace OVNDatapath = "Userspace"
)

// OVNTunnel says which way packets between nodes take.
type OVNTunnel struct {
	// Interface is the NIC of each node that carries tunnels; its address is the node's end of them. Empty takes the
	// node's own address, by which the kernel's datapath only can reach other nodes. For the datapath in userspace the
	// NIC becomes a port of bridge br-tunnel, which takes over its address: such a NIC can have no other use.
	// +optional
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9][-A-Za-z0-9_.@]*$')",message="tunnel.interface is the name of a NIC as `ip link` shows it, such as eth1"
	Interface string `json:"interface,omitempty"`
}

// OVNBridgeMapping connects a node to a physical network.
// +kubebuilder:validation:XValidation:rule="has(self.bridge) || size(self.physicalNetwork) <= 12 && !(self.physicalNetwork in ['int', 'tunnel'])",message="give the mapping a bridge: br-<physicalNetwork> is longer than 15 characters or taken"
type OVNBridgeMapping struct {
	// PhysicalNetwork is the name by which Neutron's provider networks name it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9][-A-Za-z0-9_.]*$')",message="physicalNetwork has letters, digits, dashes, dots and underscores"
	PhysicalNetwork string `json:"physicalNetwork"`
	// Bridge of Open vSwitch on each node; br-<physicalNetwork> when empty.
	// +optional
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z][-A-Za-z0-9_.]*$') && !(self in ['br-int', 'br-tunnel'])",message="bridge has at most 15 letters, digits, dashes, dots and underscores and is not br-int or br-tunnel, which are taken"
	Bridge string `json:"bridge,omitempty"`
	// Interface is the NIC of each node that becomes a port of the bridge. Empty leaves the network on the node.
	// +optional
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9][-A-Za-z0-9_.@]*$')",message="interface is the name of a NIC as `ip link` shows it, such as eth2"
	Interface string `json:"interface,omitempty"`
	// Address, such as 203.0.113.1/24, is given to each node on the bridge, so that the node itself can be the gateway
	// of the network where there is no router, as on a machine for development.
	// +optional
	// +kubebuilder:validation:MaxLength=49
	// +kubebuilder:validation:XValidation:rule="isCIDR(self)",message="address is one with its prefix length, such as 203.0.113.1/24"
	Address string `json:"address,omitempty"`
}

// OVNChassisStatus is what the operator sees of the nodes.
type OVNChassisStatus struct {
	owner.Status `json:",inline"`
	// DesiredNodes is the number of nodes that are to be chassis.
	// +optional
	DesiredNodes int32 `json:"desiredNodes,omitempty"`
	// ReadyNodes is the number of nodes whose daemons run and know the southbound database.
	// +optional
	ReadyNodes int32 `json:"readyNodes,omitempty"`
	// Nodes are the chassis that the southbound database has of this set.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=1000
	Nodes []OVNChassisNode `json:"nodes,omitempty"`
}

// OVNChassisNode is a node as the southbound database knows it.
type OVNChassisNode struct {
	// Name of the node, and of the chassis.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Datapath that the node took: Kernel or Userspace.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Datapath OVNDatapath `json:"datapath,omitempty"`
	// TunnelAddress is the node's end of tunnels.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	TunnelAddress string `json:"tunnelAddress,omitempty"`
}

// OVNChassis is a set of nodes that are chassis of an OVN: Open vSwitch and ovn-controller run on each. Its namespace
// has the label pod-security.kubernetes.io/enforce=privileged.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=ovnchassis,singular=ovnchassis,categories=stackwright,shortName=chassis
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="NODES",type=integer,JSONPath=`.status.desiredNodes`
// +kubebuilder:printcolumn:name="READYNODES",type=integer,JSONPath=`.status.readyNodes`
// +kubebuilder:printcolumn:name="GATEWAY",type=boolean,JSONPath=`.spec.gateway`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name has at most 40 characters, so that the names of pods made from it stay valid"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name is a DNS label: lower case letters, digits and dashes, beginning with a letter"
type OVNChassis struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// Spec is what a person wants.
	Spec OVNChassisSpec `json:"spec"`
	// Status is what the operator sees.
	// +optional
	Status OVNChassisStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (o *OVNChassis) KitStatus() *owner.Status { return &o.Status.Status }

// Paused tells whether the operator keeps its hands off.
func (o *OVNChassis) Paused() bool { return o.Spec.Paused }

// OVNChassisList is a list of sets of chassis.
// +kubebuilder:object:root=true
type OVNChassisList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []OVNChassis `json:"items"`
}
