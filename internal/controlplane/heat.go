package controlplane

import (
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

func heat(s *scope) ([]kubeclient.Object, error) {
	o, size := s.Owner(), sizes(s.Owner().Spec.Size)
	asked := o.Spec.Services.Heat
	h := &servicev1.Heat{
		ObjectMeta: child(o, "heat"),
		Spec: servicev1.HeatSpec{
			CommonSpec:    api(s, imageHeat, size.heat, &asked.API),
			Database:      data(o),
			Identity:      known(o),
			RabbitMQ:      childName(o, "rabbitmq"),
			CFN:           servicev1.SecondAPI{Worker: size.worker.settings(asked.CFN.Worker), Expose: asked.CFN.Expose},
			Engine:        size.worker.settings(asked.Engine),
			Notifications: notifies(o, asked.Notifications),
		},
	}
	if memcachedOn(o) {
		h.Spec.Memcached = childName(o, "memcached")
	}
	if asked.Maintenance != nil {
		h.Spec.Maintenance = *asked.Maintenance
	}
	return []kubeclient.Object{h}, nil
}
