package v1alpha1

// ExposeType is a way to reach a service from outside of the cluster.
// +kubebuilder:validation:Enum=LoadBalancer;ClusterIP;HTTPRoute
// +kubebuilder:validation:MaxLength=16
type ExposeType string

// The ways to reach a service.
const (
	// ExposeLoadBalancer gives the public Service a load balancer's address.
	ExposeLoadBalancer ExposeType = "LoadBalancer"
	// ExposeClusterIP leaves the public Service inside of the cluster.
	ExposeClusterIP ExposeType = "ClusterIP"
	// ExposeHTTPRoute puts the public Service behind a Gateway of the Gateway API.
	ExposeHTTPRoute ExposeType = "HTTPRoute"
)

// Expose says how users outside of the cluster reach a service.
// +kubebuilder:validation:XValidation:rule="!has(self.type) || self.type != 'HTTPRoute' || (has(self.gateway) && has(self.hostname))",message="type HTTPRoute needs gateway and hostname"
type Expose struct {
	// Type is LoadBalancer, ClusterIP or HTTPRoute.
	// +optional
	// +kubebuilder:default=LoadBalancer
	Type ExposeType `json:"type,omitempty"`
	// Hostname by which users reach the service; it is in the catalog and in the certificate. Empty: the address of the
	// load balancer, or the cluster's name of the Service.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)*$')",message="use a DNS name without scheme, port or path, such as identity.example.org"
	Hostname string `json:"hostname,omitempty"`
	// Gateway that an HTTPRoute joins.
	// +optional
	Gateway *Gateway `json:"gateway,omitempty"`
	// Annotations of the public Service, for load balancers and name services that read them.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Annotations map[string]Annotation `json:"annotations,omitempty"`
}

// Annotation is the value of an annotation.
// +kubebuilder:validation:MaxLength=1024
type Annotation string

// Gateway names a Gateway of the Gateway API.
type Gateway struct {
	// Name of the Gateway.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Namespace of the Gateway; empty is that of the service. The Gateway must allow routes from there.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
	// Listener of the Gateway; empty is any that accepts the hostname.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Listener string `json:"listener,omitempty"`
	// Port that users connect to.
	// +optional
	// +kubebuilder:default=443
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port,omitempty"`
}
