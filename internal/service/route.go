package service

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// GatewayGroup is the API group that a cluster serves when it has the Gateway API.
const GatewayGroup = "gateway.networking.k8s.io"

func gatewayKind(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: GatewayGroup, Version: "v1", Kind: kind}
}

func (d door) routed() bool { return exposeType(d.expose) == servicev1.ExposeHTTPRoute }

func (s Service[T]) routed(o T) bool { return slices.ContainsFunc(s.doors(o), door.routed) }

// RouteSteps put public Services behind a Gateway where the object asks for it. Watching a kind that the cluster
// does not serve would stop the whole operator, so without the Gateway API the step only says what is missing.
func (s Service[T]) RouteSteps() []step.Step[T] {
	options := []step.Option[T]{
		step.When(s.routed), step.After[T](StepEndpoints), step.Condition[T]("RouteReady"),
		step.Component[T](ComponentSetup),
	}
	if !s.Cluster.Gateway {
		return []step.Step[T]{step.Check("route", refuseRoute[T], options...)}
	}
	// The certificate's authority is what the Gateway checks the service by.
	options = append(options, step.Reads[T](RefTLS), step.After[T](StepCertificate, StepGiven), step.Makes[T](
		kindOnly("HTTPRoute"), kindOnly("BackendTLSPolicy"), &corev1.ConfigMap{}))
	return []step.Step[T]{step.Objects("route", func(sc *step.Scope[T]) ([]client.Object, error) {
		var routes []client.Object
		for _, d := range s.doors(sc.Owner()) {
			if d.routed() {
				routes = append(routes, s.route(sc, d)...)
			}
		}
		return routes, nil
	}, options...)}
}

func refuseRoute[T Object](context.Context, *step.Scope[T]) *outcome.Outcome {
	return outcome.Refuse("GatewayMissing",
		"spec.expose.type is HTTPRoute, but the cluster did not serve %s when the operator "+
			"started; install the Gateway API and restart the operator, or take another type", GatewayGroup)
}

func kindOnly(kind string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gatewayKind(kind))
	return u
}

// route sends all requests for the hostname to the public Service. With TLS the Gateway encrypts again towards the
// pods, and knows them by the same authority as everybody else.
func (s Service[T]) route(sc *step.Scope[T], d door) []client.Object {
	o := sc.Owner()
	parent := map[string]any{"name": d.expose.Gateway.Name}
	if ns := d.expose.Gateway.Namespace; ns != "" {
		parent["namespace"] = ns
	}
	if l := d.expose.Gateway.Listener; l != "" {
		parent["sectionName"] = l
	}
	route := s.gatewayObject(o, d, "HTTPRoute", map[string]any{
		"parentRefs": []any{parent},
		"hostnames":  []any{d.expose.Hostname},
		"rules": []any{map[string]any{
			"backendRefs": []any{map[string]any{"name": d.publicName(), "port": int64(d.front.Port)}},
		}},
	})
	if o.Common().TLS.Disabled {
		return []client.Object{route}
	}
	authority := &corev1.ConfigMap{ObjectMeta: s.meta(o, d.publicName()),
		Data: map[string]string{keyCA: string(sc.Content(RefTLS)[keyCA])}}
	policy := s.gatewayObject(o, d, "BackendTLSPolicy", map[string]any{
		"targetRefs": []any{map[string]any{"group": "", "kind": "Service", "name": d.publicName()}},
		"validation": map[string]any{
			"hostname":          clusterName(o, d.publicName()),
			"caCertificateRefs": []any{map[string]any{"group": "", "kind": "ConfigMap", "name": d.publicName()}},
		},
	})
	return []client.Object{route, policy, authority}
}

func (s Service[T]) gatewayObject(o T, d door, kind string, spec map[string]any) *unstructured.Unstructured {
	u := kindOnly(kind)
	m := s.meta(o, d.publicName())
	u.SetName(m.Name)
	u.SetNamespace(m.Namespace)
	u.SetLabels(m.Labels)
	u.Object["spec"] = spec
	return u
}
