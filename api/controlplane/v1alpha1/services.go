package v1alpha1

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Services has one field per service. A field that is left out takes everything from the size.
// +kubebuilder:validation:XValidation:rule="!has(self.galera) || self.galera.?enabled.orValue(true) || (has(self.keystone) && !self.keystone.?enabled.orValue(true))",message="keystone keeps its data in galera: enable galera, or disable keystone as well"
type Services struct {
	// Galera is the database cluster.
	// +optional
	Galera *GaleraService `json:"galera,omitempty"`
	// RabbitMQ is the message broker.
	// +optional
	RabbitMQ *RabbitMQService `json:"rabbitmq,omitempty"`
	// Memcached is the cache of tokens and queries.
	// +optional
	Memcached *MemcachedService `json:"memcached,omitempty"`
	// Keystone is the identity service.
	// +optional
	Keystone *KeystoneService `json:"keystone,omitempty"`

	// Unknown lists the names in the object that are no service, for the message that refuses them.
	Unknown []string `json:"-"`
}

// ServiceNames lists the services that a control plane can have.
func ServiceNames() []string { return []string{"galera", "keystone", "memcached", "rabbitmq"} }

// UnmarshalJSON reads the services and notes names that are none.
func (s *Services) UnmarshalJSON(data []byte) error {
	type plain Services
	if err := json.Unmarshal(data, (*plain)(s)); err != nil {
		return err
	}
	names := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	s.Unknown = nil
	for name := range names {
		if !slices.Contains(ServiceNames(), name) {
			s.Unknown = append(s.Unknown, name)
		}
	}
	slices.Sort(s.Unknown)
	return nil
}

// Service is what can be said about every service.
type Service struct {
	// Enabled is false to remove the service. Its data stays, and is taken up when it is enabled again.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// Resources of the service's main container; empty takes those of the size.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
}

// On tells whether the service is enabled; it is when nothing says otherwise.
func (s *Service) On() bool { return s == nil || s.Enabled == nil || *s.Enabled }

// GaleraService is what can be said about the database cluster.
type GaleraService struct {
	Service `json:",inline"`
	// Replicas is 1 or 3: a cluster of an even number cannot decide which half is right.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == 1 || self == 3",message="replicas of galera is 1 or 3: an even number has no majority when the nodes are cut in two"
	Replicas *int32 `json:"replicas,omitempty"`
	// Storage is the size of the volume of each replica, such as 20Gi.
	// +optional
	Storage *resource.Quantity `json:"storage,omitempty"`
}

// RabbitMQService is what can be said about the message broker.
type RabbitMQService struct {
	Service `json:",inline"`
	// Replicas is 1 or 3: quorum queues need a majority.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == 1 || self == 3",message="replicas of rabbitmq is 1 or 3: quorum queues need a majority"
	Replicas *int32 `json:"replicas,omitempty"`
	// Storage is the size of the volume of each replica, such as 5Gi.
	// +optional
	Storage *resource.Quantity `json:"storage,omitempty"`
}

// MemcachedService is what can be said about the cache.
type MemcachedService struct {
	Service `json:",inline"`
	// Replicas is the number of caches; keys are spread over them.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16
	Replicas *int32 `json:"replicas,omitempty"`
}

// KeystoneService is what can be said about the identity service.
type KeystoneService struct {
	Service `json:",inline"`
	// Replicas is the number of API pods.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=32
	Replicas *int32 `json:"replicas,omitempty"`
}
