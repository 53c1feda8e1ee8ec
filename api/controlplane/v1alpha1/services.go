package v1alpha1

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// Services has one field per service. Databases, queue, cache and identity run unless they are disabled; a field that
// is left out takes everything from the size. The other services run when they have a field, be it an empty one.
// +kubebuilder:validation:XValidation:rule="!has(self.galera) || self.galera.?enabled.orValue(true) || (has(self.keystone) && !self.keystone.?enabled.orValue(true))",message="keystone keeps its data in galera: enable galera, or disable keystone as well"
// +kubebuilder:validation:XValidation:rule="!has(self.keystone) || !self.keystone.?notifications.orValue(false) || !has(self.rabbitmq) || self.rabbitmq.?enabled.orValue(true)",message="keystone sends notifications to rabbitmq: enable rabbitmq, or turn notifications off"
// +kubebuilder:validation:XValidation:rule="!has(self.keystone) || self.keystone.?enabled.orValue(true) || ![has(self.barbican) && self.barbican.?enabled.orValue(true), has(self.cinder) && self.cinder.?enabled.orValue(true), has(self.glance) && self.glance.?enabled.orValue(true), has(self.heat) && self.heat.?enabled.orValue(true), has(self.neutron) && self.neutron.?enabled.orValue(true), has(self.nova) && self.nova.?enabled.orValue(true), has(self.placement) && self.placement.?enabled.orValue(true)].exists(x, x)",message="keystone knows the users of barbican, cinder, glance, heat, neutron, nova and placement: enable it, or disable all of these"
// +kubebuilder:validation:XValidation:rule="!has(self.rabbitmq) || self.rabbitmq.?enabled.orValue(true) || ![has(self.barbican) && self.barbican.?enabled.orValue(true), has(self.cinder) && self.cinder.?enabled.orValue(true), has(self.heat) && self.heat.?enabled.orValue(true), has(self.neutron) && self.neutron.?enabled.orValue(true), has(self.nova) && self.nova.?enabled.orValue(true)].exists(x, x)",message="programs of barbican, cinder, heat, neutron and nova talk through rabbitmq: enable it, or disable all of these"
// +kubebuilder:validation:XValidation:rule="!has(self.glance) || !self.glance.?notifications.orValue(false) || !has(self.rabbitmq) || self.rabbitmq.?enabled.orValue(true)",message="glance sends notifications to rabbitmq: enable rabbitmq, or turn notifications off"
// +kubebuilder:validation:XValidation:rule="!has(self.neutron) || !self.neutron.?enabled.orValue(true) || !has(self.ovn) || self.ovn.?enabled.orValue(true)",message="neutron's networks are made by ovn: enable ovn, or disable neutron as well"
// +kubebuilder:validation:XValidation:rule="!has(self.horizon) || !self.horizon.?enabled.orValue(true) || ![has(self.keystone) && !self.keystone.?enabled.orValue(true), has(self.memcached) && !self.memcached.?enabled.orValue(true)].exists(x, x)",message="users of horizon log in by keystone, and memcached keeps their sessions: enable both, or disable horizon"
// +kubebuilder:validation:XValidation:rule="!has(self.nova) || !self.nova.?enabled.orValue(true) || (has(self.glance) && self.glance.?enabled.orValue(true) && has(self.neutron) && self.neutron.?enabled.orValue(true) && has(self.placement) && self.placement.?enabled.orValue(true))",message="nova makes servers of images and networks: add glance, neutron and placement, or disable nova"
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
	// Glance keeps images, which disks of servers are made from.
	// +optional
	Glance *GlanceService `json:"glance,omitempty"`
	// OVN makes networks of what Neutron wants. It runs when neutron does, without being named.
	// +optional
	OVN *OVNService `json:"ovn,omitempty"`
	// Neutron is the network service.
	// +optional
	Neutron *NeutronService `json:"neutron,omitempty"`
	// Nova is the compute service.
	// +optional
	Nova *NovaService `json:"nova,omitempty"`
	// Barbican is the key manager.
	// +optional
	Barbican *BarbicanService `json:"barbican,omitempty"`
	// Heat is the orchestration service.
	// +optional
	Heat *HeatService `json:"heat,omitempty"`
	// Horizon is the dashboard.
	// +optional
	Horizon *HorizonService `json:"horizon,omitempty"`
	// Cinder is the block storage service.
	// +optional
	Cinder *CinderService `json:"cinder,omitempty"`
	// Placement knows what hosts have, and what of it is taken.
	// +optional
	Placement *PlacementService `json:"placement,omitempty"`

	// Unknown lists the names in the object that are no service, for the message that refuses them.
	Unknown []string `json:"-"`
}

