package controlplane

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

// The components by which an OpenStackRelease names images.
const (
	imageMariaDB   = "mariadb"
	imageRabbitMQ  = "rabbitmq"
	imageMemcached = "memcached"
	imageKeystone  = "keystone"
	imageClient    = "openstackclient"
	imageGlance    = "glance"
	imagePlacement = "placement"
	imageOVN       = "ovn"
	imageNeutron   = "neutron"
	imageNova      = "nova"
	imageBarbican  = "barbican"
	imageHeat      = "heat"
	imageCinder    = "cinder"
	imageHorizon   = "horizon"
)

func galeraOn(o *cloud) bool {
	s := o.Spec.Services.Galera
	return s == nil || s.On()
}

func rabbitOn(o *cloud) bool {
	s := o.Spec.Services.RabbitMQ
	return s == nil || s.On()
}

func memcachedOn(o *cloud) bool {
	s := o.Spec.Services.Memcached
	return s == nil || s.On()
}

func keystoneOn(o *cloud) bool {
	s := o.Spec.Services.Keystone
	return s == nil || s.On()
}

// Services that others can do without run when they are asked for.
func glanceOn(o *cloud) bool {
	s := o.Spec.Services.Glance
	return s != nil && s.On()
}

func placementOn(o *cloud) bool {
	s := o.Spec.Services.Placement
	return s != nil && s.On()
}

func neutronOn(o *cloud) bool {
	s := o.Spec.Services.Neutron
	return s != nil && s.On()
}

func novaOn(o *cloud) bool {
	s := o.Spec.Services.Nova
	return s != nil && s.On()
}

func barbicanOn(o *cloud) bool {
	s := o.Spec.Services.Barbican
	return s != nil && s.On()
}

func heatOn(o *cloud) bool {
	s := o.Spec.Services.Heat
	return s != nil && s.On()
}

func cinderOn(o *cloud) bool {
	s := o.Spec.Services.Cinder
	return s != nil && s.On()
}

func horizonOn(o *cloud) bool {
	s := o.Spec.Services.Horizon
	return s != nil && s.On()
}

// ovnOn: OVN runs for Neutron, or for somebody else who asks for it.
func ovnOn(o *cloud) bool {
	s := o.Spec.Services.OVN
	return neutronOn(o) && s == nil || s != nil && s.On()
}

// identityOn tells whether a service runs that Keystone has to know.
func identityOn(o *cloud) bool {
	return glanceOn(o) || placementOn(o) || neutronOn(o) || novaOn(o) || barbicanOn(o) || heatOn(o) ||
		cinderOn(o)
}

func child(o *cloud, service string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: childName(o, service), Namespace: o.Namespace}
}

func childName(o *cloud, service string) string { return o.Name + "-" + service }

// ownCA tells whether the control plane makes its own authority.
func ownCA(o *cloud) bool { return !o.Spec.TLS.Disabled && o.Spec.TLS.CASecret == "" }

// givenCA is the authority that a person gives, empty when there is none.
func givenCA(o *cloud) string {
	if o.Spec.TLS.Disabled {
		return ""
	}
	return o.Spec.TLS.CASecret
}

// keepsData tells whether what a control plane of the same name would need again outlives this one.
func keepsData(o *cloud) bool { return o.Spec.DeletionPolicy != controlplanev1.Delete }

func caSecret(o *cloud) string { return cmp.Or(o.Spec.TLS.CASecret, childName(o, "ca")) }

func infraTLS(o *cloud) infrav1.TLS {
	if o.Spec.TLS.Disabled {
		return infrav1.TLS{Disabled: true}
	}
	return infrav1.TLS{CASecret: caSecret(o)}
}

func pods(p part, asked infrav1.PodSettings) infrav1.PodSettings {
	asked.Resources = p.resources(asked.Resources)
	return asked
}

func galera(s *scope) ([]kubeclient.Object, error) {
	o, size := s.Owner(), sizes(s.Owner().Spec.Size).galera
	asked := cmp.Or(o.Spec.Services.Galera, &controlplanev1.GaleraService{})
	have := keptOf(s.Get(refGalera))
	return []kubeclient.Object{&infrav1.Galera{
		ObjectMeta: child(o, "galera"),
		Spec: infrav1.GaleraSpec{
			Image:          image(s, imageMariaDB),
			Replicas:       have.members(size, asked.Replicas),
			Storage:        have.volumes(o, size, asked.Storage),
			TLS:            infraTLS(o),
			Config:         asked.Config,
			Recovery:       asked.Recovery,
			DeletionPolicy: infrav1.DeletionPolicy(o.Spec.DeletionPolicy),
			PodSettings:    pods(size, asked.PodSettings),
		},
	}}, nil
}

func rabbitmq(s *scope) ([]kubeclient.Object, error) {
	o, size := s.Owner(), sizes(s.Owner().Spec.Size).rabbitmq
	asked := cmp.Or(o.Spec.Services.RabbitMQ, &controlplanev1.RabbitMQService{})
	have := keptOf(s.Get(refRabbitMQ))
	return []kubeclient.Object{&infrav1.RabbitMQ{
		ObjectMeta: child(o, "rabbitmq"),
		Spec: infrav1.RabbitMQSpec{
			Image:          image(s, imageRabbitMQ),
			Replicas:       size.count(asked.Replicas),
			Storage:        have.volumes(o, size, asked.Storage),
			TLS:            infraTLS(o),
			Config:         asked.Config,
			Recovery:       asked.Recovery,
			DeletionPolicy: infrav1.DeletionPolicy(o.Spec.DeletionPolicy),
			PodSettings:    pods(size, asked.PodSettings),
		},
	}}, nil
}

func memcached(s *scope) ([]kubeclient.Object, error) {
	o, size := s.Owner(), sizes(s.Owner().Spec.Size).memcached
	asked := cmp.Or(o.Spec.Services.Memcached, &controlplanev1.MemcachedService{})
	return []kubeclient.Object{&infrav1.Memcached{
		ObjectMeta: child(o, "memcached"),
		Spec: infrav1.MemcachedSpec{
			Image:     image(s, imageMemcached),
			Replicas:  size.count(asked.Replicas),
			CacheSize: asked.CacheSize,
			// An authority of its own: what others have certificates for does not let them write what services unpickle.
			TLS:         infrav1.TLS{Disabled: o.Spec.TLS.Disabled},
			PodSettings: pods(size, asked.PodSettings),
		},
	}}, nil
}

func ovn(s *scope) ([]kubeclient.Object, error) {
	o, size := s.Owner(), sizes(s.Owner().Spec.Size).ovn
	asked := cmp.Or(o.Spec.Services.OVN, &controlplanev1.OVNService{})
	have := keptOf(s.Get(refOVN))
	made := &infrav1.OVN{
		ObjectMeta: child(o, "ovn"),
		Spec: infrav1.OVNSpec{
			Image:          image(s, imageOVN),
			Replicas:       size.count(asked.Replicas),
			Storage:        have.volumes(o, size, asked.Storage),
			Recovery:       asked.Recovery,
			DeletionPolicy: infrav1.DeletionPolicy(o.Spec.DeletionPolicy),
			PodSettings:    pods(size, asked.PodSettings),
		},
	}
	if asked.Northd != nil {
		made.Spec.Northd = *asked.Northd
	}
	return []kubeclient.Object{made}, nil
}
