// Code generated from internal/resources/kinds. DO NOT EDIT.

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// OctaviaFlavorProfile is what a provider is told about how to make load balancers.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=load-balancer"
// +kubebuilder:resource:path=octaviaflavorprofiles,categories=openstack,shortName=osoctaviaflavorprofile
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type OctaviaFlavorProfile struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec OctaviaFlavorProfileSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// OctaviaFlavorProfileSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type OctaviaFlavorProfileSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *OctaviaFlavorProfileResource `json:"resource,omitempty"`
}

// OctaviaFlavorProfileResource has what is declared of the resource.
type OctaviaFlavorProfileResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// Provider, such as amphora. Fixed once a load balancer has it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Provider string `json:"provider"`
	// What it is told, as JSON. Fixed once a load balancer has it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	FlavorData string `json:"flavorData"`
}

// OctaviaFlavorProfileList is a list of objects of kind OctaviaFlavorProfile.
// +kubebuilder:object:root=true
type OctaviaFlavorProfileList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OctaviaFlavorProfile `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *OctaviaFlavorProfile) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *OctaviaFlavorProfile) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *OctaviaFlavorProfile) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *OctaviaFlavorProfile) Observed() *ResourceStatus { return &o.Status }

// OctaviaFlavor is a way in which load balancers are made, which people can choose.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=load-balancer"
// +kubebuilder:resource:path=octaviaflavors,categories=openstack,shortName=osoctaviaflavor
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type OctaviaFlavor struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec OctaviaFlavorSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// OctaviaFlavorSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type OctaviaFlavorSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *OctaviaFlavorResource `json:"resource,omitempty"`
}

// OctaviaFlavorResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.flavorProfileRef == oldSelf.flavorProfileRef",message="flavorProfileRef cannot be changed after creation: put back what was there, or delete the object and make another"
type OctaviaFlavorResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description *string `json:"description,omitempty"`
	// Whether it can be chosen.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// What the provider is told. It cannot be changed after creation.
	FlavorProfileRef Reference `json:"flavorProfileRef"`
}

// OctaviaFlavorList is a list of objects of kind OctaviaFlavor.
// +kubebuilder:object:root=true
type OctaviaFlavorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OctaviaFlavor `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *OctaviaFlavor) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *OctaviaFlavor) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *OctaviaFlavor) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *OctaviaFlavor) Observed() *ResourceStatus { return &o.Status }

// LoadBalancer spreads connections over servers.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=load-balancer"
// +kubebuilder:resource:path=loadbalancers,categories=openstack,shortName=osloadbalancer
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type LoadBalancer struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec LoadBalancerSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// LoadBalancerSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type LoadBalancerSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *LoadBalancerResource `json:"resource,omitempty"`
}

// LoadBalancerResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.vipNetworkRef) ? has(oldSelf.vipNetworkRef) && self.vipNetworkRef == oldSelf.vipNetworkRef : !(has(oldSelf.vipNetworkRef))",message="vipNetworkRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.vipSubnetRef) ? has(oldSelf.vipSubnetRef) && self.vipSubnetRef == oldSelf.vipSubnetRef : !(has(oldSelf.vipSubnetRef))",message="vipSubnetRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.vipPortRef) ? has(oldSelf.vipPortRef) && self.vipPortRef == oldSelf.vipPortRef : !(has(oldSelf.vipPortRef))",message="vipPortRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.vipAddress) ? has(oldSelf.vipAddress) && self.vipAddress == oldSelf.vipAddress : !(has(oldSelf.vipAddress))",message="vipAddress cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.additionalVIPs) ? has(oldSelf.additionalVIPs) && self.additionalVIPs == oldSelf.additionalVIPs : !(has(oldSelf.additionalVIPs))",message="additionalVIPs cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.provider) ? has(oldSelf.provider) && self.provider == oldSelf.provider : !(has(oldSelf.provider))",message="provider cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.flavorRef) ? has(oldSelf.flavorRef) && self.flavorRef == oldSelf.flavorRef : !(has(oldSelf.flavorRef))",message="flavorRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.availabilityZone) ? has(oldSelf.availabilityZone) && self.availabilityZone == oldSelf.availabilityZone : !(has(oldSelf.availabilityZone))",message="availabilityZone cannot be changed after creation: put back what was there, or delete the object and make another"
type LoadBalancerResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description *string `json:"description,omitempty"`
	// Project that owns it; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Whether it is in operation.
	// +optional
	AdminStateUp *bool `json:"adminStateUp,omitempty"`
	// Words by which it is found.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Network of its address. It cannot be changed after creation.
	// +optional
	VIPNetworkRef *Reference `json:"vipNetworkRef,omitempty"`
	// Subnet of its address. It cannot be changed after creation.
	// +optional
	VIPSubnetRef *Reference `json:"vipSubnetRef,omitempty"`
	// Port that has its address. It cannot be changed after creation.
	// +optional
	VIPPortRef *Reference `json:"vipPortRef,omitempty"`
	// Its address; a free one when empty. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	VIPAddress *string `json:"vipAddress,omitempty"`
	// Limits of its address. `{none: true}` says that there is none.
	// +optional
	VIPQoSPolicyRef *ReferenceOrNone `json:"vipQoSPolicyRef,omitempty"`
	// What may pass to it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	VIPSecurityGroupRefs []Reference `json:"vipSecurityGroupRefs,omitzero"`
	// More addresses. It cannot be changed after creation.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	AdditionalVIPs []LoadBalancerAdditionalVIPs `json:"additionalVIPs,omitzero"`
	// Who makes it, such as amphora or ovn. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Provider *string `json:"provider,omitempty"`
	// How it is made. It cannot be changed after creation.
	// +optional
	FlavorRef *Reference `json:"flavorRef,omitempty"`
	// Zone in which it is. It cannot be changed after creation.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	AvailabilityZone *string `json:"availabilityZone,omitempty"`
}

// LoadBalancerAdditionalVIPs is what additionalVIPs has in it.
type LoadBalancerAdditionalVIPs struct {
	// Subnet of the address.
	SubnetRef Reference `json:"subnetRef"`
	// The address; a free one when empty.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	IP *string `json:"ip,omitempty"`
}