// ServiceNames lists the services that a control plane can have.
func ServiceNames() []string {
	return []string{"barbican", "cinder", "galera", "glance", "heat", "horizon", "keystone", "memcached", "neutron",
		"nova", "ovn", "placement", "rabbitmq"}
}

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
	// Enabled is false to remove the service. Its data stays for when it is enabled again.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
}

// On tells whether the service is enabled; it is when nothing says otherwise.
func (s *Service) On() bool { return s == nil || s.Enabled == nil || *s.Enabled }

// GaleraService is what can be said about the database cluster.
type GaleraService struct {
	Service             `json:",inline"`
	infrav1.PodSettings `json:",inline"`
	// Replicas is 1 or 3: a cluster of an even number cannot decide which half is right. It does not shrink.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == 1 || self == 3",message="replicas of galera is 1 or 3: an even number has no majority when the network is cut in two"
	// +kubebuilder:validation:XValidation:rule="self >= oldSelf",message="replicas can grow from 1 to 3 and not shrink"
	Replicas *int32 `json:"replicas,omitempty"`
	// Storage is the size of the volume of each replica, such as 20Gi. It can grow and not shrink.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(self).isGreaterThan(quantity('99Mi'))",message="storage is at least 100Mi, such as 5Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(self).compareTo(quantity(oldSelf)) >= 0",message="storage can grow and not shrink"
	Storage *resource.Quantity `json:"storage,omitempty"`
	// Config has options of section [mysqld] of MariaDB, such as max_connections: "2000".
	// +optional
	Config infrav1.GaleraConfig `json:"config,omitempty"`
	// Recovery names the member that starts the cluster when the operator cannot know which one holds every
	// acknowledged write.
	// +optional
	Recovery *infrav1.GaleraRecovery `json:"recovery,omitempty"`
}

// RabbitMQService is what can be said about the message broker.
type RabbitMQService struct {
	Service             `json:",inline"`
	infrav1.PodSettings `json:",inline"`
	// Replicas is 1 or 3: quorum queues need a majority.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == 1 || self == 3",message="replicas of rabbitmq is 1 or 3: quorum queues need a majority"
	Replicas *int32 `json:"replicas,omitempty"`
	// Storage is the size of the volume of each replica, such as 5Gi. It can grow and not shrink.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(self).isGreaterThan(quantity('99Mi'))",message="storage is at least 100Mi, such as 5Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(self).compareTo(quantity(oldSelf)) >= 0",message="storage can grow and not shrink"
	Storage *resource.Quantity `json:"storage,omitempty"`
	// Config has lines of rabbitmq.conf, such as consumer_timeout: "3600000".
	// +optional
	Config infrav1.RabbitMQConfig `json:"config,omitempty"`
	// Recovery lets one member go on alone when most members are gone for good.
	// +optional
	Recovery *infrav1.Recovery `json:"recovery,omitempty"`
}

// MemcachedService is what can be said about the cache.
type MemcachedService struct {
	Service             `json:",inline"`
	infrav1.PodSettings `json:",inline"`
	// Replicas is the number of caches; keys are spread over them.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16
	Replicas *int32 `json:"replicas,omitempty"`
	// CacheSize is the memory for items in each cache, such as 256Mi; empty takes what fits into the pod's memory.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(self).compareTo(quantity('16Mi')) >= 0 && quantity(self).compareTo(quantity('64Gi')) <= 0",message="cacheSize is between 16Mi and 64Gi, such as 256Mi"
	CacheSize *resource.Quantity `json:"cacheSize,omitempty"`
}

// Run is what can be said about how a service runs that users reach. The fields are those of the service's own kind.
type Run struct {
	// Replicas is the number of API pods.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=64
	Replicas *int32 `json:"replicas,omitempty"`
	// Workers is the number of processes in each API pod.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Workers int32 `json:"workers,omitempty"`
	// Resources of the service's containers.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
	// NodeSelector limits the nodes of the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	NodeSelector map[string]servicev1.Label `json:"nodeSelector,omitempty"`
	// Tolerations of the pods.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// TopologySpread replaces the default, which spreads over nodes where it can.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	TopologySpread []corev1.TopologySpreadConstraint `json:"topologySpread,omitempty"`
	// ExtraVolumes are mounted into every container.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	ExtraVolumes []servicev1.ExtraVolume `json:"extraVolumes,omitempty"`
	// TLSSecret names a Secret with your own certificate: tls.crt, tls.key and ca.crt.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	TLSSecret string `json:"tlsSecret,omitempty"`
	// Expose says how users outside of the cluster reach it.
	// +optional
	Expose *servicev1.Expose `json:"expose,omitempty"`
}

