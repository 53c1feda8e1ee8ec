package controlplane

import (
	"slices"

	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

func glance(s *scope) ([]kubeclient.Object, error) {
	o, size := s.Owner(), sizes(s.Owner().Spec.Size).glance
	asked := o.Spec.Services.Glance
	g := &servicev1.Glance{
		ObjectMeta: child(o, "glance"),
		Spec: servicev1.GlanceSpec{
			CommonSpec:   api(s, imageGlance, size, &asked.API),
			Database:     data(o),
			Identity:     known(o),
			Stores:       stores(o, size),
			Cache:        asked.Cache.DeepCopy(),
			ProjectQuota: asked.ProjectQuota.DeepCopy(),
		},
	}
	if notifies(o, asked.Notifications) {
		g.Spec.RabbitMQ = childName(o, "rabbitmq")
	}
	if c := g.Spec.Cache; c != nil && c.ClassName == "" {
		c.ClassName = o.Spec.StorageClass
	}
	return []kubeclient.Object{g}, nil
}

// stores are those that a person asked for, or one of the size, in the storage class of the control plane.
func stores(o *cloud, size part) []servicev1.ImageStore {
	out := slices.Clone(o.Spec.Services.Glance.Stores)
	if len(out) == 0 {
		out = []servicev1.ImageStore{{Name: "file", File: &servicev1.FileStore{Size: size.volume(nil)}}}
	}
	for i := range out {
		out[i] = *out[i].DeepCopy()
		if f := out[i].File; f != nil && f.ClassName == "" {
			f.ClassName = o.Spec.StorageClass
		}
	}
	return out
}
