// Package keystone runs the identity service.
//
// OpenStack facts: Keystone is one WSGI application that serves public, internal and admin requests alike, so there is
// one Deployment behind two Services. It reads its Fernet keys from files for each token, so keys are rotated under
// running pods. `keystone-manage bootstrap` makes the first admin and the catalog entries of Keystone itself, leaves
// alone what is right and sets the admin's password when it differs; that is how a new password takes effect.
package keystone

import (
	_ "embed"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

type (
	keystone = servicev1.Keystone
	scope    = step.Scope[*keystone]
	pod      = service.Pod[*keystone]
	mount    = service.Mount[*keystone]
	option   = step.Option[*keystone]
)

// Steps and references beside those that every service has.
const (
	stepFernet     = "fernet-keys"
	stepCredential = "credential-keys"
	stepAdmin      = "admin-password"
	stepExpand     = "db-expand"
	stepContract   = "db-contract"
	stepBootstrap  = "bootstrap"
	stepMigrate    = "credential-migrate"
	stepMigrated   = "credential-migrated"
	stepTrusts     = "trust-flush"
	stepClouds     = "clouds"

	refOptions     = "options"
	refCredential  = "credential-keys"
	refMigrated    = "credential-migrated"
	refAdmin       = "admin"
	refAuthorities = "authorities"
)

// scriptFile is what uwsgi runs.
const scriptFile = "stackwright_keystone_wsgi.py"

//go:embed wsgi.py
var script []byte

// Definition is the controller of identity services.
func Definition(cluster service.Cluster) kit.Definition[*keystone] {
	s := server{service.Service[*keystone]{
		Name: "keystone", UID: 42425, Home: "/var/lib/keystone",
		Script: service.Folder + "/config/" + scriptFile, Port: 5000, Path: "/v3", Health: "/healthcheck",
		Shares: []string{"keystone.server.wsgi", "keystone.common.rbac_enforcer.enforcer"},
		Files:  func(*keystone) map[string][]byte { return map[string][]byte{scriptFile: script} },
		Environment: func(file string) []corev1.EnvVar {
			return []corev1.EnvVar{{Name: "OS_KEYSTONE_CONFIG_FILES", Value: file}}
		},
		Database:  func(k *keystone) servicev1.Database { return k.Spec.Database },
		Memcached: func(k *keystone) string { return k.Spec.Memcached },
		RabbitMQ:  func(k *keystone) string { return k.Spec.RabbitMQ },
		Notifies:  func(*keystone) bool { return true }, // RabbitMQ is there for nothing else
		Options:   options,
		// Federation reads it from a section named after the protocol, such as openid.
		Free:    []string{"remote_id_attribute"},
		Mounts:  []mount{{Name: "fernet", Secret: fernetName}, {Name: "credential", Secret: credentialName}},
		Cluster: cluster,
	}}
	return kit.Definition[*keystone]{
		Name:   s.Name,
		New:    func() *keystone { return &keystone{} },
		Refs:   append(s.Refs(), refs()...),
		Steps:  s.steps(),
		Report: s.report,
	}
}

// server is the service with what only Keystone has.
type server struct{ service.Service[*keystone] }

func refs() []ref.Ref[*keystone] {
	return []ref.Ref[*keystone]{
		ref.Local(refOptions, &corev1.Secret{}, func(k *keystone) string { return k.Name + "-config" },
			ref.Fields[*keystone](configFile)),
		ref.Local(refCredential, &corev1.Secret{}, credentialName),
		ref.Local(refMigrated, &corev1.ConfigMap{}, migratedName, ref.Optional[*keystone]()),
		ref.Local(refAdmin, &corev1.Secret{}, adminName, ref.Fields[*keystone](service.KeyPassword)),
		ref.To(refAuthorities, &corev1.Secret{}, authoritySecrets),
	}
}

func (s server) steps() []step.Step[*keystone] {
	steps := append(s.Steps(keys(), after(stepExpand)),
		s.fernetStep(),
		s.credentialStep(),
		s.PasswordStep(stepAdmin, adminName, s.Keep(), step.When(ownPassword)),
		s.JobStep(stepExpand, expand, step.Condition[*keystone]("DBSyncReady")),
		s.JobStep(stepBootstrap, s.bootstrap, keys(), after(stepExpand, stepAdmin),
			step.Sees[*keystone](service.StepEndpoints),
			reads(refAdmin, service.RefDatabase), step.Condition[*keystone]("BootstrapReady")),
		s.JobStep(stepContract, contract, after(service.StepAPI), step.Condition[*keystone]("DBContractReady")),
		step.Objects(stepMigrate, s.migrate, after(service.StepAPI), reads(refCredential), setup(),
			step.Makes[*keystone](&batchv1.Job{}), step.OnImmutable[*keystone](step.Recreate),
			step.Condition[*keystone]("CredentialMigrationReady")),
		step.Objects(stepMigrated, s.migrated, after(stepMigrate), reads(refCredential), setup(),
			step.Makes[*keystone](&corev1.ConfigMap{})),
		step.Objects(stepClouds, s.clouds, after(stepBootstrap, service.StepAPI), step.Sees[*keystone](service.StepEndpoints),
			reads(refAdmin, service.RefTLS, refAuthorities), setup(), step.Makes[*keystone](&corev1.Secret{}),
			step.Condition[*keystone]("CloudsReady")),
		service.TrustStep(trusted, reads(refAuthorities)),
	)
	return append(steps, service.CronSteps(stepTrusts, "CronJobReady", s.trustFlush, keys(), after(stepExpand))...)
}

func after(steps ...string) option { return step.After[*keystone](steps...) }
func reads(refs ...string) option  { return step.Reads[*keystone](refs...) }
func setup() option                { return step.Component[*keystone](service.ComponentSetup) }

// keys are mounted into every container, so everything that runs comes after them.
func keys() option { return after(stepFernet, stepCredential) }

func fernetName(k *keystone) string     { return k.Name + "-fernet" }
func credentialName(k *keystone) string { return k.Name + "-credential" }
func migratedName(k *keystone) string   { return k.Name + "-credential-migrated" }
func ownPassword(k *keystone) bool      { return k.Spec.AdminPasswordSecret == "" }

// adminName names the Secret with the password of the user admin.
func adminName(k *keystone) string {
	if ownPassword(k) {
		return k.Name + "-admin"
	}
	return k.Spec.AdminPasswordSecret
}