// LoadBalancerList is a list of objects of kind LoadBalancer.
// +kubebuilder:object:root=true
type LoadBalancerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []LoadBalancer `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *LoadBalancer) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *LoadBalancer) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *LoadBalancer) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *LoadBalancer) Observed() *ResourceStatus { return &o.Status }

// Listener is a port on which a load balancer takes connections.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=load-balancer"
// +kubebuilder:resource:path=listeners,categories=openstack,shortName=oslistener
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Listener struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec ListenerSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// ListenerSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type ListenerSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *ListenerResource `json:"resource,omitempty"`
}

// ListenerResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.loadBalancerRef == oldSelf.loadBalancerRef",message="loadBalancerRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.protocol == oldSelf.protocol",message="protocol cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.protocolPort == oldSelf.protocolPort",message="protocolPort cannot be changed after creation: put back what was there, or delete the object and make another"
type ListenerResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description *string `json:"description,omitempty"`
	// Whether it is in operation.
	// +optional
	AdminStateUp *bool `json:"adminStateUp,omitempty"`
	// Words by which it is found.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Load balancer that has the port. It cannot be changed after creation.
	LoadBalancerRef Reference `json:"loadBalancerRef"`
	// What is spoken. It cannot be changed after creation.
	// +kubebuilder:validation:Enum="HTTP";"HTTPS";"PROMETHEUS";"SCTP";"TCP";"TERMINATED_HTTPS";"UDP"
	Protocol string `json:"protocol"`
	// Number of the port. It cannot be changed after creation.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	ProtocolPort int64 `json:"protocolPort"`
	// Pool that gets connections no L7Policy takes. `{none: true}` says that there is none.
	// +optional
	DefaultPoolRef *ReferenceOrNone `json:"defaultPoolRef,omitempty"`
	// Connections at a time; -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	ConnectionLimit *int64 `json:"connectionLimit,omitempty"`
	// Headers that are added to requests, such as X-Forwarded-For.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	InsertHeaders map[string]Text `json:"insertHeaders,omitzero"`
	// Who may connect; all when empty.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=64
	AllowedCIDRs []string `json:"allowedCIDRs,omitzero"`
	// Milliseconds that clients may be silent.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2073600000
	TimeoutClientData *int64 `json:"timeoutClientData,omitempty"`
	// Milliseconds that connecting to a member may take.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2073600000
	TimeoutMemberConnect *int64 `json:"timeoutMemberConnect,omitempty"`
	// Milliseconds that members may be silent.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2073600000
	TimeoutMemberData *int64 `json:"timeoutMemberData,omitempty"`
	// Milliseconds to wait for more of a request.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2073600000
	TimeoutTcpInspect *int64 `json:"timeoutTcpInspect,omitempty"`
	// Certificate and key, as PKCS12. `{none: true}` says that there is none.
	// +optional
	DefaultTLSContainerRef *ReferenceOrNone `json:"defaultTLSContainerRef,omitempty"`
	// Certificates and keys of more names.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	SNIContainerRefs []Reference `json:"sniContainerRefs,omitzero"`
	// Whether clients have certificates.
	// +optional
	// +kubebuilder:validation:Enum="MANDATORY";"NONE";"OPTIONAL"
	ClientAuthentication *string `json:"clientAuthentication,omitempty"`
	// Who signs clients. `{none: true}` says that there is none.
	// +optional
	ClientCAContainerRef *ReferenceOrNone `json:"clientCAContainerRef,omitempty"`
	// Clients that are void. `{none: true}` says that there is none.
	// +optional
	ClientCRLContainerRef *ReferenceOrNone `json:"clientCRLContainerRef,omitempty"`
	// Ciphers of TLS in the spelling of OpenSSL, with colons in between.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	TLSCiphers *string `json:"tlsCiphers,omitempty"`
	// Versions of TLS, such as TLSv1.3.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=32
	TLSVersions []string `json:"tlsVersions,omitzero"`
	// Protocols that TLS offers, the best first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:Enum="h2";"http/1.0";"http/1.1"
	AlpnProtocols []string `json:"alpnProtocols,omitzero"`
	// Seconds for which browsers come back by HTTPS only.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	HstsMaxAge *int64 `json:"hstsMaxAge,omitempty"`
	// Whether that holds for the names below too.
	// +optional
	HstsIncludeSubdomains *bool `json:"hstsIncludeSubdomains,omitempty"`
	// Whether browsers may ship with that.
	// +optional
	HstsPreload *bool `json:"hstsPreload,omitempty"`
}

// ListenerList is a list of objects of kind Listener.
// +kubebuilder:object:root=true
type ListenerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Listener `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Listener) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Listener) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Listener) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Listener) Observed() *ResourceStatus { return &o.Status }

// Pool is a set of servers among which a load balancer chooses: its members.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=load-balancer"
// +kubebuilder:resource:path=pools,categories=openstack,shortName=ospool
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Pool struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec PoolSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// PoolSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type PoolSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *PoolResource `json:"resource,omitempty"`
}

// PoolResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.loadBalancerRef) ? has(oldSelf.loadBalancerRef) && self.loadBalancerRef == oldSelf.loadBalancerRef : !(has(oldSelf.loadBalancerRef))",message="loadBalancerRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.listenerRef) ? has(oldSelf.listenerRef) && self.listenerRef == oldSelf.listenerRef : !(has(oldSelf.listenerRef))",message="listenerRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.protocol == oldSelf.protocol",message="protocol cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="[has(self.loadBalancerRef), has(self.listenerRef)].exists_one(x, x)",message="set exactly one of loadBalancerRef, listenerRef"
type PoolResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description *string `json:"description,omitempty"`
	// Whether it is in operation.
	// +optional
	AdminStateUp *bool `json:"adminStateUp,omitempty"`
	// Words by which it is found.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Load balancer that has the pool; listeners and policies name it. It cannot be changed after creation.
	// +optional
	LoadBalancerRef *Reference `json:"loadBalancerRef,omitempty"`
	// Listener whose default pool it becomes. It cannot be changed after creation.
	// +optional
	ListenerRef *Reference `json:"listenerRef,omitempty"`
	// What members speak. It cannot be changed after creation.
	// +kubebuilder:validation:Enum="HTTP";"HTTPS";"PROXY";"PROXYV2";"SCTP";"TCP";"UDP"
	Protocol string `json:"protocol"`
	// How a member is chosen.
	// +kubebuilder:validation:Enum="LEAST_CONNECTIONS";"ROUND_ROBIN";"SOURCE_IP";"SOURCE_IP_PORT"
	LbAlgorithm string `json:"lbAlgorithm"`
	// How a client comes to the same member again. `{none: true}` says that there is none.
	// +optional
	SessionPersistence *PoolSessionPersistence `json:"sessionPersistence,omitempty"`
	// Whether members speak TLS.
	// +optional
	TLSEnabled *bool `json:"tlsEnabled,omitempty"`
	// Certificate for members, as PKCS12. `{none: true}` says that there is none.
	// +optional
	TLSContainerRef *ReferenceOrNone `json:"tlsContainerRef,omitempty"`
	// Who signs members. `{none: true}` says that there is none.
	// +optional
	CaContainerRef *ReferenceOrNone `json:"caContainerRef,omitempty"`
	// Members that are void. `{none: true}` says that there is none.
	// +optional
	CrlContainerRef *ReferenceOrNone `json:"crlContainerRef,omitempty"`
	// Ciphers of TLS in the spelling of OpenSSL, with colons in between.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	TLSCiphers *string `json:"tlsCiphers,omitempty"`
	// Versions of TLS, such as TLSv1.3.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=32
	TLSVersions []string `json:"tlsVersions,omitzero"`
	// Protocols that TLS offers, the best first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:Enum="h2";"http/1.0";"http/1.1"
	AlpnProtocols []string `json:"alpnProtocols,omitzero"`
}

// PoolSessionPersistence is what sessionPersistence has in it.
// +kubebuilder:validation:XValidation:rule="has(self.none) ? !(has(self.type) || has(self.cookieName) || has(self.persistenceTimeout) || has(self.persistenceGranularity)) : has(self.type)",message="set type, or none alone"
type PoolSessionPersistence struct {
	// By what it is known.
	// +optional
	// +kubebuilder:validation:Enum="APP_COOKIE";"HTTP_COOKIE";"SOURCE_IP"
	Type *string `json:"type,omitempty"`
	// Cookie of the application.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	CookieName *string `json:"cookieName,omitempty"`
	// Seconds that it is known; for UDP and SCTP.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	PersistenceTimeout *int64 `json:"persistenceTimeout,omitempty"`
	// Mask of addresses that are the same client; for UDP and SCTP.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	PersistenceGranularity *string `json:"persistenceGranularity,omitempty"`
	// True says that there is none, and stands alone.
	// +optional
	// +kubebuilder:validation:Enum=true
	None *bool `json:"none,omitempty"`
}

