// Package heat runs the orchestration service.
//
// OpenStack facts: two APIs, one of OpenStack and one that servers of stacks use, give their work to engines. Users of
// stacks, such as those by which servers tell that they are done, live in a domain of their own, whose administrator
// the engines are. For what happens later than a user's token lasts, the user trusts the service's own user. Secret
// parameters and such trusts are encrypted in the database by a key of the configuration, of 32 characters.
package heat

import (
	_ "embed"
	"path"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

type (
	heat  = servicev1.Heat
	scope = step.Scope[*heat]
	pod   = service.Pod[*heat]
	api   = service.Service[*heat]
)

// Steps and references beside those that every service has.
const (
	stepKey      = "key"
	stepAdmin    = "domain-password"
	stepDomain   = "domain"
	stepSync     = "db-sync"
	stepMaintain = "maintenance"

	refKey   = "key"
	refAdmin = "domain-password"
)

// cfn is the API that servers of stacks use.
const (
	cfn       = "cfn"
	cfnScript = "stackwright_heat_cfn.py"
)

//go:embed cfn.py
var cfnProgram []byte

// Definition is the controller of orchestration services.
func Definition(cluster service.Cluster) kit.Definition[*heat] {
	s := api{
		Name: "heat", UID: 42418, Home: home,
		Script: "/usr/bin/heat-wsgi-api", Port: 8004, Path: "/v1/%(project_id)s", Health: "/healthcheck",
		Shares:      []string{"heat.api.openstack.wsgi"},
		Environment: environment,
		Database:    func(h *heat) servicev1.Database { return h.Spec.Database },
		RabbitMQ:    func(h *heat) string { return h.Spec.RabbitMQ },
		Notifies:    func(h *heat) bool { return h.Spec.Notifications },
		Memcached:   func(h *heat) string { return h.Spec.Memcached },
		Identity:    func(h *heat) servicev1.Identity { return h.Spec.Identity },
		Type:        "orchestration", Description: "OpenStack Orchestration",
		Options: options, Reads: []string{refKey, refAdmin}, After: []string{stepKey, stepAdmin},
		Files:   func(*heat) map[string][]byte { return map[string][]byte{cfnScript: cfnProgram} },
		Workers: workers(),
		Cluster: cluster,
	}
	return kit.Definition[*heat]{
		Name:   s.Name,
		New:    func() *heat { return &heat{} },
		Refs:   append(s.Refs(), refs()...),
		Steps:  append(s.Steps(step.After[*heat](stepSync)), steps(s)...),
		Report: report(s),
	}
}

// environment makes the folder of the configuration the home of Heat's programs, where all of them look for it; the
// WSGI scripts take no other word for it.
func environment(file string) []corev1.EnvVar {
	return []corev1.EnvVar{{Name: "HOME", Value: path.Dir(file)}}
}

func workers() []service.Worker[*heat] {
	return []service.Worker[*heat]{
		{
			Name: cfn, Title: "CFN", Port: 8000, Health: "/healthcheck",
			Settings: func(h *heat) servicev1.Worker { return h.Spec.CFN.Worker },
			Serves: &service.API[*heat]{
				Script: service.Folder + "/config/" + cfnScript, Path: "/v1", Type: "cloudformation",
				Shares:      []string{"heat.api.cfn.wsgi"},
				Description: "OpenStack Orchestration for servers of stacks",
				Expose:      func(h *heat) servicev1.Expose { return h.Spec.CFN.Expose },
			},
		},
		{
			Name: "engine", Title: "Engine", Command: []string{"heat-engine"},
			Peers: []service.Peer{service.Bus()}, Ordered: true,
			Settings: func(h *heat) servicev1.Worker { return h.Spec.Engine },
		},
	}
}

func refs() []ref.Ref[*heat] {
	return []ref.Ref[*heat]{
		ref.Local(refKey, &corev1.Secret{}, keyName, ref.Fields[*heat](keyOption)),
		ref.Local(refAdmin, &corev1.Secret{}, adminName, ref.Fields[*heat](service.KeyPassword)),
	}
}

func steps(s api) []step.Step[*heat] {
	setup := step.Component[*heat](service.ComponentSetup)
	return append([]step.Step[*heat]{
		step.Secret(stepKey, generate(s), keyName, step.Copied[*heat](), s.Keep(), setup, step.Condition[*heat]("KeyReady")),
		s.PasswordStep(stepAdmin, adminName, s.Keep()),
		step.Objects(stepDomain, domain(s), step.After[*heat](stepAdmin), setup, step.Condition[*heat]("DomainReady"),
			step.Makes[*heat](&openstackv1.Domain{}, &openstackv1.Role{}, &openstackv1.User{}, &openstackv1.RoleAssignment{})),
		s.JobStep(stepSync, func(*scope) (pod, error) {
			return pod{Component: stepSync, Alone: true, Command: []string{"heat-manage", "db_sync"}}, nil
		}, step.Condition[*heat]("DBSyncReady")),
	}, service.CronSteps(stepMaintain, "MaintenanceReady", maintain(s), step.After[*heat](stepSync))...)
}

// maintain removes stacks that were deleted long ago, and engines that ended without a word.
func maintain(s api) func(*scope) ([]client.Object, error) {
	return func(sc *scope) ([]client.Object, error) {
		m := sc.Owner().Spec.Maintenance
		command := []string{"heat-manage", "service", "clean"}
		if m.Days() > 0 {
			command = []string{"sh", "-ec", `heat-manage purge_deleted -g days "$0"; heat-manage service clean`,
				strconv.Itoa(m.Days())}
		}
		return []client.Object{s.Cron(sc.Owner(), stepMaintain, m.When(), pod{Alone: true, Component: stepMaintain,
			Command: command})}, nil
	}
}
