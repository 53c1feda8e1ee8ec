package controlplane

import (
	corev1 "k8s.io/api/core/v1"
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

func cinder(s *scope) ([]kubeclient.Object, error) {
	o, size := s.Owner(), sizes(s.Owner().Spec.Size)
	asked := o.Spec.Services.Cinder.DeepCopy()
	c := &servicev1.Cinder{
		ObjectMeta: child(o, "cinder"),
		Spec: servicev1.CinderSpec{
			CommonSpec:    api(s, imageCinder, size.cinder, &asked.API),
			Database:      data(o),
			Identity:      known(o),
			RabbitMQ:      childName(o, "rabbitmq"),
			Notifications: notifies(o, asked.Notifications),
			Backends:      asked.Backends,
			Backup:        asked.Backup,
			Scheduler:     size.worker.settings(asked.Scheduler),
			Volume:        servicev1.CinderVolume{Resources: size.worker.resources(corev1.ResourceRequirements{})},
		},
	}
	if asked.Maintenance != nil {
		c.Spec.Maintenance = *asked.Maintenance
	}
	return []kubeclient.Object{c}, nil
}
