package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// NeutronSpec says which network service is wanted.
type NeutronSpec struct {
	CommonSpec `json:",inline"`

	// Database says where it is kept which networks there are.
	Database Database `json:"database"`
	// Identity says where the service is known.
	Identity Identity `json:"identity"`
	// RabbitMQ names the RabbitMQ by which the service's programs talk, and gets a MessageBus for it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	RabbitMQ string `json:"rabbitmq"`
	// Notifications sends a message for each change of a network and of what is in it.
	// A queue that nobody reads keeps the newest 16 MiB.
	// +optional
	Notifications bool `json:"notifications,omitempty"`
	// NotifyNova tells Nova what becomes of the ports of servers: a server starts when its ports are plugged. It is for a
	// Nova that is in the catalog.
	// +optional
	NotifyNova bool `json:"notifyNova,omitempty"`
	// OVN names the OVN whose databases Neutron writes. It cannot be changed: networks would stay behind.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="ovn cannot be changed: networks would stay behind in the other one"
	OVN string `json:"ovn"`
	// PhysicalNetworks are the networks outside of OVN that nodes are connected to, such as the one with floating IPs.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	PhysicalNetworks []PhysicalNetwork `json:"physicalNetworks,omitempty"`
	// MTU of the network that carries the packets between nodes, in bytes. Networks of projects get what is left of it.
	// +optional
	// +kubebuilder:default=1500
	// +kubebuilder:validation:Minimum=1280
	// +kubebuilder:validation:Maximum=65535
	MTU int32 `json:"mtu,omitempty"`
	// DNSDomain is the domain in which ports have their names, such as cloud.example.org. Empty: ports have none but
	// what Neutron calls them.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="dnsDomain is a DNS domain without the dot at its end, such as cloud.example.org"
	DNSDomain string `json:"dnsDomain,omitempty"`
	// DNSServers are those that guests are told of whose subnet names none. Empty: guests are told of none, and need
	// subnets with dnsNameservers to find names. Subnets that there are follow when they are changed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=6
	DNSServers []DNSServer `json:"dnsServers,omitempty"`
	// RPC says how the program runs that answers agents.
	// +optional
	// +kubebuilder:default={}
	RPC Worker `json:"rpc,omitzero"`
	// Periodic says how the program runs that does by the clock what nobody asks for.
	// +optional
	// +kubebuilder:default={}
	Periodic Worker `json:"periodic,omitzero"`
	// Maintenance says how the program runs that puts right what OVN's databases lack. Of several, one works.
	// +optional
	// +kubebuilder:default={}
	Maintenance Worker `json:"maintenance,omitzero"`
}

// PhysicalNetwork is a network outside of OVN.
type PhysicalNetwork struct {
	// Name by which networks are made on it, and nodes say that they are connected to it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9]([-_A-Za-z0-9]*[A-Za-z0-9])?$')",message="the name is of letters, digits, dashes and underscores, such as physnet1"
	Name string `json:"name"`
	// MTU of the network in bytes; empty is that of Neutron.
	// +optional
	// +kubebuilder:validation:Minimum=1280
	// +kubebuilder:validation:Maximum=65535
	MTU int32 `json:"mtu,omitempty"`
	// VLANs are ranges of ids, such as 100:199. A network on a VLAN that an administrator makes without an id gets one.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	VLANs []VLANRange `json:"vlans,omitempty"`
}

// VLANRange is a first and a last VLAN id with a colon between, such as 100:199.
// +kubebuilder:validation:MaxLength=9
// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+:[0-9]+$') && int(self.split(':')[0]) >= 1 && int(self.split(':')[0]) <= int(self.split(':')[1]) && int(self.split(':')[1]) <= 4094",message="a range is a first and a last VLAN id from 1 to 4094, such as 100:199"
type VLANRange string

// DNSServer is an IP address.
// +kubebuilder:validation:MaxLength=45
// +kubebuilder:validation:XValidation:rule="isIP(self)",message="a DNS server is an IP address"
type DNSServer string

// NeutronStatus tells what the network service is.
type NeutronStatus struct {
	owner.Status  `json:",inline"`
	ServiceStatus `json:",inline"`
}

// Neutron is the network service of an OpenStack, on OVN: networks, subnets, routers, ports and their security groups.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:shortName=neu,categories=openstack;stackwright
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="PODS",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="PUBLIC",type=string,JSONPath=`.status.endpoints.public`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$') && size(self.metadata.name) <= 40",message="the name begins the names of the service's objects: at most 40 lower-case letters, digits and dashes, beginning with a letter"
type Neutron struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which network service is wanted.
	Spec NeutronSpec `json:"spec"`
	// Status tells what the network service is.
	// +optional
	Status NeutronStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (n *Neutron) KitStatus() *owner.Status { return &n.Status.Status }

// Paused tells whether a person stopped all changes.
func (n *Neutron) Paused() bool { return n.Spec.Paused }

// Common returns what every service takes.
func (n *Neutron) Common() *CommonSpec { return &n.Spec.CommonSpec }

// Service returns what every service tells.
func (n *Neutron) Service() *ServiceStatus { return &n.Status.ServiceStatus }

// NeutronList is a list of Neutron.
// +kubebuilder:object:root=true
type NeutronList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Neutron `json:"items"`
}