// PoolList is a list of objects of kind Pool.
// +kubebuilder:object:root=true
type PoolList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Pool `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Pool) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Pool) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Pool) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Pool) Observed() *ResourceStatus { return &o.Status }

// Member is a server of a pool.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=load-balancer"
// +kubebuilder:resource:path=members,categories=openstack,shortName=osmember
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type Member struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec MemberSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// MemberSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare poolRef in spec.resource, with an import too: it is found there only"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type MemberSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *MemberResource `json:"resource,omitempty"`
}

// MemberResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.poolRef == oldSelf.poolRef",message="poolRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.address == oldSelf.address",message="address cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.protocolPort == oldSelf.protocolPort",message="protocolPort cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.subnetRef) ? has(oldSelf.subnetRef) && self.subnetRef == oldSelf.subnetRef : !(has(oldSelf.subnetRef))",message="subnetRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="has(self.requestSRIOV) ? has(oldSelf.requestSRIOV) && self.requestSRIOV == oldSelf.requestSRIOV : !(has(oldSelf.requestSRIOV))",message="requestSRIOV cannot be changed after creation: put back what was there, or delete the object and make another"
type MemberResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// Whether it is in operation.
	// +optional
	AdminStateUp *bool `json:"adminStateUp,omitempty"`
	// Words by which it is found.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Pool that it is in. It cannot be changed after creation.
	PoolRef Reference `json:"poolRef"`
	// Address of the server. It cannot be changed after creation.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Address string `json:"address"`
	// Port of the server. It cannot be changed after creation.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	ProtocolPort int64 `json:"protocolPort"`
	// Subnet by which it is reached. It cannot be changed after creation.
	// +optional
	SubnetRef *Reference `json:"subnetRef,omitempty"`
	// Share of the connections; 0 takes no new ones.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=256
	Weight *int64 `json:"weight,omitempty"`
	// Whether it is used only when no other works.
	// +optional
	Backup *bool `json:"backup,omitempty"`
	// Address that is watched in place of its own.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	MonitorAddress *string `json:"monitorAddress,omitempty"`
	// Port that is watched in place of its own.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	MonitorPort *int64 `json:"monitorPort,omitempty"`
	// Whether it is reached by SR-IOV. It cannot be changed after creation.
	// +optional
	RequestSRIOV *bool `json:"requestSRIOV,omitempty"`
}

// MemberList is a list of objects of kind Member.
// +kubebuilder:object:root=true
type MemberList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Member `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *Member) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *Member) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *Member) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *Member) Observed() *ResourceStatus { return &o.Status }

// HealthMonitor watches the members of a pool, which has at most one.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=load-balancer"
// +kubebuilder:resource:path=healthmonitors,categories=openstack,shortName=oshealthmonitor
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type HealthMonitor struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec HealthMonitorSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// HealthMonitorSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type HealthMonitorSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *HealthMonitorResource `json:"resource,omitempty"`
}

// HealthMonitorResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.poolRef == oldSelf.poolRef",message="poolRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="self.type == oldSelf.type",message="type cannot be changed after creation: put back what was there, or delete the object and make another"
type HealthMonitorResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// Whether it is in operation.
	// +optional
	AdminStateUp *bool `json:"adminStateUp,omitempty"`
	// Words by which it is found.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Pool whose members are watched. It cannot be changed after creation.
	PoolRef Reference `json:"poolRef"`
	// How they are watched. It cannot be changed after creation.
	// +kubebuilder:validation:Enum="HTTP";"HTTPS";"PING";"SCTP";"TCP";"TLS-HELLO";"UDP-CONNECT"
	Type string `json:"type"`
	// Seconds between two looks.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	Delay int64 `json:"delay"`
	// Seconds that an answer may take.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	Timeout int64 `json:"timeout"`
	// Answers after which a member works.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	MaxRetries int64 `json:"maxRetries"`
	// Misses after which a member does not.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	MaxRetriesDown *int64 `json:"maxRetriesDown,omitempty"`
	// Method of the request.
	// +optional
	// +kubebuilder:validation:Enum="CONNECT";"DELETE";"GET";"HEAD";"OPTIONS";"PATCH";"POST";"PUT";"TRACE"
	HTTPMethod *string `json:"httpMethod,omitempty"`
	// Version of HTTP.
	// +optional
	// +kubebuilder:validation:Enum="1.0";"1.1"
	HTTPVersion *string `json:"httpVersion,omitempty"`
	// Path of the request.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern="^/"
	URLPath *string `json:"urlPath,omitempty"`
	// Codes of a good answer, as 200-204.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern="^[0-9]{3}(-[0-9]{3}|( *, *[0-9]{3})*)$"
	ExpectedCodes *string `json:"expectedCodes,omitempty"`
	// Name in the request's Host header.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	DomainName *string `json:"domainName,omitempty"`
}

