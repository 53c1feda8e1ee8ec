package controlplane

import (
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

func placement(s *scope) ([]kubeclient.Object, error) {
	o := s.Owner()
	return []kubeclient.Object{&servicev1.Placement{
		ObjectMeta: child(o, "placement"),
		Spec: servicev1.PlacementSpec{
			CommonSpec: api(s, imagePlacement, sizes(o.Spec.Size).placement, &o.Spec.Services.Placement.API),
			Database:   data(o),
			Identity:   known(o),
		},
	}}, nil
}
