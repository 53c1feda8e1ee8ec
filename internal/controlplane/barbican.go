package controlplane

import (
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/messagebus"
)

func barbican(s *scope) ([]kubeclient.Object, error) {
	o, size := s.Owner(), sizes(s.Owner().Spec.Size)
	asked := o.Spec.Services.Barbican
	b := &servicev1.Barbican{
		ObjectMeta: child(o, "barbican"),
		Spec: servicev1.BarbicanSpec{
			CommonSpec:    api(s, imageBarbican, size.barbican, &asked.API),
			Database:      data(o),
			Identity:      known(o),
			RabbitMQ:      childName(o, "rabbitmq"),
			KeyGeneration: asked.KeyGeneration,
			Worker:        size.worker.settings(asked.Worker),
		},
	}
	if asked.Maintenance != nil {
		b.Spec.Maintenance = *asked.Maintenance
	}
	if keystoneSends(o) {
		b.Spec.KeystoneListener = servicev1.KeystoneListener{Worker: size.worker.settings(servicev1.Worker{}),
			Secret: messagebus.ListenerSecretName(childName(o, "keystone"))}
	}
	return []kubeclient.Object{b}, nil
}
