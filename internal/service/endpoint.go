package service

import (
	"cmp"
	"net"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/pki"
)

// EndpointsStep makes the Services at which the APIs answer: for each a public and an internal one.
func (s Service[T]) EndpointsStep(o ...step.Option[T]) step.Step[T] {
	return step.Objects(StepEndpoints, func(sc *step.Scope[T]) ([]client.Object, error) {
		owner := sc.Owner()
		var services []client.Object
		for _, d := range s.doors(owner) {
			services = append(services, s.public(owner, d), s.entry(owner, d.internalName(), d.back))
		}
		return services, nil
	}, append(o, step.Makes[T](&corev1.Service{}), step.Condition[T]("EndpointReady"),
		step.Component[T](ComponentSetup))...)
}

func (s Service[T]) public(o T, d door) *corev1.Service {
	public := s.entry(o, d.publicName(), d.front)
	if exposeType(d.expose) == servicev1.ExposeLoadBalancer {
		public.Spec.Type = corev1.ServiceTypeLoadBalancer
	}
	for k, v := range d.expose.Annotations {
		if public.Annotations == nil {
			public.Annotations = map[string]string{}
		}
		public.Annotations[k] = string(v)
	}
	return public
}

// door is one of the APIs of a service, as others find it.
type door struct {
	// name begins those of its Services, of its route and of its entries in the catalog.
	name string
	// front is what users reach, back what other services and pods do.
	front, back Front
	expose      servicev1.Expose
	// what the catalog says of it.
	kind, description string
}

func (d door) publicName() string   { return d.name + "-public" }
func (d door) internalName() string { return d.name + "-internal" }

// doors are the service's own API and those of its workers.
func (s Service[T]) doors(o T) []door {
	doors := []door{s.main(o)}
	for _, w := range s.Workers {
		if w.Serves == nil {
			continue
		}
		front := Front{Worker: w.Name, Port: w.Port, Path: w.Serves.Path}
		doors = append(doors, door{name: workerName(o, w.Name), front: front, back: front, expose: w.Serves.Expose(o),
			kind: w.Serves.Type, description: w.Serves.Description})
	}
	return doors
}

func (s Service[T]) main(o T) door {
	return door{name: o.GetName(), front: s.front(o), back: s.api(), expose: o.Common().Expose,
		kind: s.Type, description: s.Description}
}

// api is what other services and pods reach, front what users do.
func (s Service[T]) api() Front { return Front{Worker: ComponentAPI, Port: s.Port, Path: s.Path} }

func (s Service[T]) front(o T) Front {
	front := s.api()
	switch {
	case s.Front != nil:
		front = *s.Front
	case s.Web && o.Common().TLS.Disabled:
		front.Port = 80
	case s.Web:
		front.Port = 443
	}
	return front
}

func (s Service[T]) entry(o T, name string, f Front) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: s.meta(o, name),
		Spec: corev1.ServiceSpec{
			Type:     corev1.ServiceTypeClusterIP,
			Selector: s.Labels(o, f.Worker),
			Ports: []corev1.ServicePort{{
				Name: "api", Port: f.Port, TargetPort: intstr.FromString("api"), Protocol: corev1.ProtocolTCP,
			}},
		},
	}
}

func exposeType(e servicev1.Expose) servicev1.ExposeType {
	return cmp.Or(e.Type, servicev1.ExposeLoadBalancer)
}

// URLs tells where the service answers; public is the public Service as far as it is known.
func (s Service[T]) URLs(o T, public *corev1.Service) servicev1.Endpoints {
	return urls(o, s.main(o), public)
}

func urls(o Object, d door, public *corev1.Service) servicev1.Endpoints {
	internal := d.back.url(scheme(o), clusterName(o, d.internalName()))
	front, expose := d.front, d.expose
	switch exposeType(expose) {
	case servicev1.ExposeHTTPRoute:
		port := int32(443)
		if expose.Gateway != nil {
			port = cmp.Or(expose.Gateway.Port, port)
		}
		front.Port = port
		return servicev1.Endpoints{Public: front.url(gatewayScheme(port), expose.Hostname), Internal: internal}
	case servicev1.ExposeClusterIP:
		host := cmp.Or(expose.Hostname, clusterName(o, d.publicName()))
		return servicev1.Endpoints{Public: front.url(scheme(o), host), Internal: internal}
	}
	host := expose.Hostname
	if addresses := balancer(public); host == "" && len(addresses) > 0 {
		host = addresses[0]
	}
	if host == "" {
		return servicev1.Endpoints{Internal: internal}
	}
	return servicev1.Endpoints{Public: front.url(scheme(o), host), Internal: internal}
}

