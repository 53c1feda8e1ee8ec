package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// CloudSpec says how a cloud is reached.
type CloudSpec struct {
	// SecretRef names the Secret with clouds.yaml, and ca.crt when the cloud's certificates are signed by a CA of its own.
	SecretRef CloudSecret `json:"secretRef"`
	// Entry is the name of the cloud in clouds.yaml; not needed when there is only one.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Entry string `json:"entry,omitempty"`
	// Region in place of the entry's.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Region string `json:"region,omitempty"`
	// Interface of the endpoints in place of the entry's.
	// +optional
	// +kubebuilder:validation:Enum=public;internal;admin
	Interface string `json:"interface,omitempty"`
	// SyncPeriod is how often all resources are read to find what was changed behind our back.
	// +optional
	// +kubebuilder:default="5m"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('10s')",message="syncPeriod must be at least 10s"
	SyncPeriod metav1.Duration `json:"syncPeriod,omitzero"`
	// AllProjects reads the resources of all projects, for credentials of administrators whose objects are in other
	// projects than their own. Services that show administrators everything do so anyway.
	// +optional
	AllProjects bool `json:"allProjects,omitempty"`
	// Limits of the requests to each service of the cloud, and of the data that is uploaded to it.
	// +optional
	// +kubebuilder:default={}
	Limits CloudLimits `json:"limits,omitzero"`
	// Notifications of the cloud's services tell at once of changes that are found once in SyncPeriod otherwise.
	// +optional
	Notifications *CloudNotifications `json:"notifications,omitempty"`
	// Kinds that may be used with the cloud; all when empty.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=200
	// +kubebuilder:validation:items:MaxLength=63
	Kinds []string `json:"kinds,omitempty"`
}

// CloudNotifications say where the services of a cloud send notifications.
type CloudNotifications struct {
	// SecretRef names the Secret with transport_url, the URL of the RabbitMQ as oslo.messaging takes it, and ca.crt when
	// its certificates are signed by a CA of its own. The Secret of a MessageBus is such a one.
	SecretRef CloudSecret `json:"secretRef"`
	// Exchanges that the services send to, by the control_exchange of each; those of unchanged services when empty.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=127
	Exchanges []string `json:"exchanges,omitempty"`
	// Topics that the services send to; notifications and versioned_notifications when empty.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=127
	Topics []string `json:"topics,omitempty"`
}

// CloudSecret names the Secret with the credentials.
type CloudSecret struct {
	// Name of the Secret.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Namespace of the Secret; for a ClusterCloud only, and needed there.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// CloudLimits are the limits of the requests to each service of a cloud, and of the data that goes there.
type CloudLimits struct {
	// RequestsPerSecond to one service.
	// +optional
	// +kubebuilder:default=20
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	RequestsPerSecond int32 `json:"requestsPerSecond,omitempty"`
	// Parallel requests to one service at most; fewer while it is slow or refuses.
	// +optional
	// +kubebuilder:default=8
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Parallel int32 `json:"parallel,omitempty"`
	// ImageGiB is the largest data of an Image that the operator uploads, packed and unpacked. What the cloud fetches
	// itself has the limits of the cloud only.
	// +optional
	// +kubebuilder:default=64
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65536
	ImageGiB int32 `json:"imageGiB,omitempty"`
}

// CloudStatus is what is known of a cloud.
type CloudStatus struct {
	owner.Status `json:",inline"`

	// Project and User are the ids of those whom the credentials stand for.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Project string `json:"project,omitempty"`
	// User is the id of the user.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	User string `json:"user,omitempty"`
	// Services are the types of the services in the catalog.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=255
	Services []string `json:"services,omitempty"`
	// UsedBy tells of the objects in the cloud, apart from those that control planes, services and building blocks have
	// made for themselves; not there when there are none. A control plane that is deleted waits until they are gone.
	// +optional
	UsedBy *CloudUse `json:"usedBy,omitempty"`
}

// CloudUse tells of the objects in a cloud.
type CloudUse struct {
	// Objects is how many there are; of more than ten only the first digit is told, such as 4000 of 4711, so that a cloud
	// that fills is not written for each.
	// +kubebuilder:validation:Minimum=1
	Objects int32 `json:"objects"`
	// Names of the first of them, or of what has made them, such as `Server web` and `ProjectBundle shop`.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:items:MaxLength=512
	Names []string `json:"names,omitempty"`
}

// Cloud is an OpenStack cloud as one set of credentials sees it, for objects of its namespace.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=any"
// +kubebuilder:resource:categories={openstack,stackwright},shortName=oscloud
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Project",type=string,JSONPath=`.status.project`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Cloud struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says how the cloud is reached.
	// +kubebuilder:validation:XValidation:rule="!has(self.secretRef.__namespace__)",message="the Secret of a Cloud is in its own namespace; remove spec.secretRef.namespace"
	// +kubebuilder:validation:XValidation:rule="!has(self.notifications) || !has(self.notifications.secretRef.__namespace__)",message="the Secret of a Cloud is in its own namespace; remove spec.notifications.secretRef.namespace"
	Spec CloudSpec `json:"spec"`
	// Status is what is known of the cloud.
	// +optional
	Status CloudStatus `json:"status,omitzero"`
}

// KitStatus is the part of the status that the kit writes.
func (c *Cloud) KitStatus() *owner.Status { return &c.Status.Status }

// CloudList is a list of clouds.
// +kubebuilder:object:root=true
type CloudList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Cloud `json:"items"`
}

// ClusterCloudSpec says how a cloud is reached, and who may use it.
type ClusterCloudSpec struct {
	CloudSpec `json:",inline"`

	// NamespaceSelector selects the namespaces whose objects may use the cloud. An empty selector selects all.
	NamespaceSelector metav1.LabelSelector `json:"namespaceSelector"`
	// ImageSources are hosts that data of images may come from although their addresses are private (RFC 1918, unique
	// local, carrier-grade NAT): names, *.example.org for all names below example.org, addresses and CIDRs. Public
	// addresses need not be named. Loopback and link-local addresses, such as 169.254.169.254, are refused always. A Cloud
	// has no such list: people who may write one could lead the operator to what only the cluster's administrators reach.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:Pattern=`^(\*\.)?[0-9A-Za-z:]([0-9A-Za-z.:/_-]*)$`
	ImageSources []string `json:"imageSources,omitempty"`
}

// ClusterCloud is an OpenStack cloud as one set of credentials sees it, for objects of the namespaces that it selects.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="stackwright.dev/service=any"
// +kubebuilder:resource:scope=Cluster,categories={openstack,stackwright},shortName=oscc
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Project",type=string,JSONPath=`.status.project`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ClusterCloud struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says how the cloud is reached, and who may use it.
	// +kubebuilder:validation:XValidation:rule="has(self.secretRef.__namespace__)",message="say in spec.secretRef.namespace where the Secret is"
	// +kubebuilder:validation:XValidation:rule="!has(self.notifications) || has(self.notifications.secretRef.__namespace__)",message="say in spec.notifications.secretRef.namespace where the Secret is"
	Spec ClusterCloudSpec `json:"spec"`
	// Status is what is known of the cloud.
	// +optional
	Status CloudStatus `json:"status,omitzero"`
}

// KitStatus is the part of the status that the kit writes.
func (c *ClusterCloud) KitStatus() *owner.Status { return &c.Status.Status }

// ClusterCloudList is a list of clouds.
// +kubebuilder:object:root=true
type ClusterCloudList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClusterCloud `json:"items"`
}
