package controlplane

import (
	"k8s.io/apimachinery/pkg/types"
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

func nova(s *scope) ([]kubeclient.Object, error) {
	o, size := s.Owner(), sizes(s.Owner().Spec.Size)
	asked := o.Spec.Services.Nova
	n := &servicev1.Nova{
		ObjectMeta: child(o, "nova"),
		Spec: servicev1.NovaSpec{
			CommonSpec:    api(s, imageNova, size.nova, &asked.API),
			Database:      data(o),
			Identity:      known(o),
			RabbitMQ:      childName(o, "rabbitmq"),
			Scheduler:     size.worker.settings(asked.Scheduler),
			Conductor:     size.worker.settings(asked.Conductor),
			Notifications: notifies(o, asked.Notifications),
		},
	}
	if memcachedOn(o) {
		n.Spec.Memcached = childName(o, "memcached")
	}
	if asked.Maintenance != nil {
		n.Spec.Maintenance = *asked.Maintenance
	}
	for _, c := range novaCells(o) {
		c = *c.DeepCopy()
		c.Metadata, c.Conductor = size.worker.settings(c.Metadata), size.worker.settings(c.Conductor)
		c.Console = size.worker.settings(c.Console)
		n.Spec.Cells = append(n.Spec.Cells, c)
	}
	return []kubeclient.Object{n}, nil
}

// novaCells are those that a person asked for, or one.
func novaCells(o *cloud) []servicev1.Cell {
	if asked := o.Spec.Services.Nova.Cells; len(asked) > 0 {
		return asked
	}
	return []servicev1.Cell{{Name: "cell1"}}
}

// cellKeys are the objects that Nova makes for its cells. A cell that breaks is none of Nova's troubles, so that it is
// the control plane that says it.
func cellKeys(o *cloud) []types.NamespacedName {
	if !novaOn(o) {
		return nil
	}
	var keys []types.NamespacedName
	for _, c := range novaCells(o) {
		keys = append(keys, types.NamespacedName{Namespace: o.Namespace, Name: childName(o, "nova") + "-" + c.Name})
	}
	return keys
}
