package neutron

import (
	"context"
	_ "embed"
	"time"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

// The steps that fill OVN: what its northbound database was formed as, the Job, and as what it was filled.
const (
	stepFormed = "ovn-formed"
	stepFill   = "ovn-sync"
	stepFilled = "ovn-synced"
)

// fillEvery is after how long filling OVN is tried again when it has failed.
const fillEvery = 5 * time.Minute

// program of the Job.
//
//go:embed ovn.py
var program []byte

const programFile = "stackwright_ovn.py"

// fillSteps fill OVN each time that its northbound database was formed: without the volumes that had it, it is formed
// empty, and by a member that goes on alone without the last changes. Neutron notices neither. What has nothing yet
// fills nothing. The Job goes when it is done, so that another image does not run it again.
func fillSteps(s service.Service[*neutron]) []step.Step[*neutron] {
	return []step.Step[*neutron]{
		step.Check(stepFormed, notesFormation, step.Reads[*neutron](refOVN),
			step.Component[*neutron](service.ComponentSetup)),
		s.JobStep(stepFill, fill, step.Sees[*neutron](stepFormed),
			step.After[*neutron](stepSync, stepAdmitted), step.When(lacks), step.Every[*neutron](fillEvery),
			step.Condition[*neutron]("OVNSynced")),
		step.Check(stepFilled, notesFilling, step.Sees[*neutron](stepFormed), step.After[*neutron](stepFill),
			step.Condition[*neutron]("OVNSynced"), step.Component[*neutron](service.ComponentSetup)),
	}
}

// formation tells apart the northbound databases that there have been under one name; empty before there is one.
func formation(o *infrav1.OVN) string {
	if o.Status.Northbound.Epoch == 0 {
		return ""
	}
	return hashOf(o, o.Status.Northbound.Epoch)
}

func notesFormation(_ context.Context, s *scope) *outcome.Outcome {
	o, ok := s.Get(refOVN).(*infrav1.OVN)
	if !ok || formation(o) == "" || formation(o) == s.Cell().ID {
		return nil
	}
	s.Cell().ID = formation(o)
	return outcome.FromError(s.Save())
}

// noted is what a step has noted.
func noted(n *neutron, step string) string {
	for _, e := range n.Status.Externals {
		if e.Step == step {
			return e.ID
		}
	}
	return ""
}

func lacks(n *neutron) bool { return noted(n, stepFormed) != noted(n, stepFilled) }

func fill(s *scope) (pod, error) {
	return pod{Component: stepFill, Annotations: map[string]string{annotationOVN: noted(s.Owner(), stepFormed)},
		Command: []string{"python3", "-m", "stackwright_ovn", service.Folder + "/config/" + configFile}}, nil
}

func notesFilling(_ context.Context, s *scope) *outcome.Outcome {
	now := noted(s.Owner(), stepFormed)
	if s.Cell().ID == now {
		return nil
	}
	s.Cell().ID = now
	if err := s.Save(); err != nil {
		return outcome.FromError(err)
	}
	return outcome.Poll(time.Second, "Job "+s.Owner().Name+"-"+stepFill, "OVN has what Neutron knows; wait until the Job "+
		"that has brought it is removed.")
}
