package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// BarbicanSpec says which key manager is wanted.
type BarbicanSpec struct {
	CommonSpec `json:",inline"`

	// Database says where encrypted secrets are kept. Its deletionPolicy is that of the keys that encrypt them, too.
	Database Database `json:"database"`
	// Identity says where the service is known.
	Identity Identity `json:"identity"`
	// RabbitMQ names the RabbitMQ through which the API gives orders to the worker, and gets a MessageBus for it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	RabbitMQ string `json:"rabbitmq"`
	// KeyGeneration counts the keys that encrypt the projects' own keys. With each step up there is a new one, and all
	// projects' keys are encrypted with it while the service goes on. Earlier ones are kept: backups of the database need
	// them.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +kubebuilder:validation:XValidation:rule="self >= oldSelf",message="keyGeneration cannot become less: what the newest key encrypts, no earlier one decrypts; leave it as it is"
	KeyGeneration int32 `json:"keyGeneration,omitempty"`
	// Worker says how the program runs that makes what orders ask for, such as pairs of keys.
	// +optional
	// +kubebuilder:default={}
	Worker Worker `json:"worker,omitzero"`
	// KeystoneListener says how the program runs that removes what a project has stored when the project is deleted.
	// +optional
	// +kubebuilder:default={}
	KeystoneListener KeystoneListener `json:"keystoneListener,omitzero"`
	// Maintenance says when what was deleted is removed from the database.
	// +optional
	// +kubebuilder:default={}
	Maintenance Maintenance `json:"maintenance,omitzero"`
}

// KeystoneListener says how a program runs that hears what Keystone tells.
type KeystoneListener struct {
	Worker `json:",inline"`

	// Secret names the Secret of the account that hears Keystone, such as KEYSTONE-bus-listener, with transport_url and,
	// where TLS is used, ca.crt. Without it there is no such program.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Secret string `json:"secret,omitempty"`
}

// BarbicanStatus tells what the key manager is.
type BarbicanStatus struct {
	owner.Status  `json:",inline"`
	ServiceStatus `json:",inline"`
	// KeySecret names the Secret with the keys that encrypt the projects' keys. Who loses it loses all stored secrets.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	KeySecret string `json:"keySecret,omitempty"`
}

// Barbican is the key manager of an OpenStack: passwords, keys and certificates that projects store.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:shortName=bar,categories=openstack;stackwright
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="PODS",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="PUBLIC",type=string,JSONPath=`.status.endpoints.public`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$') && size(self.metadata.name) <= 39",message="the name begins the names of the service's objects: at most 39 lower-case letters, digits and dashes, beginning with a letter"
type Barbican struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which key manager is wanted.
	Spec BarbicanSpec `json:"spec"`
	// Status tells what the key manager is.
	// +optional
	Status BarbicanStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (b *Barbican) KitStatus() *owner.Status { return &b.Status.Status }

// Paused tells whether a person stopped all changes.
func (b *Barbican) Paused() bool { return b.Spec.Paused }

// Common returns what every service takes.
func (b *Barbican) Common() *CommonSpec { return &b.Spec.CommonSpec }

// Service returns what every service tells.
func (b *Barbican) Service() *ServiceStatus { return &b.Status.ServiceStatus }

// BarbicanList is a list of Barbican.
// +kubebuilder:object:root=true
type BarbicanList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Barbican `json:"items"`
}
