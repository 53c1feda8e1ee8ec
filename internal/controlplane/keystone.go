package controlplane

import (
	"cmp"
	"slices"

	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

func keystone(s *scope) ([]kubeclient.Object, error) {
	o := s.Owner()
	asked := cmp.Or(o.Spec.Services.Keystone, &controlplanev1.KeystoneService{})
	k := &servicev1.Keystone{
		ObjectMeta: child(o, "keystone"),
		Spec: servicev1.KeystoneSpec{
			CommonSpec:          api(s, imageKeystone, sizes(o.Spec.Size).keystone, &asked.API),
			Database:            data(o),
			Region:              o.Spec.Region,
			AdminPasswordSecret: asked.AdminPasswordSecret,
			Authorities:         authorities(o),
		},
	}
	if memcachedOn(o) {
		k.Spec.Memcached = childName(o, "memcached")
	}
	if keystoneSends(o) {
		k.Spec.RabbitMQ = childName(o, "rabbitmq")
	}
	if asked.Fernet != nil {
		k.Spec.Fernet = *asked.Fernet
	}
	if asked.Credential != nil {
		k.Spec.Credential = *asked.Credential
	}
	if asked.TrustFlush != nil {
		k.Spec.TrustFlush = *asked.TrustFlush
	}
	return []kubeclient.Object{k}, nil
}

// authorities are the Secrets by which services know each other, once one of them has a certificate that a person has
// brought along: those of all of these, and that of the control plane, by which Keystone's own may not be any more.
func authorities(o *cloud) []string {
	s := o.Spec.Services
	var all []string
	add := func(on bool, secret string) {
		if on && secret != "" {
			all = append(all, secret)
		}
	}
	add(barbicanOn(o), cmp.Or(s.Barbican, &controlplanev1.BarbicanService{}).TLSSecret)
	add(cinderOn(o), cmp.Or(s.Cinder, &controlplanev1.CinderService{}).TLSSecret)
	add(glanceOn(o), cmp.Or(s.Glance, &controlplanev1.GlanceService{}).TLSSecret)
	add(heatOn(o), cmp.Or(s.Heat, &controlplanev1.HeatService{}).TLSSecret)
	add(keystoneOn(o), cmp.Or(s.Keystone, &controlplanev1.KeystoneService{}).TLSSecret)
	add(neutronOn(o), cmp.Or(s.Neutron, &controlplanev1.NeutronService{}).TLSSecret)
	add(novaOn(o), cmp.Or(s.Nova, &controlplanev1.NovaService{}).TLSSecret)
	add(placementOn(o), cmp.Or(s.Placement, &controlplanev1.PlacementService{}).TLSSecret)
	if len(all) == 0 || o.Spec.TLS.Disabled {
		return nil
	}
	all = append(all, caSecret(o))
	slices.Sort(all)
	return slices.Compact(all)
}

// api is what every service with an API of OpenStack gets from the control plane.
func api(s *scope, component string, size part, asked *controlplanev1.API) servicev1.CommonSpec {
	return servicev1.CommonSpec{
		RunSpec:    run(s, component, size, &asked.Run),
		Config:     asked.Config,
		ConfigFrom: asked.ConfigFrom,
	}
}

// run is what every service that users reach gets from the control plane.
func run(s *scope, component string, size part, asked *controlplanev1.Run) servicev1.RunSpec {
	o := s.Owner()
	spec := servicev1.RunSpec{
		Image:          image(s, component),
		Release:        o.Spec.Release,
		Replicas:       new(size.count(asked.Replicas)),
		Workers:        cmp.Or(asked.Workers, size.workers),
		Resources:      size.resources(asked.Resources),
		NodeSelector:   asked.NodeSelector,
		Tolerations:    asked.Tolerations,
		TopologySpread: asked.TopologySpread,
		ExtraVolumes:   asked.ExtraVolumes,
		TLS:            servicev1.TLS{Disabled: o.Spec.TLS.Disabled},
	}
	if !o.Spec.TLS.Disabled {
		spec.TLS.CASecret, spec.TLS.Secret = caSecret(o), asked.TLSSecret
	}
	if asked.Expose != nil {
		spec.Expose = *asked.Expose
	}
	return spec
}
