package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// ProjectBundleSpec says what a project has in it.
type ProjectBundleSpec struct {
	// CloudRef names the cloud of all objects of the bundle. Empty: the Cloud named default in this namespace, or else the
	// ClusterCloud named default.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cloudRef cannot be changed: what is in the cloud would be left behind; make another bundle"
	CloudRef *CloudReference `json:"cloudRef,omitempty"`
	// Project itself, with the name of the bundle unless it says another.
	// +optional
	Project ProjectResource `json:"project,omitzero"`
	// Quota limits what the project may have.
	// +optional
	Quota BundleQuota `json:"quota,omitzero"`
	// Networks of the project.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Networks []BundleNetwork `json:"networks,omitempty"`
	// Routers of the project.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Routers []BundleRouter `json:"routers,omitempty"`
	// SecurityGroups of the project, with what may pass.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	SecurityGroups []BundleSecurityGroup `json:"securityGroups,omitempty"`
	// RoleBindings say who has which role in the project.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	RoleBindings []BundleRoleBinding `json:"roleBindings,omitempty"`
}

// BundleQuota limits what a project may have. What is left out stays as the cloud has it by default.
type BundleQuota struct {
	// Compute limits servers.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.projectRef)",message="the quota is that of the bundle's project; remove projectRef"
	Compute *ComputeQuotaResource `json:"compute,omitempty"`
	// Network limits networks.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.projectRef)",message="the quota is that of the bundle's project; remove projectRef"
	Network *NetworkQuotaResource `json:"network,omitempty"`
	// Volume limits volumes.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.projectRef)",message="the quota is that of the bundle's project; remove projectRef"
	Volume *VolumeQuotaResource `json:"volume,omitempty"`
	// Limits are those that Keystone keeps, for services that ask it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Limits []BundleLimit `json:"limits,omitempty"`
}

// BundleLimit is one limit that Keystone keeps.
type BundleLimit struct {
	// ServiceRef names the service that keeps to the limit.
	ServiceRef Reference `json:"serviceRef"`
	// ResourceName is what is limited, such as secrets.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	ResourceName string `json:"resourceName"`
	// ResourceLimit is how many there may be; -1 is no limit.
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	ResourceLimit int64 `json:"resourceLimit"`
}

// BundleNetwork is a network with its subnets.
type BundleNetwork struct {
	// Name of the network.
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern="^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"
	Name string `json:"name"`
	// MTU is the largest packet.
	// +optional
	// +kubebuilder:validation:Minimum=68
	// +kubebuilder:validation:Maximum=65535
	MTU *int64 `json:"mtu,omitempty"`
	// DNSDomain of the ports' names, which ends in a dot.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DNSDomain *string `json:"dnsDomain,omitempty"`
	// Subnets of the network.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Subnets []BundleSubnet `json:"subnets,omitempty"`
}

// BundleSubnet is a range of addresses.
type BundleSubnet struct {
	// Name of the subnet.
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern="^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"
	Name string `json:"name"`
	// IPVersion is 4 or 6.
	// +optional
	// +kubebuilder:default=4
	// +kubebuilder:validation:Enum=4;6
	IPVersion int64 `json:"ipVersion,omitempty"`
	// CIDR is the range, as 192.0.2.0/24.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	CIDR string `json:"cidr"`
	// GatewayIP is the address of the router; the first of the range when empty, or none.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	GatewayIP *string `json:"gatewayIP,omitempty"`
	// AllocationPools are the addresses that ports get; all when empty.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	AllocationPools []SubnetAllocationPools `json:"allocationPools,omitzero"`
	// DNSNameservers are the servers of DNS that ports are told.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=64
	DNSNameservers []string `json:"dnsNameservers,omitzero"`
	// EnableDHCP says whether ports are told by DHCP.
	// +optional
	EnableDHCP *bool `json:"enableDHCP,omitempty"`
	// Router of the bundle, by name, that the subnet is connected with; none when empty.
	// +optional
	// +kubebuilder:validation:MaxLength=40
	Router string `json:"router,omitempty"`
}

// BundleRouter connects subnets, which name it, with each other and with the outside.
type BundleRouter struct {
	// Name of the router.
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern="^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"
	Name string `json:"name"`
	// ExternalGateway is the way to the outside.
	// +optional
	ExternalGateway *RouterExternalGateway `json:"externalGateway,omitempty"`
}

// BundleSecurityGroup says what may pass the ports that have it.
type BundleSecurityGroup struct {
	// Name of the group.
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:Pattern="^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"
	Name string `json:"name"`
	// Description is a sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description *string `json:"description,omitempty"`
	// Rules let something pass. Neutron itself adds rules that let everything out.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Rules []BundleRule `json:"rules,omitempty"`
}

// BundleRule lets something pass.
// +kubebuilder:validation:XValidation:rule="!has(self.remoteGroup) || !has(self.remoteIPPrefix)",message="set at most one of remoteGroup and remoteIPPrefix"
type BundleRule struct {
	// Direction is out of the server or into it.
	// +kubebuilder:validation:Enum=egress;ingress
	Direction string `json:"direction"`
	// Ethertype is the version of IP; IPv4 when empty.
	// +optional
	// +kubebuilder:validation:Enum=IPv4;IPv6
	Ethertype *string `json:"ethertype,omitempty"`
	// Protocol, such as tcp, or its number; any when empty.
	// +optional
	// +kubebuilder:validation:MaxLength=40
	Protocol *string `json:"protocol,omitempty"`
	// PortRange has the ports; type and code for ICMP. Any when empty.
	// +optional
	PortRange *SecurityGroupRulePortRange `json:"portRange,omitempty"`
	// RemoteIPPrefix has the addresses on the other side.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	RemoteIPPrefix *string `json:"remoteIPPrefix,omitempty"`
	// RemoteGroup is a group of the bundle, by name, whose ports are on the other side.
	// +optional
	// +kubebuilder:validation:MaxLength=40
	RemoteGroup string `json:"remoteGroup,omitempty"`
}

// BundleRoleBinding gives a role in the project to a user or a group.
// +kubebuilder:validation:XValidation:rule="has(self.userRef) != has(self.groupRef)",message="set either userRef or groupRef"
type BundleRoleBinding struct {
	// RoleRef names the role.
	RoleRef Reference `json:"roleRef"`
	// UserRef names the user that gets it.
	// +optional
	UserRef *Reference `json:"userRef,omitempty"`
	// GroupRef names the group whose users get it.
	// +optional
	GroupRef *Reference `json:"groupRef,omitempty"`
}

// ProjectBundleStatus is what is known of a bundle.
type ProjectBundleStatus struct {
	owner.Status `json:",inline"`
}

// ProjectBundle is a project with its quota, networks, routers, security groups and role bindings in one object. It
// makes an object for each of them.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=any"
// +kubebuilder:resource:categories=openstack,shortName=osbundle
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type ProjectBundle struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what the project has in it.
	// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed: what is in the cloud would be left behind; make another bundle"
	// +optional
	Spec ProjectBundleSpec `json:"spec,omitzero"`
	// Status is what is known of the bundle.
	// +optional
	Status ProjectBundleStatus `json:"status,omitzero"`
}

// KitStatus is the part of the status that the kit writes.
func (b *ProjectBundle) KitStatus() *owner.Status { return &b.Status.Status }

// ProjectBundleList is a list of bundles.
// +kubebuilder:object:root=true
type ProjectBundleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ProjectBundle `json:"items"`
}
