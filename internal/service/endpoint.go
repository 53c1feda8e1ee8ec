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

// EndpointsStep makes the Services at which the API answers: a public and an internal one.
func (s Service[T]) EndpointsStep(o ...step.Option[T]) step.Step[T] {
	return step.Objects(StepEndpoints, func(sc *step.Scope[T]) ([]client.Object, error) {
		owner := sc.Owner()
		expose := owner.Common().Expose
		public := s.entry(owner, publicName(owner), s.front())
		if exposeType(expose) == servicev1.ExposeLoadBalancer {
			public.Spec.Type = corev1.ServiceTypeLoadBalancer
		}
		for k, v := range expose.Annotations {
			if public.Annotations == nil {
				public.Annotations = map[string]string{}
			}
			public.Annotations[k] = string(v)
		}
		return []client.Object{public, s.entry(owner, internalName(owner), s.api())}, nil
	}, append(o, step.Makes[T](&corev1.Service{}), step.Condition[T]("EndpointReady"),
		step.Component[T](ComponentSetup))...)
}

// api is what other services and pods reach, front what users do.
func (s Service[T]) api() Front { return Front{Worker: ComponentAPI, Port: s.Port, Path: s.Path} }

func (s Service[T]) front() Front {
	if s.Front != nil {
		return *s.Front
	}
	return s.api()
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
	internal := s.api().url(scheme(o), clusterName(o, internalName(o)))
	front, expose := s.front(), o.Common().Expose
	switch exposeType(expose) {
	case servicev1.ExposeHTTPRoute:
		port := int32(443)
		if expose.Gateway != nil {
			port = cmp.Or(expose.Gateway.Port, port)
		}
		front.Port = port
		return servicev1.Endpoints{Public: front.url(gatewayScheme(port), expose.Hostname), Internal: internal}
	case servicev1.ExposeClusterIP:
		host := cmp.Or(expose.Hostname, clusterName(o, publicName(o)))
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
	public, _ := sc.Child(StepEndpoints, "Service", publicName(sc.Owner())).(*corev1.Service)
	return s.URLs(sc.Owner(), public)
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

// CertificateStep keeps the certificate of the API, valid for all names of its endpoints.
func (s Service[T]) CertificateStep(o ...step.Option[T]) step.Step[T] {
	return pki.Leaf(StepCertificate, pki.LeafSpec[T]{
		Secret: func(o T) string { return tlsName(o) },
		CARef:  RefCA,
		Names: func(o T) []string {
			return append(pki.ServiceNames(internalName(o), o.GetNamespace()),
				pki.ServiceNames(publicName(o), o.GetNamespace())...)
		},
		Also: func(sc *step.Scope[T]) []string {
			public, _ := sc.Child(StepEndpoints, "Service", publicName(sc.Owner())).(*corev1.Service)
			names := balancer(public)
			if host := sc.Owner().Common().Expose.Hostname; host != "" {
				names = append(names, host)
			}
			slices.Sort(names)
			return slices.Compact(names)
		},
	}, append(o, step.Sees[T](StepEndpoints), step.After[T](StepCA), step.Condition[T]("TLSReady"),
		step.When(func(o T) bool { return caName(o) != "" }), step.Component[T](ComponentSetup))...)
}
