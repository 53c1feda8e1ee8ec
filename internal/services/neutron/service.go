// Package neutron runs the network service on OVN.
//
// OpenStack facts: Neutron is a WSGI application and three programs beside it. They all read the same file. Each worker
// of the API has connections to both databases of OVN, and the workers share out OVN's events by a ring in Neutron's
// database that each worker enters when it starts, under the time at which uwsgi was started. The programs beside the
// API go on for ever, in silence, without a bus or an OVN. Names of OVN's members are looked up by python3-unbound, and
// the driver runs ovsdb-client of openvswitch-common, so the image has both.
package neutron

import (
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit"
	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

type (
	neutron = servicev1.Neutron
	scope   = step.Scope[*neutron]
	pod     = service.Pod[*neutron]
	worker  = service.Worker[*neutron]
)

// stepSync brings the schema to that of the image. Neutron keeps changes that older pods cannot bear in a branch of
// their own, contract, which has had none since the release Newton: what is left only adds, and older pods go on.
const stepSync = "db-sync"

// stepAdmitted waits for what OVN knows Neutron by.
const stepAdmitted = "ovn-client"

const configFile = "neutron.conf"

// Definition is the controller of network services.
func Definition(cluster service.Cluster) kit.Definition[*neutron] {
	s := service.Service[*neutron]{
		Name: "neutron", UID: 42435, Home: home,
		Script: "/usr/bin/neutron-api", Port: 9696, Health: "/healthcheck",
		Leads: []string{ringModule},
		Shares: []string{"neutron.cmd.server", "neutron.plugins.ml2.plugin",
			"neutron.plugins.ml2.drivers.ovn.mech_driver.mech_driver"},
		UWSGI: []string{"start-time = %t"},
		Environment: func(file string) []corev1.EnvVar {
			return []corev1.EnvVar{
				{Name: "OS_NEUTRON_CONFIG_DIR", Value: path.Dir(file)}, {Name: "OS_NEUTRON_CONFIG_FILES", Value: configFile},
			}
		},
		Database: func(n *neutron) servicev1.Database { return n.Spec.Database },
		RabbitMQ: func(n *neutron) string { return n.Spec.RabbitMQ },
		Notifies: func(n *neutron) bool { return n.Spec.Notifications },
		Identity: func(n *neutron) servicev1.Identity { return n.Spec.Identity },
		Type:     "network", Description: "OpenStack Networking",
		Logins:  []string{"nova", "placement"},
		Options: options, Reads: []string{refOVN},
		Rolls: rolls, Rereads: []string{refOVN},
		Mounts:  []service.Mount[*neutron]{{Name: "ovn", Secret: ovnClient}},
		Workers: workers(), Files: files,
		Cluster: cluster,
	}
	return kit.Definition[*neutron]{
		Name: s.Name,
		New:  func() *neutron { return &neutron{} },
		Refs: append(s.Refs(), ovnRefs()...),
		Steps: slices.Concat(s.Steps(step.After[*neutron](stepSync, stepAdmitted)), fillSteps(s),
			[]step.Step[*neutron]{
				step.Check(stepAdmitted, admitted, step.Reads[*neutron](refOVNClient),
					step.Condition[*neutron]("ConfigReady"), step.Component[*neutron](service.ComponentSetup)),
				s.JobStep(stepSync, sync, step.Condition[*neutron]("DBSyncReady")),
				step.Check("physical-networks", connects, step.Reads[*neutron](refChassis),
					step.Advises[*neutron]("PhysicalNetworksConnected"), step.When(hasPhysicalNetworks)),
			}),
		Report: s.Report,
	}
}

func workers() []worker {
	command := func(program string) []string {
		return []string{program, "--config-file", service.Folder + "/config/" + configFile}
	}
	northbound, southbound := service.Peer{6641}, service.Peer{6642}
	return []worker{
		{
			Name: "rpc", Title: "RPC", Command: command("neutron-rpc-server"), Peers: []service.Peer{service.Bus()},
			Settings: func(n *neutron) servicev1.Worker { return n.Spec.RPC },
		},
		{
			Name: "periodic", Title: "Periodic", Command: command("neutron-periodic-workers"),
			Settings: func(n *neutron) servicev1.Worker { return n.Spec.Periodic },
		},
		{
			Name: "maintenance", Title: "Maintenance", Command: command("neutron-ovn-maintenance-worker"),
			Peers:    []service.Peer{northbound, southbound},
			Settings: func(n *neutron) servicev1.Worker { return n.Spec.Maintenance },
		},
	}
}

func sync(*scope) (pod, error) {
	return pod{Component: stepSync, Alone: true, Command: []string{"neutron-db-manage", "--config-file",
		service.Folder + "/config/" + configFile, "upgrade", "heads"}}, nil
}
