package controlplane

import (
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

func neutron(s *scope) ([]kubeclient.Object, error) {
	o, size := s.Owner(), sizes(s.Owner().Spec.Size)
	asked := o.Spec.Services.Neutron
	return []kubeclient.Object{&servicev1.Neutron{
		ObjectMeta: child(o, "neutron"),
		Spec: servicev1.NeutronSpec{
			CommonSpec:       api(s, imageNeutron, size.neutron, &asked.API),
			Database:         data(o),
			Identity:         known(o),
			RabbitMQ:         childName(o, "rabbitmq"),
			OVN:              childName(o, "ovn"),
			PhysicalNetworks: asked.PhysicalNetworks,
			MTU:              asked.MTU,
			DNSDomain:        asked.DNSDomain,
			DNSServers:       asked.DNSServers,
			RPC:              size.worker.settings(asked.RPC),
			Periodic:         size.worker.settings(asked.Periodic),
			Maintenance:      size.worker.settings(asked.Maintenance),
			Notifications:    notifies(o, asked.Notifications),
			NotifyNova:       novaOn(o),
		},
	}}, nil
}

// settings of a worker: what a person asked for, or else what the size gives.
func (p part) settings(asked servicev1.Worker) servicev1.Worker {
	return servicev1.Worker{Replicas: new(p.count(asked.Replicas)), Resources: p.resources(asked.Resources)}
}
