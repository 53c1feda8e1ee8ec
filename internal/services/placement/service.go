// Package placement runs the placement service.
//
// OpenStack facts: Placement is one WSGI application without other processes. It makes its resource classes and traits
// when it starts, so its schema has to be there by then. Its only migrations of data are for what releases before Stein
// left behind. It answers / without asking anybody.
package placement

import (
	"path"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit"
	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

type (
	placement = servicev1.Placement
	scope     = step.Scope[*placement]
	pod       = service.Pod[*placement]
)

// stepSync brings the schema to that of the image. It only adds, so older pods go on.
const stepSync = "db-sync"

// Definition is the controller of placement services.
func Definition(cluster service.Cluster) kit.Definition[*placement] {
	s := service.Service[*placement]{
		Name: "placement", UID: 42482, Home: "/var/lib/placement",
		Script: "/usr/bin/placement-api", Port: 8778, Health: "/",
		Shares: []string{"placement.wsgi"},
		Environment: func(file string) []corev1.EnvVar {
			return []corev1.EnvVar{{Name: "OS_PLACEMENT_CONFIG_DIR", Value: path.Dir(file)}}
		},
		Database:        func(p *placement) servicev1.Database { return p.Spec.Database },
		DatabaseSection: "placement_database",
		Identity:        func(p *placement) servicev1.Identity { return p.Spec.Identity },
		Type:            "placement", Description: "OpenStack Placement",
		Options: func(*scope, *oslo.File) {},
		Cluster: cluster,
	}
	return kit.Definition[*placement]{
		Name: s.Name,
		New:  func() *placement { return &placement{} },
		Refs: s.Refs(),
		Steps: append(s.Steps(step.After[*placement](stepSync)),
			s.JobStep(stepSync, sync, step.Condition[*placement]("DBSyncReady"))),
		Report: s.Report,
	}
}

func sync(*scope) (pod, error) {
	return pod{Component: stepSync, Alone: true, Command: []string{"placement-manage", "--config-file",
		service.Folder + "/config/placement.conf", "db", "sync"}}, nil
}
