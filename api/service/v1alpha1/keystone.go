package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// KeystoneSpec says which identity service is wanted.
type KeystoneSpec struct {
	CommonSpec `json:",inline"`

	// Database says where identities are kept.
	Database Database `json:"database"`
	// Memcached names the Memcached that caches tokens and queries. Empty: nothing is cached.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Memcached string `json:"memcached,omitempty"`
	// RabbitMQ names the RabbitMQ that takes a message for each change of a user, project or role, and gets a MessageBus
	// for it. Empty: Keystone is silent and needs no message bus. A queue that nobody reads keeps the newest
	// 16 MiB.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	RabbitMQ string `json:"rabbitmq,omitempty"`
	// Region is the name of the region in the service catalog. It cannot be changed later.
	// +optional
	// +kubebuilder:default=RegionOne
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="region cannot be changed: it is in the service catalog and in every client's configuration"
	Region string `json:"region,omitempty"`
	// AdminPasswordSecret names a Secret whose key password is the password of the user admin. Empty: the operator
	// generates one into <name>-admin. A change of the password takes effect within a minute.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	AdminPasswordSecret string `json:"adminPasswordSecret,omitempty"`
	// Authorities name Secrets whose ca.crt clients trust beside Keystone's: those of services with certificates by other
	// authorities, such as the Secrets that their tls.secret names. In one without ca.crt, of an authority, it is tls.crt.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=253
	Authorities []string `json:"authorities,omitempty"`
	// Fernet says how the keys that make tokens are rotated.
	// +optional
	// +kubebuilder:default={}
	Fernet FernetKeys `json:"fernet,omitzero"`
	// Credential says how the keys that encrypt stored credentials are rotated.
	// +optional
	// +kubebuilder:default={}
	Credential CredentialKeys `json:"credential,omitzero"`
	// TrustFlush says when expired trusts are removed from the database.
	// +optional
	// +kubebuilder:default={}
	TrustFlush TrustFlush `json:"trustFlush,omitzero"`
}

// FernetKeys says how the keys that make tokens are rotated. No rotation restarts a pod or invalidates a token.
type FernetKeys struct {
	// RotationInterval is how often a new key becomes the one that makes tokens.
	// +optional
	// +kubebuilder:default="24h"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('10m')",message="rotationInterval must be at least 10m: a new key needs some minutes to reach every pod before it may be used"
	RotationInterval metav1.Duration `json:"rotationInterval,omitzero"`
	// MaxActiveKeys is the number of keys that are kept. Empty: as many as it takes until the last token of a key has
	// expired. A number too small for that is refused.
	// +optional
	// +kubebuilder:validation:Minimum=3
	// +kubebuilder:validation:Maximum=512
	MaxActiveKeys int32 `json:"maxActiveKeys,omitempty"`
}

// CredentialKeys says how the keys that encrypt stored credentials are rotated.
type CredentialKeys struct {
	// RotationInterval is how often a new key becomes the one that encrypts credentials; those that exist are then
	// encrypted anew by a Job.
	// +optional
	// +kubebuilder:default="720h"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1h')",message="rotationInterval must be at least 1h: all stored credentials are encrypted anew after each rotation"
	RotationInterval metav1.Duration `json:"rotationInterval,omitzero"`
}

// TrustFlush says when expired trusts are removed from the database.
type TrustFlush struct {
	// Schedule in the format of cron.
	// +optional
	// +kubebuilder:default="1 * * * *"
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^(@(hourly|daily|midnight|weekly|monthly|yearly|annually)|[^ ]+( [^ ]+){4})$')",message="use the five fields of cron, such as '1 * * * *'"
	Schedule string `json:"schedule,omitempty"`
	// Suspend stops it.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// KeystoneStatus tells what the identity service is.
type KeystoneStatus struct {
	owner.Status  `json:",inline"`
	ServiceStatus `json:",inline"`

	// Clouds names the Secret with clouds.yaml and ca.crt.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Clouds string `json:"clouds,omitempty"`
	// KeySecret names the Secret with the keys that encrypt stored credentials. Who loses it loses those.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	KeySecret string `json:"keySecret,omitempty"`
}

// Keystone is the identity service of an OpenStack: users, projects, roles, tokens and the service catalog.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:shortName=ks,categories=openstack;stackwright
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="PODS",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="PUBLIC",type=string,JSONPath=`.status.endpoints.public`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$') && size(self.metadata.name) <= 40",message="the name begins the names of the service's objects: at most 40 lower-case letters, digits and dashes, beginning with a letter"
type Keystone struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which identity service is wanted.
	Spec KeystoneSpec `json:"spec"`
	// Status tells what the identity service is.
	// +optional
	Status KeystoneStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (k *Keystone) KitStatus() *owner.Status { return &k.Status.Status }

// Paused tells whether a person stopped all changes.
func (k *Keystone) Paused() bool { return k.Spec.Paused }

// Common returns what every service takes.
func (k *Keystone) Common() *CommonSpec { return &k.Spec.CommonSpec }

// Service returns what every service tells.
func (k *Keystone) Service() *ServiceStatus { return &k.Status.ServiceStatus }

// KeystoneList is a list of Keystone.
// +kubebuilder:object:root=true
type KeystoneList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Keystone `json:"items"`
}
