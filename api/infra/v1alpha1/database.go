package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// DatabaseSpec is what a person wants of a database.
// +kubebuilder:validation:XValidation:rule=`(has(self.database) ? self.database : "") == (has(oldSelf.database) ? oldSelf.database : "")`,message="database cannot change: the data would stay behind under the old name; make a new Database"
// +kubebuilder:validation:XValidation:rule=`(has(self.username) ? self.username : "") == (has(oldSelf.username) ? oldSelf.username : "")`,message="username cannot change; make a new Database, or change rotatePassword for a new password"
type DatabaseSpec struct {
	// Galera is the name of the cluster in the same namespace that holds the database.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="galera cannot change: the data would stay behind; make a new Database and load a dump into it"
	Galera string `json:"galera"`
	// Database is the schema's name in MariaDB; empty takes the object's name with dashes turned into underscores.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9_]*$`
	// +kubebuilder:validation:XValidation:rule="!(self in ['mysql','sys','information_schema','performance_schema'])",message="database is the name of a schema of MariaDB itself; take another one"
	Database string `json:"database,omitempty"`
	// Username is the account that may use the schema and nothing else; empty takes the schema's name. No other Database
	// of the Galera has it.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9_]*$`
	// +kubebuilder:validation:XValidation:rule="!(self in ['root','mysql','mariadb_sys','PUBLIC','public'])",message="username is an account of MariaDB itself; take another one"
	Username string `json:"username,omitempty"`
	// CharacterSet of the schema.
	// +optional
	// +kubebuilder:default=utf8mb4
	// +kubebuilder:validation:Enum=utf8mb4;utf8mb3
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="characterSet cannot change: tables keep the one that they were made with; make a new Database and load a dump into it"
	CharacterSet string `json:"characterSet,omitempty"`
	// RotatePassword makes a new password whenever it changes; any text will do, such as a date. Empty keeps the first.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	RotatePassword string `json:"rotatePassword,omitempty"`
	// DeletionPolicy says whether the schema and the account are dropped when this object is deleted.
	// +optional
	// +kubebuilder:default=Retain
	// +kubebuilder:validation:MaxLength=16
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
	// Paused stops the operator from touching anything of this object.
	// +optional
	Paused bool `json:"paused,omitempty"`
}

// DatabaseStatus is what the operator sees of a database.
type DatabaseStatus struct {
	owner.Status `json:",inline"`
	// SecretName is the Secret with host, port, database, username, password, connection and ca.crt.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	SecretName string `json:"secretName,omitempty"`
	// Host is the DNS name at which the database answers.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Host string `json:"host,omitempty"`
	// Database is the schema's name.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Database string `json:"database,omitempty"`
}

// Database is a schema in a Galera cluster with an account of its own.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=stackwright,shortName=db
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="GALERA",type=string,JSONPath=`.spec.galera`
// +kubebuilder:printcolumn:name="SECRET",type=string,JSONPath=`.status.secretName`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 60",message="the name has at most 60 characters, so that the names made from it stay valid"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name is a DNS label: lower case letters, digits and dashes, beginning with a letter"
// +kubebuilder:validation:XValidation:rule="has(self.spec.database) || !(self.metadata.name in ['mysql','sys','information-schema','performance-schema'])",message="the name stands for a schema of MariaDB itself; set spec.database, or take another name"
// +kubebuilder:validation:XValidation:rule="has(self.spec.username) || !((has(self.spec.database) ? self.spec.database : self.metadata.name) in ['root','public','mariadb-sys','mariadb_sys'])",message="the name stands for an account of MariaDB itself; set spec.username, or take another name"
type Database struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
	// Spec is what a person wants.
	Spec DatabaseSpec `json:"spec"`
	// Status is what the operator sees.
	// +optional
	Status DatabaseStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (d *Database) KitStatus() *owner.Status { return &d.Status.Status }

// Paused tells whether the operator keeps its hands off.
func (d *Database) Paused() bool { return d.Spec.Paused }

// DatabaseList is a list of databases.
// +kubebuilder:object:root=true
type DatabaseList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Database `json:"items"`
}
