// Package glance runs the image service.
//
// OpenStack facts: Glance is one WSGI application; what takes long, such as an import, runs in threads of its workers.
// A client uploads into a store, or stages data in a folder from which a task imports it, maybe another worker's: pods
// share that folder where they share a volume, and ask each other where they do not. The addresses of files are in the
// database with their paths, so folders never change. Contrary to most services a request takes as long as somebody's
// line is slow.
package glance

import (
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/service"
)

type (
	glance = servicev1.Glance
	scope  = step.Scope[*glance]
	pod    = service.Pod[*glance]
	option = step.Option[*glance]
)

// Steps beside those that every service has.
const (
	stepStores   = "stores"
	stepExpand   = "db-expand"
	stepContract = "db-contract"
	stepMetadefs = "metadefs"

	refVolumes = "volumes"
	refClasses = "classes"
)

// Definition is the controller of image services.
func Definition(cluster service.Cluster) kit.Definition[*glance] {
	var s server
	s = server{service.Service[*glance]{
		Name: "glance", File: configFile, UID: 64062, Home: home,
		Script: "/usr/bin/glance-wsgi-api", Port: 9292, Health: "/healthcheck", Streams: true,
		Shares: []string{"glance.common.wsgi_app", "glance.api.v2.router"},
		Environment: func(file string) []corev1.EnvVar {
			return []corev1.EnvVar{{Name: "OS_GLANCE_CONFIG_DIR", Value: path.Dir(file)}}
		},
		Database: func(g *glance) servicev1.Database { return g.Spec.Database },
		RabbitMQ: func(g *glance) string { return g.Spec.RabbitMQ },
		Notifies: func(*glance) bool { return true }, // RabbitMQ is there for nothing else
		Identity: func(g *glance) servicev1.Identity { return g.Spec.Identity },
		Type:     "image", Description: "OpenStack Image",
		Options: options, Reads: append(service.CephReads(), secretReads()...), Keys: keys,
		Sections: sections,
		Claims:   claims,
		Workers:  []service.Worker[*glance]{watcher()},
		Asked: func(g *glance) []string {
			return slices.Concat(modules(g), staging(g, s.URLs(g, nil).Internal), tidy(g))
		},
		Cluster: cluster,
	}}
	return kit.Definition[*glance]{
		Name: s.Name,
		New:  func() *glance { return &glance{} },
		Refs: slices.Concat(s.Refs(), []ref.Ref[*glance]{volumes(), member.Classes[*glance](refClasses)},
			service.CephRefs(cephs), secretRefs()),
		Steps:  s.steps(),
		Report: s.Report,
	}
}

// server is the service with what only Glance has.
type server struct{ service.Service[*glance] }

func (s server) steps() []step.Step[*glance] {
	return append(s.Steps(after(stepExpand, stepStores)),
		step.Objects(stepStores, s.stores, s.Keep(),
			step.Reads[*glance](append(secretReads(), refVolumes, refClasses)...),
			step.Makes[*glance](&corev1.PersistentVolumeClaim{}), step.Condition[*glance]("StoresReady"),
			step.Component[*glance](service.ComponentSetup)),
		step.Check("growth", member.Growth(refVolumes, refClasses, room), after(stepStores),
			step.Reads[*glance](refVolumes, refClasses), step.Condition[*glance]("StoresReady"),
			step.Component[*glance](service.ComponentSetup)),
		s.JobStep(stepExpand, expand, step.Condition[*glance]("DBSyncReady")),
		s.JobStep(stepMetadefs, metadefs, after(stepExpand), step.Condition[*glance]("MetadefsReady")),
		s.JobStep(stepContract, contract, after(service.StepAPI), step.Condition[*glance]("DBContractReady")),
	)
}

func after(steps ...string) option { return step.After[*glance](steps...) }
