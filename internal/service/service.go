// Package service is what every OpenStack service shares: a Service says in data what a service is and needs, and makes
// the steps that all of them have in common. What only one service has is in its own folder of internal/services.
package service

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// Object is the custom resource of an OpenStack service.
type Object interface {
	owner.Object
	// Common returns what every service takes.
	Common() *servicev1.CommonSpec
	// Service returns what every service tells.
	Service() *servicev1.ServiceStatus
}

// Service declares an OpenStack service with an API that uwsgi runs.
type Service[T Object] struct {
	// Name of the service, of its option catalogue and of its user.
	Name string
	// File is the name of its configuration file; Name with .conf when empty.
	File string
	// UID is the user, and the group, that the image runs the service as; Home is that user's folder.
	UID  int64
	Home string
	// Script is the WSGI script of the API, Port where it listens, Path where clients begin, such as /v3.
	Script string
	Port   int32
	Path   string
	// Shares are modules that all processes of the API have in common, such as that of its script: they are imported once.
	// They may open nothing and start no thread when they are imported.
	Shares []string
	// Leads are modules of ours that the API imports before all others, which they change.
	Leads []string
	// Web tells that users come with browsers: its public Service is where these look, at port 443, or 80 without TLS.
	Web bool
	// Health is a path that answers without asking a database or another service.
	Health string
	// Streams tells that requests carry data and take as long as it moves, as uploads do. A worker then takes several at
	// a time, so that slow ones do not keep others waiting, and is not ended for being busy.
	Streams bool
	// Claims are persistent volumes of the API's pods.
	Claims func(T) []Claim
	// Environment tells the service where its configuration file is, by variables that win over those of every service.
	Environment func(file string) []corev1.EnvVar
	// Database says where the service keeps its data, nil for services that keep none. DatabaseSection is where its
	// configuration says that; database when empty.
	Database        func(T) servicev1.Database
	DatabaseSection string
	// Memcached and RabbitMQ name what the service uses; an empty name is nothing. They are nil for services that never
	// use any.
	Memcached func(T) string
	RabbitMQ  func(T) string
	// Notifies tells whether the service tells of changes over its RabbitMQ; nil is never.
	Notifies func(T) bool
	// Identity says where the service is known; nil for the service that knows the others. Type is how clients find it
	// in the catalog, Description is for people.
	Identity    func(T) servicev1.Identity
	Type        string
	Description string
	// Guest tells that the service asks Keystone for its users alone: it has no user of its own, and is in no catalog.
	Guest bool
	// Logins are sections by which the service asks other services, as its own user. One with KeyUser knows the key
	// manager.
	Logins []string
	// Options sets what only this service has in its configuration file, nil for services without a file of oslo.config.
	// Reads are the references that Options and Keys look at.
	Options func(*step.Scope[T], *oslo.File)
	Reads   []string
	// After are steps that the configuration comes after, beside those of every service; Sees are those whose objects
	// Options and Keys look at.
	After, Sees []string
	// Free are options that the service reads from sections whose names its users choose.
	Free []string
	// Mounts are Secrets and ConfigMaps that every container of the service gets.
	Mounts []Mount[T]
	// Workers are the service's programs beside the API.
	Workers []Worker[T]
	// Front is what users reach; nil is the API.
	Front *Front
	// User names the service as whose user this one asks others: a part of that service, which makes the user. Nil is a
	// user of its own.
	User func(T) string
	// Files are put beside the configuration file.
	Files func(T) map[string][]byte
	// Keys are files like Files that are made of references and of objects, which Reads and Sees name.
	Keys func(*step.Scope[T]) (map[string][]byte, error)
	// Sections are sections whose names its users choose.
	Sections func(T) map[string]oslo.Section
	// Databases are further sections of the configuration that say where a database is.
	Databases []string
	// Authorities names the Secrets that have, as ca.crt, by what the databases and the buses of a service are known that
	// has more than its own; nil are the Secrets of its own.
	Authorities func(T) (database, bus string)
	// Rolls are annotations of all pods, by their names: a new value makes new pods. Rereads are the references that they
	// are made of.
	Rolls   func(*step.Scope[T]) map[string]string
	Rereads []string
	// UWSGI are lines that only this service has in the configuration of the program that runs its API, Asked those that
	// it has for what was asked for.
	UWSGI   []string
	Asked   func(T) []string
	Cluster Cluster
}

// Front is a worker that users reach from outside of the cluster, at Path of Port.
type Front struct {
	Worker string
	Port   int32
	Path   string
}

// Mount is a Secret or a ConfigMap in a folder of the containers.
type Mount[T Object] struct {
	// Name of the volume, and of the folder below Folder.
	Name string
	// Secret names the Secret; an empty name mounts nothing.
	Secret func(T) string
	// ConfigMap names a ConfigMap in place of a Secret.
	ConfigMap func(T) string
	// Keys limits what is mounted; none is everything.
	Keys []string
	// Optional lets a pod start without the Secret, the ConfigMap or some of the keys.
	Optional bool
}

