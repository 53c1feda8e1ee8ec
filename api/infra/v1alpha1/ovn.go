package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// OVNSpec is what a person wants of the central part of OVN: its two databases, and northd that turns one into the
// other.
// +kubebuilder:validation:XValidation:rule="!has(self.recovery) || int(self.recovery.forceBoot.split('-')[size(self.recovery.forceBoot.split('-')) - 1]) < self.replicas",message="recovery.forceBoot names a pod of a database: <name>-nb-0 or <name>-sb-0, and up to -2 when replicas is 3"
type OVNSpec struct {
	// Image with OVN's central daemons and the agent, as a full reference.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image"`
	// Replicas is the number of members of each database, 1 or 3. It can grow and shrink.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:XValidation:rule="self == 1 || self == 3",message="replicas is 1 or 3: a database needs a majority of its members, and an even number survives no more losses than one less"
	Replicas int32 `json:"replicas,omitempty"`
	// Storage of each member of each database.
	// +optional
	// +kubebuilder:default={}
	// +kubebuilder:validation:XValidation:rule="!has(self.size) || !has(oldSelf.size) || quantity(self.size).compareTo(quantity(oldSelf.size)) >= 0",message="storage.size can grow and not shrink"
	Storage Storage `json:"storage,omitzero"`
	// CASecret names a Secret in the same namespace with tls.crt and tls.key of the CA by which members and clients know
	// each other. Empty lets the operator make one named <name>-ca. The databases ask every client for a certificate.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	CASecret string `json:"caSecret,omitempty"`
	// ElectionTimer is after how many milliseconds without a word from the leader the members of a database elect
	// another one. A longer one bears slower disks and networks.
	// +optional
	// +kubebuilder:default=5000
	// +kubebuilder:validation:Minimum=1000
	// +kubebuilder:validation:Maximum=60000
	ElectionTimer int32 `json:"electionTimer,omitempty"`
	// InactivityProbe is after how many milliseconds of silence a database asks a client whether it is still there.
	// +optional
	// +kubebuilder:default=60000
	// +kubebuilder:validation:Minimum=1000
	// +kubebuilder:validation:Maximum=600000
	InactivityProbe int32 `json:"inactivityProbe,omitempty"`
	// ClusterDomain is the DNS domain of the Kubernetes cluster. OVN asks for names as they are, without search domains.
	// +optional
	// +kubebuilder:default=cluster.local
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="clusterDomain is a DNS domain such as cluster.local"
	ClusterDomain string `json:"clusterDomain,omitempty"`
	// Northd turns what Neutron wants into what the nodes do.
	// +optional
	// +kubebuilder:default={}
	Northd OVNNorthd `json:"northd,omitzero"`
	// Recovery lets one member of a database go on alone when most of its members have lost their volumes or are gone for
	// good, which the operator says in condition NorthboundReady or SouthboundReady. It holds for one time only.
	// +optional
	Recovery *Recovery `json:"recovery,omitempty"`
	// DeletionPolicy says whether the volumes are removed when this object is deleted. An OVN of the same name takes up
	// volumes that were retained.
	// +optional
	// +kubebuilder:default=Retain
	// +kubebuilder:validation:MaxLength=16
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
	// Paused stops the operator from touching anything of this object.
	// +optional
	Paused bool `json:"paused,omitempty"`

	PodSettings `json:",inline"`
}

// OVNNorthd says how northd runs.
type OVNNorthd struct {
	// Replicas is the number of northds. One works, the others take over when it is gone.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3
	Replicas int32 `json:"replicas,omitempty"`
	// Threads that compute flows; 1 is best below some hundred nodes.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Threads int32 `json:"threads,omitempty"`
	// Resources of its container.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
}

// OVNStatus is what the operator sees of OVN.
type OVNStatus struct {
	owner.Status `json:",inline"`
	// VolumesPending tells that no volume is bound yet; until then spec.storage.className can change.
	// +optional
	VolumesPending bool `json:"volumesPending,omitempty"`
	// Northbound is the database of what is wanted.
	// +optional
	Northbound OVNDatabase `json:"northbound,omitzero"`
	// Southbound is the database of what the nodes do.
	// +optional
	Southbound OVNDatabase `json:"southbound,omitzero"`
	// ReadyNorthds is the number of northds that work or wait to take over.
	// +optional
	ReadyNorthds int32 `json:"readyNorthds,omitempty"`
	// CASecret has the CA that signs clients' certificates.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	CASecret string `json:"caSecret,omitempty"`
	// ClientSecret has tls.crt, tls.key and ca.crt by which a client may write both databases, such as Neutron.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ClientSecret string `json:"clientSecret,omitempty"`
}

// OVNDatabase is what the operator sees of a database.
type OVNDatabase struct {
	// Connection is how clients reach all members, such as ssl:ovn-nb-0.ovn-nb-members.openstack.svc:6641,... .
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Connection string `json:"connection,omitempty"`
	// ReadyMembers is the number of members that serve.
	// +optional
	ReadyMembers int32 `json:"readyMembers,omitempty"`
	// Epoch counts how often the database was formed: 1 after the first start, more after all volumes were lost or a
	// member was made to go on alone.
	// +optional
	Epoch int64 `json:"epoch,omitempty"`
}

// OVN is the central part of OVN: the northbound and southbound databases and northd.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=ovns,categories=stackwright,shortName=ovnc
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="NB",type=integer,JSONPath=`.status.northbound.readyMembers`
// +kubebuilder:printcolumn:name="SB",type=integer,JSONPath=`.status.southbound.readyMembers`
// +kubebuilder:printcolumn:name="NORTHD",type=integer,JSONPath=`.status.readyNorthds`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name has at most 40 characters, so that the names of pods and volumes made from it stay valid"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name is a DNS label: lower case letters, digits and dashes, beginning with a letter"
// +kubebuilder:validation:XValidation:rule=`(has(self.spec.storage.className) ? self.spec.storage.className : "") == (has(oldSelf.spec.storage.className) ? oldSelf.spec.storage.className : "") || (has(oldSelf.status) && has(oldSelf.status.volumesPending) && oldSelf.status.volumesPending)`,message="storage.className cannot change once a volume is bound: volumes do not move between classes; keep the one it has"
type OVN struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// Spec is what a person wants.
	Spec OVNSpec `json:"spec"`
	// Status is what the operator sees.
	// +optional
	Status OVNStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (o *OVN) KitStatus() *owner.Status { return &o.Status.Status }

// Paused tells whether the operator keeps its hands off.
func (o *OVN) Paused() bool { return o.Spec.Paused }

// OVNList is a list of OVNs.
// +kubebuilder:object:root=true
type OVNList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []OVN `json:"items"`
}