// Endpoints is URLs for a step that sees StepEndpoints.
func (s Service[T]) Endpoints(sc *step.Scope[T]) servicev1.Endpoints {
	return s.seen(sc, s.main(sc.Owner()))
}

// seen is where an API answers, for a step that sees StepEndpoints.
func (s Service[T]) seen(sc *step.Scope[T], d door) servicev1.Endpoints {
	public, _ := sc.Child(StepEndpoints, "Service", d.publicName()).(*corev1.Service)
	return urls(sc.Owner(), d, public)
}

func (f Front) url(scheme, host string) string {
	if (scheme == "https" && f.Port == 443) || (scheme == "http" && f.Port == 80) {
		return scheme + "://" + host + f.Path
	}
	return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(int(f.Port))) + f.Path
}

func scheme(o Object) string {
	if o.Common().TLS.Disabled {
		return "http"
	}
	return "https"
}

// gatewayScheme is what users of a Gateway speak: whether TLS ends there is the Gateway's affair, not the service's.
func gatewayScheme(port int32) string {
	if port == 80 {
		return "http"
	}
	return "https"
}

func clusterName(o Object, service string) string { return service + "." + o.GetNamespace() + ".svc" }

// balancer returns the addresses that a load balancer gave to a Service.
func balancer(s *corev1.Service) []string {
	if s == nil {
		return nil
	}
	var addresses []string
	for _, i := range s.Status.LoadBalancer.Ingress {
		addresses = append(addresses, cmp.Or(i.IP, i.Hostname))
	}
	return addresses
}

// CAStep keeps an authority for services that were given none.
func (s Service[T]) CAStep(o ...step.Option[T]) step.Step[T] {
	own := func(o T) bool { return caName(o) != "" && o.Common().TLS.CASecret == "" }
	return pki.CA(StepCA, func(o T) string { return o.GetName() + "-ca" }, own,
		append(o, s.Keep(), step.Component[T](ComponentSetup))...)
}

// CertificateStep keeps the certificate of the APIs, valid for all names of their endpoints.
func (s Service[T]) CertificateStep(o ...step.Option[T]) step.Step[T] {
	return pki.Leaf(StepCertificate, pki.LeafSpec[T]{
		Secret: func(o T) string { return tlsName(o) },
		CARef:  RefCA,
		Names:  s.names, Also: s.addresses,
	}, append(o, step.Sees[T](StepEndpoints), step.After[T](StepCA), step.Condition[T]("TLSReady"),
		step.When(func(o T) bool { return caName(o) != "" }), step.Component[T](ComponentSetup))...)
}

// givesCertificate tells whether a person gives a certificate in place of one of our own.
func givesCertificate[T Object](o T) bool {
	return !o.Common().TLS.Disabled && o.Common().TLS.Secret != ""
}

// GivenStep looks at a certificate that a person gives.
func (s Service[T]) GivenStep(o ...step.Option[T]) step.Step[T] {
	return pki.Given(StepGiven, RefTLS, append(o, step.When(givesCertificate[T]), step.Condition[T]("TLSReady"),
		step.Component[T](ComponentSetup))...)
}

// LastsStep tells people when that certificate is about to end.
func (s Service[T]) LastsStep() step.Step[T] {
	return pki.Lasts("certificate-lasts", RefTLS, step.When(givesCertificate[T]), step.After[T](StepGiven),
		step.Advises[T]("CertificateLasts"), step.Component[T](ComponentSetup))
}

// AuthorityLastsStep tells people when the authority that they gave is.
func (s Service[T]) AuthorityLastsStep() step.Step[T] {
	gives := func(o T) bool { return caName(o) != "" && o.Common().TLS.CASecret != "" }
	return pki.AuthorityLasts(RefCA, gives, step.After[T](StepCertificate), step.Component[T](ComponentSetup))
}

// names are those of the Services.
func (s Service[T]) names(o T) []string {
	var names []string
	for _, d := range s.doors(o) {
		names = append(append(names, pki.ServiceNames(d.internalName(), o.GetNamespace())...),
			pki.ServiceNames(d.publicName(), o.GetNamespace())...)
	}
	return names
}

// addresses are by what users reach the service, for a step that sees StepEndpoints.
func (s Service[T]) addresses(sc *step.Scope[T]) []string {
	var names []string
	for _, d := range s.doors(sc.Owner()) {
		public, _ := sc.Child(StepEndpoints, "Service", d.publicName()).(*corev1.Service)
		names = append(names, balancer(public)...)
		if d.expose.Hostname != "" {
			names = append(names, d.expose.Hostname)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Hosts are all names and addresses by which clients reach the service, for a step that sees StepEndpoints.
func (s Service[T]) Hosts(sc *step.Scope[T]) []string {
	return append(s.names(sc.Owner()), s.addresses(sc)...)
}
