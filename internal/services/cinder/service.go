// Package cinder runs the block storage service.
//
// OpenStack facts: an API and schedulers know volumes, and a program for each back end makes them. The program has a
// record in the database under host@backend, which is in the record of every volume, too: the host is therefore the
// name of the Cinder, whatever pod the program runs in, and there is never more than one of a back end. Records of
// programs that are gone stay until somebody removes them.
package cinder

import (
	_ "embed"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit"
	"stackwright.dev/kit/step"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

type (
	cinder = servicev1.Cinder
	scope  = step.Scope[*cinder]
	pod    = service.Pod[*cinder]
	worker = service.Worker[*cinder]
)

// The steps that only Cinder has.
const (
	stepSync     = "db-sync"
	stepTypes    = "types"
	stepMaintain = "maintenance"
)

// The programs beside the API.
const (
	scheduler = "scheduler"
	volume    = "volume"
	backup    = "backup"
)

const (
	home       = "/var/lib/cinder"
	configFile = "cinder.conf"
	configPath = service.Folder + "/config/" + configFile
)

// program is what the operator does to Cinder's database with Cinder's own code.
//
//go:embed cinder.py
var program []byte

// launcher is cinder-volume, which waits for its back end.
//
//go:embed volume.py
var launcher []byte

// copier is cinder-backup without a helper that runs as root.
//
//go:embed backup.py
var copier []byte

// opener lets both open volumes in a Ceph.
//
//go:embed ceph.py
var opener []byte

const (
	programFile  = "stackwright_cinder.py"
	launcherFile = "stackwright_volume.py"
	copierFile   = "stackwright_backup.py"
	openerFile   = "stackwright_ceph.py"
)

// Definition is the controller of block storage services.
func Definition(cluster service.Cluster) kit.Definition[*cinder] {
	s := server{service.Service[*cinder]{
		Name: "cinder", UID: 64061, Home: home,
		Script: "/usr/bin/cinder-wsgi", Port: 8776, Path: "/v3", Health: "/healthcheck",
		Shares:      []string{"cinder.wsgi.wsgi", "cinder.db.sqlalchemy.api"},
		UWSGI:       []string{"pyargv = --config-file " + configPath},
		Environment: func(string) []corev1.EnvVar { return nil },
		Database:    func(c *cinder) servicev1.Database { return c.Spec.Database },
		RabbitMQ:    func(c *cinder) string { return c.Spec.RabbitMQ },
		Notifies:    func(c *cinder) bool { return c.Spec.Notifications },
		Identity:    func(c *cinder) servicev1.Identity { return c.Spec.Identity },
		Type:        "block-storage", Description: "OpenStack Block Storage",
		Logins:  []string{"nova", "service_user", service.KeyUser},
		Options: options, Reads: service.CephReads(), Sections: sections,
		Files: files, Keys: keys,
		Workers: workers(),
		Cluster: cluster,
	}}
	return kit.Definition[*cinder]{
		Name: s.Name,
		New:  func() *cinder { return &cinder{} },
		Refs: append(s.Refs(), service.CephRefs(cephs)...),
		// Programs that cannot log in end.
		Steps:  append(s.Steps(step.After[*cinder](stepSync, service.StepUser)), s.steps()...),
		Report: s.report,
	}
}

// server is the service with what only Cinder has.
type server struct{ service.Service[*cinder] }

func (s server) steps() []step.Step[*cinder] {
	return append([]step.Step[*cinder]{
		s.JobStep(stepSync, sync, step.Condition[*cinder]("DBSyncReady")),
		s.RecordStep(records(), stepSync, scheduler, volume, backup),
		step.Objects(stepTypes, s.types, step.After[*cinder](service.StepCatalog),
			step.Makes[*cinder](&openstackv1.VolumeType{}), step.Condition[*cinder]("TypesReady"),
			step.Component[*cinder](service.ComponentSetup)),
	}, service.CronSteps(stepMaintain, "MaintenanceReady", s.maintain, step.After[*cinder](stepSync))...)
}
