package nova

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

// What tells whether the catalog has Placement.
const (
	stepPlacement = "placement"

	refPlacements = "placements"
	refEndpoints  = "endpoints"
)

// placementRefs are all Placements beside a Nova, and what there is for the catalog.
func placementRefs() []ref.Ref[*nova] {
	here := func(n *nova) []types.NamespacedName { return []types.NamespacedName{{Namespace: n.Namespace}} }
	return []ref.Ref[*nova]{
		ref.To(refPlacements, &servicev1.Placement{}, here, ref.DigestOf[*nova](func(o client.Object) string {
			return fmt.Sprintln(o.GetName(), asks(o))
		})),
		ref.To(refEndpoints, &openstackv1.Endpoint{}, here, ref.DigestOf[*nova](func(o client.Object) string {
			return fmt.Sprintln(o.GetName(), listed(o))
		})),
	}
}

// asks names the Keystone of a Placement; that of one which is deleted is nobody's concern.
func asks(o client.Object) string {
	p, ok := o.(*servicev1.Placement)
	if !ok || p.DeletionTimestamp != nil {
		return ""
	}
	return p.Spec.Identity.Keystone
}

// listed tells whether the catalog has an endpoint. It goes on to do so while the service is rolled out.
func listed(o client.Object) bool {
	e, ok := o.(*openstackv1.Endpoint)
	return ok && e.Status.ID != ""
}

// awaitPlacement waits until the Placement of the cloud can be found: nova-scheduler asks for it when it starts, and
// may end when it is not there (nova 31.0.0, scheduler/manager.py). One that is somewhere else is not waited for.
func awaitPlacement(_ context.Context, s *scope) *outcome.Outcome {
	known := map[string]bool{}
	for _, e := range s.All(refEndpoints) {
		known[e.GetName()] = listed(e)
	}
	for _, o := range s.All(refPlacements) {
		name := o.GetName()
		if asks(o) == s.Owner().Spec.Identity.Keystone && !known[service.EndpointName(name, service.Internal)] {
			return outcome.Wait("Placement "+name,
				"Waits until Placement %s is in the catalog; its conditions say why it is not.", name)
		}
	}
	return nil
}

// checkPlacement is the step before that of the scheduler.
func checkPlacement() step.Step[*nova] {
	return step.Check(stepPlacement, awaitPlacement, step.Reads[*nova](refPlacements, refEndpoints),
		step.Condition[*nova]("PlacementReady"), step.Component[*nova](service.ComponentSetup))
}
