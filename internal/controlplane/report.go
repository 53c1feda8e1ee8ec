package controlplane

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

// report fills what the control plane tells besides conditions.
func report(v step.View, o *cloud) {
	st := &o.Status
	if release := accepted(v, st); release != nil {
		st.Release, st.OpenStack = release.Name, release.Spec.OpenStack
	}
	if meta.IsStatusConditionTrue(st.Conditions, "Ready") && st.ObservedGeneration == o.Generation {
		st.DeployedRelease = o.Spec.Release
	}
	st.Endpoints, st.Clouds = nil, ""
	if k, ok := v.Child(stepKeystone, "Keystone", childName(o, "keystone")).(*servicev1.Keystone); ok && keystoneOn(o) {
		st.Clouds = k.Status.Clouds
	}
	for _, s := range []struct {
		on         bool
		step, kind string
	}{
		{keystoneOn(o), stepKeystone, "Keystone"}, {barbicanOn(o), stepBarbican, "Barbican"},
		{cinderOn(o), stepCinder, "Cinder"}, {glanceOn(o), stepGlance, "Glance"},
		{heatOn(o), stepHeat, "Heat"}, {horizonOn(o), stepHorizon, "Horizon"},
		{neutronOn(o), stepNeutron, "Neutron"}, {novaOn(o), stepNova, "Nova"},
		{placementOn(o), stepPlacement, "Placement"},
	} {
		if child, ok := v.Child(s.step, s.kind, childName(o, s.step)).(service.Object); ok && s.on {
			st.Endpoints = append(st.Endpoints, endpoints(s.step, child.Service().Endpoints)...)
		}
	}
}

// endpoints of a service, none as long as it has no addresses.
func endpoints(name string, e servicev1.Endpoints) []controlplanev1.Endpoint {
	if e.Public == "" && e.Internal == "" {
		return nil
	}
	return []controlplanev1.Endpoint{{Service: name, Public: e.Public, Internal: e.Internal}}
}

// accepted returns the release that passed its check, nil when none did. Its version is noted at once, before the
// services have it, because from then on a lower one may find databases that it cannot read.
func accepted(v step.View, st *controlplanev1.OpenStackControlPlaneStatus) *controlplanev1.OpenStackRelease {
	if s := st.Find(stepRelease); s == nil || s.State != owner.StepDone {
		return nil
	}
	for _, o := range v.Referenced(refRelease) {
		if r, ok := o.(*controlplanev1.OpenStackRelease); ok {
			return r
		}
	}
	return nil
}
