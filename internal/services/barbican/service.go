// Package barbican runs the key manager.
//
// OpenStack facts: the API takes orders for keys, which a worker makes. Each project has a key of its own, by which its
// secrets are encrypted in the database, and which itself is encrypted by a key-encryption key (KEK) of the
// configuration. barbican-retry is left out: no order of this release asks to be tried again (tasks/resources.py).
package barbican

import (
	_ "embed"
	"path"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

type (
	barbican = servicev1.Barbican
	scope    = step.Scope[*barbican]
	pod      = service.Pod[*barbican]
	api      = service.Service[*barbican]
)

// The steps that only Barbican has.
const (
	stepKeys     = "keys"
	stepSync     = "db-sync"
	stepRewrap   = "key-rewrap"
	stepMaintain = "maintenance"
)

// program is what the operator does to Barbican's database with Barbican's own code.
//
//go:embed barbican.py
var program []byte

const programFile = "stackwright_barbican.py"

// Definition is the controller of key managers.
func Definition(cluster service.Cluster) kit.Definition[*barbican] {
	s := api{
		Name: "barbican", UID: 42403, Home: home,
		Script: "/usr/bin/barbican-wsgi-api", Port: 9311, Health: "/healthcheck",
		Shares:      []string{"barbican.api.app"},
		Environment: environment,
		Database:    func(b *barbican) servicev1.Database { return b.Spec.Database },
		RabbitMQ:    func(b *barbican) string { return b.Spec.RabbitMQ },
		Identity:    func(b *barbican) servicev1.Identity { return b.Spec.Identity },
		Type:        "key-manager", Description: "OpenStack Key Manager",
		// With several stores of secrets each has a section of its own, [secretstore:NAME].
		Free:    []string{"secret_store_plugin", "crypto_plugin", "global_default"},
		Options: options, Reads: []string{refKeys}, After: []string{stepKeys},
		Files: func(*barbican) map[string][]byte {
			return map[string][]byte{programFile: program, listenerModule + ".py": listenerProgram}
		},
		// Addresses of secrets begin as the request did, but for the scheme, which Barbican takes from proxies only.
		UWSGI: []string{"route-if = equal:${HTTPS};on addvar:HTTP_X_FORWARDED_PROTO=https"},
		Workers: []service.Worker[*barbican]{{
			Name: "worker", Title: "Worker", Command: []string{"barbican-worker"},
			Peers: []service.Peer{service.Bus()}, Ordered: true,
			Settings: func(b *barbican) servicev1.Worker { return b.Spec.Worker },
		}, listener()},
		Cluster: cluster,
	}
	return kit.Definition[*barbican]{
		Name:   s.Name,
		New:    func() *barbican { return &barbican{} },
		Refs:   append(s.Refs(), refs()...),
		Steps:  append(s.Steps(step.After[*barbican](stepSync)), steps(s)...),
		Report: report(s),
	}
}

// environment makes the folder of the configuration the home of Barbican's programs, where all of them look for it:
// each plugin reads the file by itself, whatever the command line says (common/config.py parse_args).
func environment(file string) []corev1.EnvVar {
	return []corev1.EnvVar{{Name: "HOME", Value: path.Dir(file)}}
}

func steps(s api) []step.Step[*barbican] {
	return append([]step.Step[*barbican]{
		step.Secret(stepKeys, generate(s), keysName, step.Copied[*barbican](), s.Keep(),
			step.Condition[*barbican]("KeysReady"), step.Component[*barbican](service.ComponentSetup)),
		// It also looks whether the keys are those of the database, so that it runs again for other keys.
		s.JobStep(stepSync, func(sc *scope) (pod, error) {
			return pod{Component: stepSync, Alone: true, Command: manage("prepare"),
				Annotations: map[string]string{annotationKeys: sc.Digest(refKeys)}}, nil
		}, step.Reads[*barbican](refKeys), step.Condition[*barbican]("DBSyncReady")),
		step.Objects(stepRewrap, rewrap(s), step.After[*barbican](service.StepAPI),
			step.Reads[*barbican](refKeys, service.RefRolled), step.Makes[*barbican](&batchv1.Job{}),
			step.OnImmutable[*barbican](step.Recreate), step.Condition[*barbican]("KeyRewrapReady"),
			step.Component[*barbican](service.ComponentSetup)),
	}, service.CronSteps(stepMaintain, "MaintenanceReady", maintain(s), step.After[*barbican](stepSync))...)
}

// manage is a command of our program.
func manage(args ...string) []string {
	return append([]string{"python3", "-m", "stackwright_barbican"}, args...)
}

// maintain removes from the database what was deleted long ago, and projects that have nothing any more.
func maintain(s api) func(*scope) ([]client.Object, error) {
	return func(sc *scope) ([]client.Object, error) {
		m := sc.Owner().Spec.Maintenance
		if m.Days() == 0 {
			return nil, nil
		}
		return []client.Object{s.Cron(sc.Owner(), stepMaintain, m.When(), pod{Alone: true, Component: stepMaintain,
			Command: []string{"barbican-manage", "db", "clean", "--clean-unassociated-projects",
				"--min-days", strconv.Itoa(m.Days())}})}, nil
	}
}
