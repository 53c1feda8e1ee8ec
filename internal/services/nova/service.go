// Package nova runs the compute service, and its cells.
//
// OpenStack facts: an API, a scheduler and a conductor work on a database of their own, in which they find the cells; a
// cell has a database and a bus that only its own programs and hosts use. Servers that no host took are in cell0, which
// is a database and nothing else. Programs remember the cells from when they started.
package nova

import (
	"embed"
	"path"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

type (
	nova  = servicev1.Nova
	scope = step.Scope[*nova]
	pod   = service.Pod[*nova]
	api   = service.Service[*nova]
)

// The steps that only Nova has.
const (
	stepCell0       = "cell0"
	stepPrepare     = "db-sync"
	stepForget      = "forget"
	stepPrune       = "prune-cells"
	stepCells       = "cells"
	stepAuthorities = "authorities"
	stepAddresses   = "addresses"
	stepRegister    = "map-cells"
	stepMaintain    = "maintenance"
)

const (
	scheduler = "scheduler"
	conductor = "conductor"
)

// What Nova and its cells have in common.
const (
	Name = "nova"
	File = "nova.conf"
	Home = "/var/lib/nova"
	UID  = 64060
)

// programs are ours: what the operator does to Nova's databases with Nova's own code, and what starts the scheduler and
// the API. As modules they have stackwright_ before their names.
//
//go:embed nova.py scheduler.py bus.py
var programs embed.FS

const prefix = "stackwright_"

// Definition is the controller of compute services.
func Definition(cluster service.Cluster) kit.Definition[*nova] {
	s := api{
		Name: Name, UID: UID, Home: Home,
		Script: "/usr/bin/nova-api-wsgi", Port: 8774, Path: "/v2.1", Health: "/",
		Shares: []string{"nova.api.openstack.compute.wsgi"},
		// Each API keeps a row under its host's name, of which pods have another one each time.
		UWSGI:           []string{"env = OS_DEFAULT__HOST=nova-api", "import = " + prefix + "bus"},
		Environment:     Environment,
		Database:        func(n *nova) servicev1.Database { return n.Spec.Database },
		DatabaseSection: "api_database", Databases: []string{"database"},
		RabbitMQ:  func(n *nova) string { return n.Spec.RabbitMQ },
		Notifies:  func(n *nova) bool { return n.Spec.Notifications },
		Memcached: func(n *nova) string { return n.Spec.Memcached },
		Identity:  func(n *nova) servicev1.Identity { return n.Spec.Identity },
		Type:      "compute", Description: "OpenStack Compute",
		Logins: Logins(), Options: options, Reads: []string{refCell0},
		Files:       func(*nova) map[string][]byte { return Files() },
		Authorities: authorityNames,
		Rolls: func(s *scope) map[string]string {
			return map[string]string{annotationCells: s.Digest(refCells, keyKnown)}
		},
		Rereads: []string{refCells},
		Workers: workers(),
		Cluster: cluster,
	}
	return kit.Definition[*nova]{
		Name: s.Name,
		New:  func() *nova { return &nova{} },
		Refs: slices.Concat(s.Refs(), refs(), placementRefs()),
		// The scheduler and the conductor end when they cannot log in.
		Steps:  append(s.Steps(step.After[*nova](stepPrepare, stepRegister, service.StepUser)), steps(s)...),
		Report: report(s),
	}
}

// Environment tells the WSGI scripts where their files are. The first is the one of the pipelines.
func Environment(file string) []corev1.EnvVar {
	return []corev1.EnvVar{
		{Name: "OS_NOVA_CONFIG_DIR", Value: path.Dir(file)},
		{Name: "OS_NOVA_CONFIG_FILES", Value: "/usr/share/nova-common/api-paste.ini;" + File},
	}
}

func workers() []service.Worker[*nova] {
	return []service.Worker[*nova]{
		{
			Name: scheduler, Title: "Scheduler", Shared: true,
			Command: append([]string{"python3", "-m", prefix + "scheduler"}, Command("")[1:]...),
			Peers:   []service.Peer{service.Bus()}, After: []string{stepPlacement}, Ordered: true,
			Settings: func(n *nova) servicev1.Worker { return n.Spec.Scheduler },
		},
		{
			Name: conductor, Title: "Conductor", Command: Command("nova-conductor"), Shared: true,
			Peers: []service.Peer{service.Bus()}, Ordered: true,
			Settings: func(n *nova) servicev1.Worker { return n.Spec.Conductor },
		},
	}
}

// Command of a program of Nova.
func Command(program string) []string {
	return []string{program, "--config-file", service.Folder + "/config/" + File}
}

// Manage is a command of our program.
func Manage(args ...string) []string {
	return append([]string{"python3", "-m", prefix + "nova", "--config-file",
		service.Folder + "/config/" + File}, args...)
}

// Shared names a program, and the host that all of its pods are in the database. An earlier operator gave each a name
// of its own there.
func Shared(binary, owner, worker string) string { return binary + "=" + owner + "-" + worker }

func steps(s api) []step.Step[*nova] {
	return append([]step.Step[*nova]{
		checkPlacement(),
		step.Objects(stepCell0, cell0, step.Makes[*nova](&infrav1.Database{}), step.Condition[*nova]("CellZeroReady"),
			step.Component[*nova](service.ComponentSetup), step.Outlives[*nova](service.StepConfig)),
		s.JobStep(stepPrepare, prepare, step.Reads[*nova](refCell0), step.Sees[*nova](stepCell0),
			step.After[*nova](stepAuthorities), step.Condition[*nova]("DBSyncReady")),
		step.Objects(stepAuthorities, authorities(s), step.Makes[*nova](&corev1.Secret{}),
			step.Reads[*nova](append(cellRefs(), service.RefDatabase, service.RefBus, refDatabases, refBuses, refLeaving)...),
			step.Component[*nova](service.ComponentSetup)),
		s.JobStep(stepForget, removal("forget", forgotten), step.Every[*nova](forgetEvery), step.After[*nova](stepPrepare),
			step.When(func(n *nova) bool { return len(forgotten(n)) > 0 }), step.Condition[*nova]("CellRemovalReady")),
		// In a database that was kept there may be cells of an earlier Nova. A change of programs counts as well: there
		// are none then.
		s.JobStep(stepPrune, removal("prune", earlier), step.Every[*nova](forgetEvery), step.After[*nova](stepPrepare),
			step.When(func(n *nova) bool { return n.Status.Programs.Changes > 0 }), step.Condition[*nova]("CellRemovalReady")),
		step.Objects(stepCells, cells, step.After[*nova](service.StepConfig), step.Reads[*nova](refLeaving),
			step.Makes[*nova](&servicev1.NovaCell{}), step.Component[*nova](service.ComponentSetup),
			// A cell that breaks is its own affair.
			step.Ready[*nova]("NovaCell", func(client.Object) (bool, string) { return true, "" })),
		step.Objects(stepAddresses, addresses(s), step.After[*nova](stepAuthorities),
			step.Reads[*nova](append(cellRefs(), refKnown, refLeaving)...), step.Makes[*nova](&corev1.Secret{}),
			step.Component[*nova](service.ComponentSetup)),
		s.JobStep(stepRegister, register, step.After[*nova](stepPrepare, stepAddresses), step.Reads[*nova](refCells),
			step.Condition[*nova]("CellsRegistered")),
		s.RecordStep(records(), stepRegister, scheduler, conductor),
	}, service.CronSteps(stepMaintain, "MaintenanceReady", maintain(s), step.After[*nova](stepPrepare))...)
}

// records are those of the programs that no cell has.
func records() service.Records[*nova] {
	return service.Records[*nova]{
		Programs: func(n *nova) []string {
			return []string{Shared("nova-scheduler", n.Name, scheduler), Shared("nova-conductor", n.Name, conductor)}
		},
		Command: Forget,
		Status:  func(n *nova) *servicev1.ProgramsStatus { return &n.Status.Programs },
	}
}

// Forget removes the rows that pods of programs had for themselves.
func Forget(programs ...string) []string { return Manage(append([]string{"services"}, programs...)...) }

// maintain does every night what can wait: rows of an earlier release are rewritten, and those of deleted servers and
// of programs that are gone are removed.
func maintain(s api) func(*scope) ([]client.Object, error) {
	return func(sc *scope) ([]client.Object, error) {
		n := sc.Owner()
		m := n.Spec.Maintenance
		args := []string{"maintain", "--keep-days", strconv.Itoa(m.Days()), "--services"}
		// Not alone: what rewrites servers tells the bus of it, and ended for want of its authority.
		return []client.Object{s.Cron(n, stepMaintain, m.When(), pod{Component: stepMaintain,
			Command: Manage(append(args, cellPrograms(n)...)...)})}, nil
	}
}

// cellPrograms are the programs in the cells, and those that no cell has.
func cellPrograms(n *nova) []string {
	programs := records().Programs(n)
	for _, c := range n.Spec.Cells {
		programs = append(programs, Shared("nova-conductor", cellName(n, c.Name), conductor))
	}
	return programs
}
