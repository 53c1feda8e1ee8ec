package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// PodSettings say where and with what a component's pods run.
type PodSettings struct {
	// Resources of the main container.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
	// NodeSelector restricts the nodes that pods run on, by node label.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// Tolerations let pods run on tainted nodes.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// TopologySpread says how pods are spread. Preferred (the default) puts them on different nodes where it can,
	// Required leaves a pod Pending rather than next to another one, None leaves it to the scheduler.
	// +optional
	// +kubebuilder:validation:Enum=Preferred;Required;None
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:default=Preferred
	TopologySpread TopologySpread `json:"topologySpread,omitempty"`
}

// TopologySpread says how the pods of one component are spread over nodes.
type TopologySpread string

// The ways to spread pods.
const (
	SpreadPreferred TopologySpread = "Preferred"
	SpreadRequired  TopologySpread = "Required"
	SpreadNone      TopologySpread = "None"
)

// TLS says how a backing service's connections are encrypted.
type TLS struct {
	// Disabled switches encryption off for clients. Members of a cluster talk in plain text too.
	// +optional
	Disabled bool `json:"disabled,omitempty"`
	// CASecret names a Secret in the same namespace with tls.crt and tls.key of the CA that signs the service's
	// certificates. Empty lets the operator make one named <name>-ca.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	CASecret string `json:"caSecret,omitempty"`
}

// Storage is the persistent volume of each pod.
type Storage struct {
	// Size of the volume. It can grow where the storage class allows it, never shrink.
	// +optional
	// +kubebuilder:default="5Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(self).isGreaterThan(quantity('99Mi'))",message="size is at least 100Mi, such as 5Gi"
	Size resource.Quantity `json:"size,omitzero"`
	// ClassName is the storage class; empty takes the cluster's default one. A volume that is bound keeps its own.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="className is the name of a StorageClass as kubectl get storageclass lists it: lower-case letters, digits, dashes and dots"
	ClassName string `json:"className,omitempty"`
}

// DeletionPolicy says what becomes of data when its object is deleted.
// +kubebuilder:validation:Enum=Retain;Delete
type DeletionPolicy string

// The deletion policies.
const (
	// RetainData leaves the data where it is.
	RetainData DeletionPolicy = "Retain"
	// DeleteData removes the data with the object.
	DeleteData DeletionPolicy = "Delete"
)

// Line is the value of an option: one line. The limit keeps the rules on maps of them within the API server's budget.
// +kubebuilder:validation:MaxLength=512
type Line string

// Recovery is a person's decision that one member knows enough to go on without the majority. What only other members
// hold is lost.
type Recovery struct {
	// ForceBoot is the pod that goes on alone, such as rabbitmq-1. The others join it with empty volumes.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?-[0-2]$`
	ForceBoot string `json:"forceBoot"`
	// Epoch is the formation for which this decision holds, as the condition's message tells it. It makes sure that an
	// old decision is not taken again at a later loss.
	// +kubebuilder:validation:Minimum=2
	Epoch int64 `json:"epoch"`
}
