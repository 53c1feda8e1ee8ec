// Package memcached is the operator of Memcached: a StatefulSet of caches with names that stay, between which clients
// spread their keys.
package memcached

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"

	"stackwright.dev/kit"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/pki"
)

type (
	object = *infrav1.Memcached
	scope  = step.Scope[object]
)

// Names of steps and references that are used in several places.
const (
	stepCertificate = "certificate"
	stepClient      = "client"
	stepShrink      = "shrink"
	stepSet         = "statefulset"
	refCA           = "ca"
)

// Definition is the operator.
func Definition() kit.Definition[object] {
	return kit.Definition[object]{
		Name: "memcached",
		New:  func() object { return &infrav1.Memcached{} },
		Refs: []ref.Ref[object]{
			ref.Local(refCA, &corev1.Secret{}, caSecret, ref.Fields[object](pki.CertKey, pki.KeyKey)),
		},
		Steps: []step.Step[object]{
			pki.CA("ca", func(m object) string { return m.Name + "-ca" },
				func(m object) bool { return !m.Spec.TLS.Disabled && m.Spec.TLS.CASecret == "" }),
			pki.Leaf(stepCertificate, pki.LeafSpec[object]{Secret: func(m object) string { return TLSSecret(m.Name) },
				CARef: refCA, Names: certificateNames}, step.After[object]("ca"), step.Condition[object]("TLSReady"),
				step.When(encrypted)),
			// What is in a cache is unpickled by those who read it: who writes runs code in them.
			pki.Leaf(stepClient, pki.LeafSpec[object]{Secret: func(m object) string { return ClientSecret(m.Name) },
				CARef: refCA, Names: func(object) []string { return []string{"client"} }},
				step.After[object]("ca"), step.Condition[object]("ClientTLSReady"), step.When(encrypted)),
			pki.AuthorityLasts(refCA, func(m object) bool { return encrypted(m) && m.Spec.TLS.CASecret != "" },
				step.After[object](stepClient)),
			step.Objects("access", access,
				step.Makes[object](&corev1.ServiceAccount{}, &corev1.Service{}, &networkingv1.NetworkPolicy{}),
				step.Condition[object]("ServiceReady")),
			step.Objects("budget", budget, step.Makes[object](&policyv1.PodDisruptionBudget{}),
				step.When(func(m object) bool { return m.Spec.Replicas > 1 })),
			step.Check("memory", memory, step.Condition[object]("MemoryReady")),
			step.Check(stepShrink, shrink, step.Condition[object]("ScalingReady")),
			step.Objects(stepSet, statefulSet, step.Makes[object](&appsv1.StatefulSet{}),
				step.After[object](stepCertificate, "access", "memory", stepShrink), step.Condition[object]("DeploymentReady")),
		},
		Report: report,
	}
}

// memory refuses a cache that does not fit into its container: it would be killed when it is full.
func memory(_ context.Context, s *scope) *outcome.Outcome {
	m := s.Owner()
	limit := m.Spec.Resources.Limits.Memory().Value()
	if need := footprint(cacheSize(m)); limit > 0 && limit < need {
		return outcome.Refuse("CacheTooLarge", "A cache of %d MiB needs %d MiB of memory and "+
			"spec.resources.limits.memory is %s; raise the limit, or lower spec.cacheSize.", cacheSize(m)/mebibyte,
			need/mebibyte, m.Spec.Resources.Limits.Memory())
	}
	return outcome.Done()
}

// Servers are the addresses of the caches. They stay the same when a pod is replaced.
func Servers(m *infrav1.Memcached) []string {
	var out []string
	for i := range m.Spec.Replicas {
		out = append(out, fmt.Sprintf("%s-%d.%s.%s.svc:%d", m.Name, i, m.Name, m.Namespace, Port))
	}
	return out
}

func report(v step.View, m object) {
	m.Status.Servers, m.Status.ClientSecret, m.Status.ReadyReplicas = Servers(m), "", 0
	if encrypted(m) {
		m.Status.ClientSecret = ClientSecret(m.Name)
	}
	if set, ok := v.Child(stepSet, "StatefulSet", m.Name).(*appsv1.StatefulSet); ok {
		m.Status.ReadyReplicas = set.Status.ReadyReplicas
	}
}

// Port of memcached, with and without TLS.
const Port = 11211

// TLSSecret has the caches' certificate, and ca.crt, by which they know clients.
func TLSSecret(name string) string { return name + "-tls" }

// ClientSecret has the certificate by which clients are let in.
func ClientSecret(name string) string { return name + "-client" }

func encrypted(m object) bool { return !m.Spec.TLS.Disabled }

func caSecret(m object) string {
	switch {
	case m.Spec.TLS.Disabled:
		return ""
	case m.Spec.TLS.CASecret != "":
		return m.Spec.TLS.CASecret
	}
	return m.Name + "-ca"
}

func certificateNames(m object) []string {
	return append(pki.ServiceNames(m.Name, m.Namespace), pki.PodNames(m.Name, m.Namespace)...)
}

func labels(m object) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "memcached", "app.kubernetes.io/instance": m.Name}
}
