package controlplane

import (
	"slices"

	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// defaultStore is the store of a Glance of whom no stores are said.
const defaultStore = "file"

func glance(s *scope) ([]kubeclient.Object, error) {
	o, size := s.Owner(), sizes(s.Owner().Spec.Size).glance
	asked := o.Spec.Services.Glance
	g := &servicev1.Glance{
		ObjectMeta: child(o, "glance"),
		Spec: servicev1.GlanceSpec{
			CommonSpec:   api(s, imageGlance, size, &asked.API),
			Database:     data(o),
			Identity:     known(o),
			Stores:       stores(o, size, keptOf(s.Get(refGlance))),
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
func stores(o *cloud, size part, have *kept) []servicev1.ImageStore {
	out := slices.Clone(o.Spec.Services.Glance.Stores)
	if len(out) == 0 {
		out = []servicev1.ImageStore{{Name: defaultStore, File: &servicev1.FileStore{Size: have.volume(size, nil)}}}
	}
	for i := range out {
		out[i] = *out[i].DeepCopy()
		if f := out[i].File; f != nil && f.ClassName == "" {
			f.ClassName = o.Spec.StorageClass
		}
	}
	return out
}
