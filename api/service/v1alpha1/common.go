package v1alpha1

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
)

// RunSpec says how a service runs. It is what services without options of oslo.config have in common with the others.
type RunSpec struct {
	// Image is the full reference of the service's image. The control plane takes it from the OpenStackRelease.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image"`
	// Release of OpenStack that the image holds. It names the catalogue that options are checked against.
	// +optional
	// +kubebuilder:default=epoxy
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Release string `json:"release,omitempty"`
	// Replicas is the number of API pods. It is left alone while a HorizontalPodAutoscaler named like the Deployment
	// targets that Deployment.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=64
	Replicas *int32 `json:"replicas,omitempty"`
	// Workers is the number of processes in each API pod. Each takes one request at a time.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Workers int32 `json:"workers,omitempty"`
	// Resources of the service's containers.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
	// NodeSelector limits the nodes that the pods run on.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	NodeSelector map[string]Label `json:"nodeSelector,omitempty"`
	// Tolerations of the pods.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// TopologySpread replaces the default, which spreads the pods over nodes where it can.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	TopologySpread []corev1.TopologySpreadConstraint `json:"topologySpread,omitempty"`
	// ExtraVolumes are mounted into every container of the service.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	ExtraVolumes []ExtraVolume `json:"extraVolumes,omitempty"`
	// TLS says how the service encrypts its traffic. On unless disabled.
	// +optional
	TLS TLS `json:"tls,omitzero"`
	// Expose says how users outside of the cluster reach the service.
	// +optional
	Expose Expose `json:"expose,omitzero"`
	// Paused stops all changes by the operator until it is false again.
	// +optional
	Paused bool `json:"paused,omitempty"`
}

// CommonSpec is what every service with options of oslo.config takes.
type CommonSpec struct {
	RunSpec `json:",inline"`

	// Config sets options of the service: section, option, value. It wins over configFrom and over what the operator
	// sets. A value is a string, a number, a boolean, or a list of these. Sections, options, types and limits that the
	// release does not have are refused before any pod changes. Passwords belong into a Secret of configFrom.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	Config map[string]Options `json:"config,omitempty"`
	// ConfigFrom takes options from ConfigMaps and Secrets whose keys hold configuration files of the service. Later
	// ones win over earlier ones; the keys of one are read in alphabetical order.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	ConfigFrom []ConfigSource `json:"configFrom,omitempty"`
}

// Label is the value of a label.
// +kubebuilder:validation:MaxLength=63
type Label string

// ExtraVolume is one volume and where it is mounted. Exactly one of the sources is set.
// +kubebuilder:validation:XValidation:rule="[has(self.configMap), has(self.secret), has(self.persistentVolumeClaim)].exists_one(s, s)",message="set exactly one of configMap, secret and persistentVolumeClaim"
type ExtraVolume struct {
	// Name of the volume.
	// +kubebuilder:validation:MaxLength=48
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')",message="use lower-case letters, digits and dashes"
	Name string `json:"name"`
	// MountPath in the containers.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.startsWith('/') && !self.startsWith('/etc/stackwright')",message="use an absolute path outside of /etc/stackwright, which is the operator's"
	MountPath string `json:"mountPath"`
	// ConfigMap names the ConfigMap to mount.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ConfigMap string `json:"configMap,omitempty"`
	// Secret names the Secret to mount.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Secret string `json:"secret,omitempty"`
	// PersistentVolumeClaim names the claim to mount; it must allow as many readers as there are pods.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PersistentVolumeClaim string `json:"persistentVolumeClaim,omitempty"`
}

// TLS says how a service encrypts its traffic.
type TLS struct {
	// Disabled turns encryption off.
	// +optional
	Disabled bool `json:"disabled,omitempty"`
	// CASecret names a Secret with tls.crt and tls.key of the authority that signs the service's certificate. Empty:
	// the service makes one of its own, <name>-ca.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	CASecret string `json:"caSecret,omitempty"`
	// Secret names a Secret with tls.crt, tls.key and ca.crt that the service uses as it is, such as one made by
	// cert-manager. It must be valid for the names of the public and of the internal Service.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Secret string `json:"secret,omitempty"`
}

// Database says where a service keeps its data.
type Database struct {
	// Galera names the Galera that holds the database.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Galera string `json:"galera"`
	// DeletionPolicy says what becomes of the database when the service is deleted: Retain keeps it, and a service of
	// the same name takes it up again; Delete drops it.
	// +optional
	// +kubebuilder:default=Retain
	// +kubebuilder:validation:Enum=Retain;Delete
	// +kubebuilder:validation:MaxLength=16
	DeletionPolicy string `json:"deletionPolicy,omitempty"`
}

// Identity says where a service is known: it gets a user of its own there, and its endpoints are in the catalog.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="identity cannot be changed: the service would stay in the old catalog; make another object"
type Identity struct {
	// Keystone names the Keystone that checks the tokens of requests.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Keystone string `json:"keystone"`
	// Cloud names the Cloud of an administrator by which the service is registered. Empty: the one named like the
	// Keystone.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Cloud string `json:"cloud,omitempty"`
	// Project names the Project that the users of services work in. Empty: <keystone>-service.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Project string `json:"project,omitempty"`
}

// Endpoints tells where a service answers.
type Endpoints struct {
	// Public is the URL for users of the cloud.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Public string `json:"public,omitempty"`
	// Internal is the URL for services and pods in the cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Internal string `json:"internal,omitempty"`
}

// ServiceStatus is what every OpenStack service tells.
type ServiceStatus struct {
	// Endpoints tell where the service answers.
	// +optional
	Endpoints Endpoints `json:"endpoints,omitzero"`
	// Replicas is the number of API pods that exist.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// ReadyReplicas is the number of API pods that serve.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`
	// Selector of the API pods, for autoscalers.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Selector string `json:"selector,omitempty"`
	// Config is the hash of the configuration that all API pods run.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Config string `json:"config,omitempty"`
}

// Worker says how a program runs that serves no API.
type Worker struct {
	// Number of its pods.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=64
	Replicas *int32 `json:"replicas,omitempty"`
	// Resources of its containers, or the service's.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
}

// Count is the number of pods.
func (w Worker) Count() int32 {
	if w.Replicas == nil {
		return 1
	}
	return *w.Replicas
}

// Maintenance says when a service cleans its databases of what was deleted. Nova also rewrites records of an earlier
// release as the release has them.
type Maintenance struct {
	// Schedule is when that is done, as cron has it, in UTC.
	// +optional
	// +kubebuilder:default="20 3 * * *"
	// +kubebuilder:validation:MaxLength=64
	Schedule string `json:"schedule,omitempty"`
	// KeepDays is for how many days the record of what was deleted is kept; 0 is for ever.
	// +optional
	// +kubebuilder:default=30
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3650
	KeepDays *int32 `json:"keepDays,omitempty"`
}

// When is the schedule.
func (m Maintenance) When() string { return cmp.Or(m.Schedule, "20 3 * * *") }

// Days is for how many days records are kept.
func (m Maintenance) Days() int {
	if m.KeepDays == nil {
		return 30
	}
	return int(*m.KeepDays)
}