// HealthMonitorList is a list of objects of kind HealthMonitor.
// +kubebuilder:object:root=true
type HealthMonitorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []HealthMonitor `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *HealthMonitor) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *HealthMonitor) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *HealthMonitor) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *HealthMonitor) Observed() *ResourceStatus { return &o.Status }

// L7Policy says what becomes of requests that match all its rules.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=load-balancer"
// +kubebuilder:resource:path=l7policies,categories=openstack,shortName=osl7policy
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type L7Policy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec L7PolicySpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// L7PolicySpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || has(self.__import__)",message="declare what is wanted in spec.resource, or say in spec.import which one is taken over"
// +kubebuilder:validation:XValidation:rule="!(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : has(self.policy) && self.policy == 'observe') || has(self.__import__) || has(self.resource) && has(self.resource.name)",message="say which one is observed: set spec.import or spec.resource.name"
type L7PolicySpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *L7PolicyResource `json:"resource,omitempty"`
}

// L7PolicyResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.listenerRef == oldSelf.listenerRef",message="listenerRef cannot be changed after creation: put back what was there, or delete the object and make another"
// +kubebuilder:validation:XValidation:rule="[has(self.redirectPoolRef), has(self.redirectURL), has(self.redirectPrefix)].filter(x, x).size() < 2",message="set at most one of redirectPoolRef, redirectURL, redirectPrefix"
type L7PolicyResource struct {
	// Name in OpenStack; that of the object when empty.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name *string `json:"name,omitempty"`
	// A sentence for people.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Description *string `json:"description,omitempty"`
	// Whether it is in operation.
	// +optional
	AdminStateUp *bool `json:"adminStateUp,omitempty"`
	// Words by which it is found.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Listener whose requests are looked at. It cannot be changed after creation.
	ListenerRef Reference `json:"listenerRef"`
	// What becomes of them.
	// +kubebuilder:validation:Enum="REDIRECT_PREFIX";"REDIRECT_TO_POOL";"REDIRECT_TO_URL";"REJECT"
	Action string `json:"action"`
	// Pool that gets them.
	// +optional
	RedirectPoolRef *Reference `json:"redirectPoolRef,omitempty"`
	// Where clients are sent.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern="^https?://"
	RedirectURL *string `json:"redirectURL,omitempty"`
	// Where clients are sent, with the path that they asked for.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern="^https?://"
	RedirectPrefix *string `json:"redirectPrefix,omitempty"`
	// Code of the answer that sends them: 301, 302, 303, 307 or 308.
	// +optional
	// +kubebuilder:validation:Minimum=301
	// +kubebuilder:validation:Maximum=308
	RedirectHTTPCode *int64 `json:"redirectHTTPCode,omitempty"`
	// Place among the listener's policies; the last when empty.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	Position *int64 `json:"position,omitempty"`
}

// L7PolicyList is a list of objects of kind L7Policy.
// +kubebuilder:object:root=true
type L7PolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []L7Policy `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *L7Policy) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *L7Policy) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *L7Policy) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *L7Policy) Observed() *ResourceStatus { return &o.Status }

// L7Rule is a condition of an L7Policy.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=load-balancer"
// +kubebuilder:resource:path=l7rules,categories=openstack,shortName=osl7rule
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="STATE",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type L7Rule struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec L7RuleSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// L7RuleSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare l7PolicyRef in spec.resource, with an import too: it is found there only"
type L7RuleSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *L7RuleResource `json:"resource,omitempty"`
}