// Claim is a persistent volume in the API's containers.
type Claim struct {
	// Name of the volume, Claim that of the PersistentVolumeClaim.
	Name, Claim string
	// Path where it is mounted.
	Path string
	// Shared volumes can be mounted on several nodes at a time. The pods of a service with any other stay together.
	Shared bool
	// Own is a volume that each pod has for itself, in place of Claim: it comes and goes with the pod.
	Own *corev1.PersistentVolumeClaimSpec
}

// Folder has all that the operator mounts into a container.
const Folder = "/etc/stackwright"

// The steps that services have in common, for others to come after.
const (
	StepAccess      = "access"
	StepEndpoints   = "endpoints"
	StepCA          = "ca"
	StepCertificate = "certificate"
	StepGiven       = "given-certificate"
	StepTrust       = "trust"
	StepDatabase    = "database"
	StepBus         = "bus"
	StepConfig      = "config"
	StepAPI         = "api"
	StepPassword    = "password"
	StepUser        = "user"
	StepCatalog     = "catalog"
)

// The components that an operator can run apart.
const (
	// ComponentSetup is everything that an API needs.
	ComponentSetup = "setup"
	// ComponentAPI is the API itself.
	ComponentAPI = "api"
)

// Names of the objects that a service makes.
func configName(o Object) string { return o.GetName() + "-config" }
func apiName(o Object) string    { return o.GetName() + "-api" }

// databaseSecret is what the operator of databases names the Secret of a Database.
func databaseSecret(o Object) string { return o.GetName() + "-db" }

// authoritySecrets name what has the authorities of the service's databases and buses.
func (s Service[T]) authoritySecrets(o T) (database, bus string) {
	if s.Authorities != nil {
		return s.Authorities(o)
	}
	return databaseSecret(o), busSecret(o)
}

// busSecret is what the operator of message buses names the Secret of a MessageBus.
func busSecret(o Object) string { return o.GetName() + "-bus" }

// caName names the Secret of the authority that signs the service's certificate; empty when none does.
func caName(o Object) string {
	tls := o.Common().TLS
	switch {
	case tls.Disabled || tls.Secret != "":
		return ""
	case tls.CASecret != "":
		return tls.CASecret
	}
	return o.GetName() + "-ca"
}

// tlsName names the Secret of the service's certificate; empty without TLS.
func tlsName(o Object) string {
	tls := o.Common().TLS
	switch {
	case tls.Disabled:
		return ""
	case tls.Secret != "":
		return tls.Secret
	}
	return o.GetName() + "-tls"
}

func (s Service[T]) claims(o T) []Claim {
	if s.Claims == nil {
		return nil
	}
	return s.Claims(o)
}

func (s Service[T]) memcached(o T) string {
	if s.Memcached == nil {
		return ""
	}
	return s.Memcached(o)
}

func (s Service[T]) rabbitMQ(o T) string {
	if s.RabbitMQ == nil {
		return ""
	}
	return s.RabbitMQ(o)
}

// Steps are those that services have in common. o are options of the steps that run the API and the workers, such as
// what they come after.
func (s Service[T]) Steps(o ...step.Option[T]) []step.Step[T] {
	steps := append(s.RouteSteps(), s.HostnameStep(), s.AccessStep(), s.EndpointsStep(), s.CAStep(), s.CertificateStep(),
		s.GivenStep(), s.LastsStep(), s.AuthorityLastsStep())
	if s.Database != nil {
		steps = append(steps, s.DatabaseStep())
	}
	steps = append(steps, s.ConfigStep(), s.APIStep(slices.Clone(o)...))
	steps = append(steps, s.workerSteps(o...)...)
	if s.RabbitMQ != nil {
		steps = append(steps, s.BusStep())
	}
	if s.Identity != nil && s.User == nil && !s.Guest {
		steps = append(steps, s.UserSteps()...)
		steps = append(steps, s.CatalogStep())
	}
	if s.Identity != nil && !s.Guest {
		steps = append(steps, s.trustStep())
	}
	return steps
}

// Keep retains a step's objects as long as the service's data is retained; without data nothing is.
func (s Service[T]) Keep() step.Option[T] {
	return step.KeepWhen(func(o T) bool { return s.Database != nil && s.Database(o).DeletionPolicy != deleteData })
}

// Labels are on all objects of a service; with a component they select its pods.
func (s Service[T]) Labels(o T, component string) map[string]string {
	labels := map[string]string{
		"app.kubernetes.io/name":     s.Name,
		"app.kubernetes.io/instance": o.GetName(),
	}
	if component != "" {
		labels["app.kubernetes.io/component"] = component
	}
	return labels
}