// API is what can be said about every service with an API of OpenStack. The fields are those of the service's own kind.
type API struct {
	Run `json:",inline"`
	// Config sets options of the service: section, option, value.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	Config map[string]servicev1.Options `json:"config,omitempty"`
	// ConfigFrom takes options from configuration files in ConfigMaps and Secrets.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	ConfigFrom []servicev1.ConfigSource `json:"configFrom,omitempty"`
}

// KeystoneService is what can be said about the identity service.
type KeystoneService struct {
	Service `json:",inline"`
	API     `json:",inline"`
	// AdminPasswordSecret names a Secret whose key password is the password of the user admin. Empty: one is generated.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	AdminPasswordSecret string `json:"adminPasswordSecret,omitempty"`
	// Fernet says how the keys that make tokens are rotated.
	// +optional
	Fernet *servicev1.FernetKeys `json:"fernet,omitempty"`
	// Credential says how the keys that encrypt stored credentials are rotated.
	// +optional
	Credential *servicev1.CredentialKeys `json:"credential,omitempty"`
	// TrustFlush says when expired trusts are removed from the database.
	// +optional
	TrustFlush *servicev1.TrustFlush `json:"trustFlush,omitempty"`
	// Notifications sends a message to RabbitMQ for each change of a user, project or role.
	// +optional
	Notifications bool `json:"notifications,omitempty"`
}

// GlanceService is what can be said about the image service.
// +kubebuilder:validation:XValidation:rule="!has(self.stores) || has(oldSelf.stores) || self.stores.exists(s, s.name == 'file')",message="stores leaves out the one named file, which has the images: add {name: file, file: {}}"
type GlanceService struct {
	Service `json:",inline"`
	API     `json:",inline"`
	// Stores keep the data of images; the first one is the default. Empty: one store named file, on a volume of the size
	// that the control plane's size gives.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Stores []servicev1.ImageStore `json:"stores,omitempty"`
	// Cache keeps copies of images beside each pod, for stores that are far away.
	// +optional
	Cache *servicev1.ImageCache `json:"cache,omitempty"`
	// ProjectQuota is how much data the images of a project may have together, such as 500Gi; empty is no limit.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(self).isGreaterThan(quantity('0'))",message="projectQuota is more than nothing, such as 500Gi; leave it out for no limit"
	ProjectQuota resource.Quantity `json:"projectQuota,omitzero"`
	// Notifications sends a message to RabbitMQ for each change of an image.
	// +optional
	Notifications bool `json:"notifications,omitempty"`
}

// PlacementService is what can be said about the placement service.
type PlacementService struct {
	Service `json:",inline"`
	API     `json:",inline"`
}

// OVNService is what can be said about the central part of OVN.
type OVNService struct {
	Service             `json:",inline"`
	infrav1.PodSettings `json:",inline"`
	// Replicas is the number of members of each database, 1 or 3.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == 1 || self == 3",message="replicas of ovn is 1 or 3: a database needs a majority of its members"
	Replicas *int32 `json:"replicas,omitempty"`
	// Storage is the size of the volume of each member, such as 5Gi. It can grow and not shrink.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(self).isGreaterThan(quantity('99Mi'))",message="storage is at least 100Mi, such as 5Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(self).compareTo(quantity(oldSelf)) >= 0",message="storage can grow and not shrink"
	Storage *resource.Quantity `json:"storage,omitempty"`
	// Northd says how northd runs.
	// +optional
	Northd *infrav1.OVNNorthd `json:"northd,omitempty"`
	// Recovery lets one member of a database go on alone when most members are gone for good.
	// +optional
	Recovery *infrav1.Recovery `json:"recovery,omitempty"`
}

