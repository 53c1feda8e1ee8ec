package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// GaleraConfig has options of section [mysqld] by their names, without those that the operator has to own.
// +kubebuilder:validation:MaxProperties=64
// +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^[a-z][a-z0-9_]{1,62}$'))",message="config names options of mariadbd in lower case with underscores, such as max_connections"
// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('wsrep'))",message="options that begin with wsrep belong to the operator; remove them from config"
// +kubebuilder:validation:XValidation:rule="self.all(k, !(k in ['datadir','socket','port','bind_address','pid_file','user','tmpdir','plugin_dir','plugin_load','plugin_load_add','init_file','read_only','log_error','ssl_ca','ssl_cert','ssl_key','tls_version','require_secure_transport','skip_grant_tables','skip_networking','binlog_format','default_storage_engine','innodb_autoinc_lock_mode','skip_name_resolve','secure_file_priv','innodb_force_recovery']))",message="config has an option that belongs to the operator (paths, ports, TLS, replication and the like); remove it"
// +kubebuilder:validation:XValidation:rule="self.all(k, !self[k].contains('\\n'))",message="a value in config is one line"
type GaleraConfig map[string]Line

// GaleraSpec is what a person wants of a Galera cluster.
// +kubebuilder:validation:XValidation:rule="self.replicas >= oldSelf.replicas",message="replicas can grow from 1 to 3 and not shrink: to go back to 1, make a new Galera and load a dump into it"
// +kubebuilder:validation:XValidation:rule="!has(self.recovery) || int(self.recovery.seed.split('-')[size(self.recovery.seed.split('-')) - 1]) < self.replicas",message="recovery.seed names a pod of this cluster: <name>-0 when replicas is 1, <name>-0, <name>-1 or <name>-2 when it is 3"
type GaleraSpec struct {
	// Image of MariaDB with Galera and the agent, as a full reference.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image"`
	// Replicas is the number of members, 1 or 3. Two members could not tell a dead one from a cut network.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:XValidation:rule="self == 1 || self == 3",message="replicas is 1 or 3: with an even number a cut network leaves no majority, and more than 3 members slow down every write"
	Replicas int32 `json:"replicas,omitempty"`
	// Storage of each member.
	// +optional
	// +kubebuilder:default={}
	// +kubebuilder:validation:XValidation:rule="!has(self.size) || !has(oldSelf.size) || quantity(self.size).compareTo(quantity(oldSelf.size)) >= 0",message="storage.size can grow and not shrink"
	Storage Storage `json:"storage,omitzero"`
	// TLS between clients and members, and between members.
	// +optional
	TLS TLS `json:"tls,omitzero"`
	// Config has options of section [mysqld], such as max_connections: "2000". Options that the operator has to own are
	// refused. A value that MariaDB refuses stops the rolling change at its first pod.
	// +optional
	Config GaleraConfig `json:"config,omitempty"`
	// Recovery names the member that starts the cluster when the operator cannot know which one holds every
	// acknowledged write and says so in condition MembersReady. It holds for one start only.
	// +optional
	Recovery *GaleraRecovery `json:"recovery,omitempty"`
	// DeletionPolicy says whether the volumes are removed when this object is deleted. A Galera of the same name takes up
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

// GaleraRecovery is a person's decision about the member that starts the cluster. Writes that only other members hold
// are lost.
type GaleraRecovery struct {
	// Seed is the pod that starts the cluster, such as galera-1.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?-[0-2]$`
	Seed string `json:"seed"`
	// Epoch is the start for which this decision holds, as the condition's message tells it. It makes sure that an old
	// decision is not taken again at a later crash.
	// +kubebuilder:validation:Minimum=1
	Epoch int64 `json:"epoch"`
}

// GaleraStatus is what the operator sees of a Galera cluster.
type GaleraStatus struct {
	owner.Status `json:",inline"`
	// VolumesPending tells that no volume is bound yet; until then spec.storage.className can change.
	// +optional
	VolumesPending bool `json:"volumesPending,omitempty"`
	// ReadyMembers is the number of members that serve.
	// +optional
	ReadyMembers int32 `json:"readyMembers,omitempty"`
	// Writer is the pod that takes writes; Service <name> leads to it.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Writer string `json:"writer,omitempty"`
	// Epoch counts how often the cluster was started from nothing running.
	// +optional
	Epoch int64 `json:"epoch,omitempty"`
	// ClusterID is the id of the history that the data belongs to.
	// +optional
	// +kubebuilder:validation:MaxLength=36
	ClusterID string `json:"clusterID,omitempty"`
}

// Galera is a MariaDB cluster of 1 or 3 members that replicate synchronously. One of them takes the writes.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=stackwright,shortName=gal
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="MEMBERS",type=integer,JSONPath=`.status.readyMembers`
// +kubebuilder:printcolumn:name="WRITER",type=string,JSONPath=`.status.writer`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name has at most 40 characters, so that the names of pods and volumes made from it stay valid"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name is a DNS label: lower case letters, digits and dashes, beginning with a letter"
// +kubebuilder:validation:XValidation:rule=`(has(self.spec.storage.className) ? self.spec.storage.className : "") == (has(oldSelf.spec.storage.className) ? oldSelf.spec.storage.className : "") || (has(oldSelf.status) && has(oldSelf.status.volumesPending) && oldSelf.status.volumesPending)`,message="storage.className cannot change once a volume is bound: volumes do not move between classes; make a new Galera and load a dump into it"
type Galera struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// Spec is what a person wants.
	Spec GaleraSpec `json:"spec"`
	// Status is what the operator sees.
	// +optional
	Status GaleraStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (g *Galera) KitStatus() *owner.Status { return &g.Status.Status }

// Paused tells whether the operator keeps its hands off.
func (g *Galera) Paused() bool { return g.Spec.Paused }

// GaleraList is a list of Galera clusters.
// +kubebuilder:object:root=true
type GaleraList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Galera `json:"items"`
}
