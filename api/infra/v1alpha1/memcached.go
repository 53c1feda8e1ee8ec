package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// MemcachedSpec is what a person wants of a cache.
type MemcachedSpec struct {
	// Image of memcached, as a full reference.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image"`
	// Replicas is the number of caches. Clients spread keys over them; each key is in one cache only.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 16",message="replicas is 1 to 16"
	Replicas int32 `json:"replicas,omitempty"`
	// CacheSize is the memory for items in each cache, such as 256Mi. Empty takes what fits into the memory that
	// resources give, or 64Mi when they give none. The pod asks for the size and a tenth more.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(self).compareTo(quantity('16Mi')) >= 0 && quantity(self).compareTo(quantity('64Gi')) <= 0",message="cacheSize is between 16Mi and 64Gi, such as 256Mi"
	CacheSize *resource.Quantity `json:"cacheSize,omitempty"`
	// MaxConnections is how many clients each cache takes at a time.
	// +optional
	// +kubebuilder:default=4096
	// +kubebuilder:validation:Minimum=64
	// +kubebuilder:validation:Maximum=65536
	MaxConnections int32 `json:"maxConnections,omitempty"`
	// TLS between clients and caches.
	// +optional
	TLS TLS `json:"tls,omitzero"`
	// Paused stops the operator from touching anything of this object.
	// +optional
	Paused bool `json:"paused,omitempty"`

	PodSettings `json:",inline"`
}

// MemcachedStatus is what the operator sees of a cache.
type MemcachedStatus struct {
	owner.Status `json:",inline"`
	// ReadyReplicas is the number of caches that serve.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`
	// Servers are the addresses of the caches, host:port, one of each pod. They stay the same when a pod is replaced.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=260
	Servers []string `json:"servers,omitempty"`
	// ClientSecret has ca.crt, by which clients know the caches, and tls.crt and tls.key, by which the caches know
	// clients: nobody else is let in. It is empty when TLS is disabled.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ClientSecret string `json:"clientSecret,omitempty"`
}

// Memcached is a set of caches.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=memcacheds,categories=stackwright,shortName=mc
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="CACHES",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name has at most 40 characters, so that the names of pods made from it stay valid"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name is a DNS label: lower case letters, digits and dashes, beginning with a letter"
type Memcached struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// Spec is what a person wants.
	Spec MemcachedSpec `json:"spec"`
	// Status is what the operator sees.
	// +optional
	Status MemcachedStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (m *Memcached) KitStatus() *owner.Status { return &m.Status.Status }

// Paused tells whether the operator keeps its hands off.
func (m *Memcached) Paused() bool { return m.Spec.Paused }

// MemcachedList is a list of caches.
// +kubebuilder:object:root=true
type MemcachedList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Memcached `json:"items"`
}
