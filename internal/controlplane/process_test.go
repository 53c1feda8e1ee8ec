package controlplane_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/controlplane"
	"stackwright.dev/stackwright/internal/operator"
)

// quick is an operator of Galera that has nothing to do.
func quick() kit.Definition[*infrav1.Galera] {
	nothing := func(context.Context, *step.Scope[*infrav1.Galera]) *outcome.Outcome { return outcome.Done() }
	return kit.Definition[*infrav1.Galera]{
		Name: "galera", New: func() *infrav1.Galera { return &infrav1.Galera{} },
		Steps: []step.Step[*infrav1.Galera]{step.Check("nothing", nothing)},
	}
}

// What one controller of a process writes is news to the others, although the process has seen it already.
func TestControllersOfOneProcessWakeEachOther(t *testing.T) {
	s := scenario()
	delete(s.Children, "Galera")
	s.Controllers = func(http.RoundTripper) ([]kit.Controller, error) {
		above, err := kit.New(controlplane.Definition(releases), operator.Scheme())
		if err != nil {
			return nil, err
		}
		below, err := kit.New(quick(), operator.Scheme())
		return []kit.Controller{above, below}, err
	}
	// Watches are slower than answers, as they are on a real server.
	kittest.New(t, s).Faults(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", map[string]any{"galera": map[string]any{"storage": "9Gi"}})
		p.Settle()
		p.Ready()
		if got := field(p, "Galera/first-galera", "spec", "storage", "size"); got != "9Gi" {
			t.Errorf("storage is %v, want 9Gi", got)
		}
	}, kittest.StaleCache(time.Second))
}