// L7RuleResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="self.l7PolicyRef == oldSelf.l7PolicyRef",message="l7PolicyRef cannot be changed after creation: put back what was there, or delete the object and make another"
type L7RuleResource struct {
	// Whether it is in operation.
	// +optional
	AdminStateUp *bool `json:"adminStateUp,omitempty"`
	// Words by which it is found.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=255
	Tags []string `json:"tags,omitzero"`
	// Policy that has the condition. It cannot be changed after creation.
	L7PolicyRef Reference `json:"l7PolicyRef"`
	// What is looked at.
	// +kubebuilder:validation:Enum="COOKIE";"FILE_TYPE";"HEADER";"HOST_NAME";"PATH";"SSL_CONN_HAS_CERT";"SSL_DN_FIELD";"SSL_VERIFY_RESULT"
	Type string `json:"type"`
	// How it is compared.
	// +kubebuilder:validation:Enum="CONTAINS";"ENDS_WITH";"EQUAL_TO";"REGEX";"STARTS_WITH"
	CompareType string `json:"compareType"`
	// Name of the header, cookie or field.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Key *string `json:"key,omitempty"`
	// What it is compared with.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Value string `json:"value"`
	// Whether the opposite is the condition.
	// +optional
	Invert *bool `json:"invert,omitempty"`
}

// L7RuleList is a list of objects of kind L7Rule.
// +kubebuilder:object:root=true
type L7RuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []L7Rule `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *L7Rule) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *L7Rule) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *L7Rule) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *L7Rule) Observed() *ResourceStatus { return &o.Status }

// LoadBalancerQuota limits what a project may have in Octavia; its deletion brings the defaults back.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=load-balancer"
// +kubebuilder:resource:path=loadbalancerquotas,categories=openstack,shortName=osloadbalancerquota
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type LoadBalancerQuota struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is wanted and how it is kept.
	Spec LoadBalancerQuotaSpec `json:"spec"`
	// Status is what is known of the resource.
	// +optional
	Status ResourceStatus `json:"status,omitzero"`
}

// LoadBalancerQuotaSpec says what is wanted and how it is kept.
// +kubebuilder:validation:XValidation:rule="has(self.cloudRef) == has(oldSelf.cloudRef)",message="cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"
// +kubebuilder:validation:XValidation:rule="has(self.resource)",message="declare it in spec.resource: its fields tell which one it is"
type LoadBalancerQuotaSpec struct {
	ResourceSpec `json:",inline"`

	// Resource is what is declared; fields that are left out are not looked at.
	// +optional
	Resource *LoadBalancerQuotaResource `json:"resource,omitempty"`
}

// LoadBalancerQuotaResource has what is declared of the resource.
// +kubebuilder:validation:XValidation:rule="has(self.projectRef) ? has(oldSelf.projectRef) && self.projectRef == oldSelf.projectRef : !(has(oldSelf.projectRef))",message="projectRef cannot be changed after creation: put back what was there, or delete the object and make another"
type LoadBalancerQuotaResource struct {
	// Project that is limited; that of the cloud's credentials when empty. It cannot be changed after creation.
	// +optional
	ProjectRef *Reference `json:"projectRef,omitempty"`
	// Load balancers. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2000000000
	LoadBalancer *int64 `json:"loadBalancer,omitempty"`
	// Listeners. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2000000000
	Listener *int64 `json:"listener,omitempty"`
	// Pools. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2000000000
	Pool *int64 `json:"pool,omitempty"`
	// Members. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2000000000
	Member *int64 `json:"member,omitempty"`
	// Health monitors. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2000000000
	HealthMonitor *int64 `json:"healthMonitor,omitempty"`
	// L7 policies. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2000000000
	L7policy *int64 `json:"l7policy,omitempty"`
	// L7 rules. -1 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2000000000
	L7rule *int64 `json:"l7rule,omitempty"`
}

// LoadBalancerQuotaList is a list of objects of kind LoadBalancerQuota.
// +kubebuilder:object:root=true
type LoadBalancerQuotaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []LoadBalancerQuota `json:"items"`
}

// KitStatus is the part of the status that the kit writes.
func (o *LoadBalancerQuota) KitStatus() *owner.Status { return &o.Status.Status }

// Common returns what the specs of all kinds have in common.
func (o *LoadBalancerQuota) Common() *ResourceSpec { return &o.Spec.ResourceSpec }

// Declared returns spec.resource.
func (o *LoadBalancerQuota) Declared() any { return o.Spec.Resource }

// Observed returns the status.
func (o *LoadBalancerQuota) Observed() *ResourceStatus { return &o.Status }
