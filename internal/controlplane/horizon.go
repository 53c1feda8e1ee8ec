package controlplane

import (
	"maps"

	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

func horizon(s *scope) ([]kubeclient.Object, error) {
	o := s.Owner()
	asked := o.Spec.Services.Horizon
	h := &servicev1.Horizon{
		ObjectMeta: child(o, "horizon"),
		Spec: servicev1.HorizonSpec{
			RunSpec:   run(s, imageHorizon, sizes(o.Spec.Size).horizon, &asked.Run),
			Keystone:  childName(o, "keystone"),
			Memcached: childName(o, "memcached"),
			Branding:  asked.Branding,
			Settings:  map[string]servicev1.Value{},
		},
	}
	for _, known := range []struct {
		on      bool
		service servicev1.HorizonService
	}{
		{cinderOn(o), stepCinder}, {glanceOn(o), stepGlance}, {heatOn(o), stepHeat}, {neutronOn(o), stepNeutron},
		{novaOn(o), stepNova},
	} {
		if known.on {
			h.Spec.Services = append(h.Spec.Services, known.service)
		}
	}
	if cinderOn(o) && o.Spec.Services.Cinder.Backup != nil {
		backups, err := servicev1.ValueOf(map[string]bool{"enable_backup": true})
		if err != nil {
			return nil, err
		}
		h.Spec.Settings["OPENSTACK_CINDER_FEATURES"] = backups
	}
	maps.Copy(h.Spec.Settings, asked.Settings)
	return []kubeclient.Object{h}, nil
}