// NeutronService is what can be said about the network service. The fields are those of Neutron's own kind.
type NeutronService struct {
	Service `json:",inline"`
	API     `json:",inline"`
	// PhysicalNetworks are those outside of OVN that nodes are connected to.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	PhysicalNetworks []servicev1.PhysicalNetwork `json:"physicalNetworks,omitempty"`
	// MTU of the network between nodes, in bytes; 1500 when empty.
	// +optional
	// +kubebuilder:validation:Minimum=1280
	// +kubebuilder:validation:Maximum=65535
	MTU int32 `json:"mtu,omitempty"`
	// DNSDomain is the domain in which ports have their names.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	DNSDomain string `json:"dnsDomain,omitempty"`
	// DNSServers are told to guests whose subnet names none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=6
	DNSServers []servicev1.DNSServer `json:"dnsServers,omitempty"`
	// RPC is the program that answers agents.
	// +optional
	RPC servicev1.Worker `json:"rpc,omitzero"`
	// Periodic is the program that does by the clock what nobody asks for.
	// +optional
	Periodic servicev1.Worker `json:"periodic,omitzero"`
	// Maintenance is the program that puts right what OVN's databases lack.
	// +optional
	Maintenance servicev1.Worker `json:"maintenance,omitzero"`
	// Notifications sends a message to RabbitMQ for each change of a network.
	// +optional
	Notifications bool `json:"notifications,omitempty"`
}

// NovaService is what can be said about the compute service. The fields are those of Nova's own kind.
type NovaService struct {
	Service `json:",inline"`
	API     `json:",inline"`
	// Cells hold the compute hosts and their servers. Empty: one named cell1.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Cells []servicev1.Cell `json:"cells,omitempty"`
	// Scheduler says how the program runs that chooses hosts for servers.
	// +optional
	Scheduler servicev1.Worker `json:"scheduler,omitzero"`
	// Conductor says how the program runs that leads servers through the cells.
	// +optional
	Conductor servicev1.Worker `json:"conductor,omitzero"`
	// Maintenance says when the databases are cleaned, and of what.
	// +optional
	Maintenance *servicev1.Maintenance `json:"maintenance,omitempty"`
	// Notifications sends a message to RabbitMQ for each change of a server.
	// +optional
	Notifications bool `json:"notifications,omitempty"`
}

// BarbicanService is what can be said about the key manager. The fields are those of Barbican's own kind.
type BarbicanService struct {
	Service `json:",inline"`
	API     `json:",inline"`
	// KeyGeneration counts the keys that encrypt the projects' own keys: a step up makes a new one.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	KeyGeneration int32 `json:"keyGeneration,omitempty"`
	// Worker says how the program runs that makes what orders ask for.
	// +optional
	Worker servicev1.Worker `json:"worker,omitzero"`
	// Maintenance says when what was deleted is removed from the database.
	// +optional
	Maintenance *servicev1.Maintenance `json:"maintenance,omitempty"`
}

// HeatService is what can be said about the orchestration service. The fields are those of Heat's own kind.
type HeatService struct {
	Service `json:",inline"`
	API     `json:",inline"`
	// CFN says how the API runs by which servers fetch what stacks have for them, and tell that they are done.
	// +optional
	CFN servicev1.SecondAPI `json:"cfn,omitzero"`
	// Engine says how the program runs that makes stacks.
	// +optional
	Engine servicev1.Worker `json:"engine,omitzero"`
	// Maintenance says when deleted stacks are removed from the database.
	// +optional
	Maintenance *servicev1.Maintenance `json:"maintenance,omitempty"`
	// Notifications sends a message to RabbitMQ for each change of a stack.
	// +optional
	Notifications bool `json:"notifications,omitempty"`
}

// HorizonService is what can be said about the dashboard. It shows the services that are enabled.
type HorizonService struct {
	Service `json:",inline"`
	Run     `json:",inline"`
	// Branding is how the dashboard looks.
	// +optional
	Branding servicev1.HorizonBranding `json:"branding,omitzero"`
	// Settings of Horizon and of Django by their names, such as SESSION_TIMEOUT: 7200.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	Settings map[string]servicev1.Value `json:"settings,omitempty"`
}

// CinderService is what can be said about the block storage service. The fields are those of Cinder's own kind.
type CinderService struct {
	Service `json:",inline"`
	API     `json:",inline"`
	// Backends have the volumes; the first one takes those whose type nobody says.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=7
	Backends []servicev1.CinderBackend `json:"backends,omitempty"`
	// Backup keeps copies of volumes elsewhere; without it there are none.
	// +optional
	Backup *servicev1.CinderBackup `json:"backup,omitempty"`
	// Scheduler says how the program runs that chooses back ends for volumes.
	// +optional
	Scheduler servicev1.Worker `json:"scheduler,omitzero"`
	// Maintenance says when the database is cleaned, and of what.
	// +optional
	Maintenance *servicev1.CinderMaintenance `json:"maintenance,omitempty"`
	// Notifications sends a message to RabbitMQ for each change of a volume.
	// +optional
	Notifications bool `json:"notifications,omitempty"`
}
