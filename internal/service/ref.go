package service

import (
	"fmt"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/ref"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/pki"
)

// The references that services have in common.
const (
	RefCA         = "ca"
	RefTLS        = "tls"
	RefDatabase   = "database"
	RefBus        = "bus"
	RefMemcached  = "memcached"
	RefCacheTLS   = "memcached-client"
	RefConfig     = "config"
	RefRolled     = "config-rolled"
	RefAutoscaler = "autoscaler"
	RefKeystone   = "keystone"
	RefAuthority  = "keystone-authority"
	RefProject    = "project"
	RefPassword   = "password"
)

// Keys of the Secrets that other operators make.
const (
	keyCA         = "ca.crt"
	keyConnection = "connection"
	keyTransport  = "transport_url"
)

// maxSources is how many sources configFrom takes, as its schema says.
const maxSources = 8

// Refs are the references that every service has.
func (s Service[T]) Refs() []ref.Ref[T] {
	name := func(f func(Object) string) func(T) string { return func(o T) string { return f(o) } }
	refs := []ref.Ref[T]{
		ref.Local(RefCA, &corev1.Secret{}, name(caName)),
		ref.Local(RefTLS, &corev1.Secret{}, name(tlsName)),
		ref.Local(RefConfig, &corev1.Secret{}, name(configName), ref.Fields[T](keyHash)),
		ref.Local(RefRolled, &corev1.Secret{}, name(rolledName), ref.Optional[T]()),
		ref.Local(RefAutoscaler, &autoscalingv2.HorizontalPodAutoscaler{}, name(apiName),
			ref.Optional[T](), ref.DigestOf[T](scaleTarget)),
	}
	for i := range maxSources {
		refs = append(refs,
			ref.Local(sourceMap(i), &corev1.ConfigMap{}, func(o T) string { m, _ := source(o, i); return m }),
			ref.Local(sourceSecret(i), &corev1.Secret{}, func(o T) string { _, s := source(o, i); return s }))
	}
	if s.Database != nil {
		refs = append(refs, ref.Local(RefDatabase, &corev1.Secret{}, name(databaseSecret)))
	}
	return slices.Concat(refs, s.busRefs(), s.cacheRefs(), s.identityRefs())
}

func (s Service[T]) busRefs() []ref.Ref[T] {
	if s.RabbitMQ == nil {
		return nil
	}
	return []ref.Ref[T]{ref.Local(RefBus, &corev1.Secret{}, func(o T) string {
		if s.rabbitMQ(o) == "" {
			return ""
		}
		return busSecret(o)
	})}
}

func (s Service[T]) cacheRefs() []ref.Ref[T] {
	if s.Memcached == nil {
		return nil
	}
	return []ref.Ref[T]{
		ref.Local(RefMemcached, &infrav1.Memcached{}, s.memcached,
			ref.WaitFor[T](hasServers), ref.DigestOf[T](servers)),
		ref.Local(RefCacheTLS, &corev1.Secret{}, s.cacheTLS, ref.Fields[T](clientKeys()...),
			ref.Optional[T]()),
	}
}

func sourceMap(i int) string    { return fmt.Sprintf("config-from-%d-map", i) }
func sourceSecret(i int) string { return fmt.Sprintf("config-from-%d-secret", i) }

// source returns the names of the ConfigMap or the Secret at one place of configFrom.
func source(o Object, i int) (configMap, secret string) {
	from := o.Common().ConfigFrom
	if i >= len(from) {
		return "", ""
	}
	return from[i].ConfigMap, from[i].Secret
}

// clientKeys are those of a Secret by which clients are let in.
func clientKeys() []string { return []string{pki.CAKey, pki.CertKey, pki.KeyKey} }

// cacheTLS names the Secret by which clients know the caches, and are known.
func (s Service[T]) cacheTLS(o T) string {
	if name := s.memcached(o); name != "" {
		return name + "-client"
	}
	return ""
}

func hasServers(obj client.Object) (bool, string) {
	m, ok := obj.(*infrav1.Memcached)
	if ok && len(m.Status.Servers) > 0 {
		return true, ""
	}
	return false, fmt.Sprintf("Memcached %s has no servers yet; see kubectl -n %s describe memcached/%s",
		obj.GetName(), obj.GetNamespace(), obj.GetName())
}

func servers(obj client.Object) string {
	if m, ok := obj.(*infrav1.Memcached); ok {
		return strings.Join(append(m.Status.Servers, m.Status.ClientSecret), ",")
	}
	return ""
}

func scaleTarget(obj client.Object) string {
	if h, ok := obj.(*autoscalingv2.HorizontalPodAutoscaler); ok {
		return h.Spec.ScaleTargetRef.Kind + "/" + h.Spec.ScaleTargetRef.Name
	}
	return ""
}

// optionRefs names all references that the configuration is made of.
func (s Service[T]) optionRefs() []string {
	refs := []string{RefRolled}
	if s.Database != nil {
		refs = append(refs, RefDatabase)
	}
	if s.RabbitMQ != nil {
		refs = append(refs, RefBus)
	}
	if s.Memcached != nil {
		refs = append(refs, RefMemcached)
	}
	if s.Identity != nil {
		refs = append(refs, RefKeystone, RefAuthority)
	}
	if s.Identity != nil && !s.Guest {
		refs = append(refs, RefProject, RefPassword)
	}
	for i := range maxSources {
		refs = append(refs, sourceMap(i), sourceSecret(i))
	}
	return append(refs, s.Reads...)
}
