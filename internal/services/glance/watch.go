package glance

import (
	_ "embed"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

// cephModule is imported by the program that runs the API.
//
//go:embed rbd.py
var cephModule []byte

// watchModule is the program that asks stores whether they answer.
//
//go:embed watch.py
var watchModule []byte

const (
	cephModuleName  = "stackwright_rbd"
	watchModuleName = "stackwright_watch"
)

// remote tells whether any store is elsewhere. One on a volume is there or its pods do not start.
func remote(g *glance) bool { return len(files(g)) < len(g.Spec.Stores) }

// watcher tells whether the stores answer: the API itself must serve what is left of them.
func watcher() service.Worker[*glance] {
	return service.Worker[*glance]{
		Name: "store-health", Title: "StoreHealth", When: remote,
		Command:  []string{"python3", "-m", watchModuleName, "--config-file", configPath},
		Beat:     "a store does not answer",
		Settings: func(*glance) servicev1.Worker { return servicev1.Worker{} },
	}
}
