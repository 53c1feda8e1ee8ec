package pki

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// CA is a step that generates and keeps a CA in the Secret that nameOf names, with tls.crt, tls.key and ca.crt. Clients
// outside the cluster trust it, so there is a copy from which it comes back when somebody deletes it, and what is no CA
// does not go on to the copy. It is off while when is false; nil means always.
func CA[T owner.Object](name string, nameOf func(T) string, when func(T) bool, o ...step.Option[T]) step.Step[T] {
	generate := func(s *step.Scope[T], have map[string][]byte) (*step.Generated, error) {
		if old := (Pair{Cert: have[CertKey], Key: have[KeyKey], CA: have[CertKey]}); len(have) > 0 {
			if cert, _, err := old.Parse(); err != nil || !cert.IsCA {
				return nil, outcome.Invalidf("Secret %s does not hold a CA any more; delete it, and it comes back as it was",
					nameOf(s.Owner()))
			}
		}
		p, next, err := renewCA(nameOf(s.Owner()), have, s.Now())
		if err != nil {
			return nil, err
		}
		data := map[string][]byte{CertKey: p.Cert, KeyKey: p.Key, CAKey: p.Cert}
		return secret(s.Owner(), nameOf(s.Owner()), data, next), nil
	}
	if when != nil {
		o = append(o, step.When(when))
	}
	return step.Secret(name, generate, nameOf, append(o, step.Copied[T]())...)
}

// LeafSpec says what a Leaf step keeps.
type LeafSpec[T owner.Object] struct {
	// Secret that holds tls.crt, tls.key and ca.crt.
	Secret func(T) string
	// CARef is the name of the reference to the CA's Secret.
	CARef string
	// Names are the DNS names and addresses of the certificate. The first is its common name.
	Names func(T) []string
	// Also adds names that are known from what the step reads and sees only, such as a load balancer's address. It may
	// be nil.
	Also func(*step.Scope[T]) []string
	// Lifetime of the certificate; LeafLifetime when zero. It is renewed after two thirds.
	Lifetime time.Duration
}

// Leaf is a step that keeps a certificate signed by a CA. A CA that is replaced stays trusted until every reader had
// time to take the new one.
func Leaf[T owner.Object](name string, l LeafSpec[T], o ...step.Option[T]) step.Step[T] {
	generate := func(s *step.Scope[T], have map[string][]byte) (*step.Generated, error) {
		ca, err := FromRef(s, l.CARef)
		if err != nil {
			return nil, err
		}
		n := l.Names(s.Owner())
		if l.Also != nil {
			n = append(n, l.Also(s)...)
		}
		data, next, err := renewLeaf(ca, Request{CommonName: commonName(n), Names: n, Lifetime: l.Lifetime}, have, s.Now())
		if err != nil {
			return nil, err
		}
		return secret(s.Owner(), l.Secret(s.Owner()), data, next), nil
	}
	return step.Secret(name, generate, l.Secret, append(o, step.Reads[T](l.CARef))...)
}

// FromRef reads a CA from a referenced Secret. What is wrong with it is said in the error, with what would be right.
func FromRef[T owner.Object](s *step.Scope[T], ref string) (Pair, error) {
	c := s.Content(ref)
	ca := Pair{Cert: c[CertKey], Key: c[KeyKey], CA: c[CAKey]}
	cert, _, err := ca.Parse()
	if err != nil {
		return Pair{}, outcome.Invalidf("the CA Secret is malformed: %w; give it tls.crt and tls.key of a CA", err)
	}
	if !cert.IsCA {
		return Pair{}, outcome.Invalidf("the CA Secret holds the certificate of %q, which is no CA; "+
			"give it a certificate with CA:TRUE", cert.Subject.CommonName)
	}
	if s.Now().After(cert.NotAfter) {
		return Pair{}, outcome.Invalidf("the CA certificate of %q has expired; renew it", cert.Subject.CommonName)
	}
	if len(ca.CA) > 0 {
		if _, err := Certificates(ca.CA); err != nil {
			return Pair{}, outcome.Invalidf("the CA Secret is malformed: %s: %w; correct it", CAKey, err)
		}
	}
	return ca, nil
}

// Common names are limited to 64 characters; a longer name stands in the alternative names only.
func commonName(names []string) string {
	for _, n := range names {
		if len(n) <= 64 {
			return n
		}
	}
	return "stackwright"
}

func secret[T owner.Object](o T, name string, data map[string][]byte, next time.Duration) *step.Generated {
	s := &corev1.Secret{Type: corev1.SecretTypeOpaque, Data: data}
	s.Name, s.Namespace = name, o.GetNamespace()
	return &step.Generated{Secret: s, Next: max(next, time.Minute)}
}

// ServiceNames are the names under which a Service answers inside the cluster, for a certificate.
func ServiceNames(service, namespace string) []string {
	return []string{
		fmt.Sprintf("%s.%s.svc", service, namespace),
		fmt.Sprintf("%s.%s.svc.cluster.local", service, namespace),
		fmt.Sprintf("%s.%s", service, namespace),
		service,
	}
}

// PodNames are wildcards for the pods behind a headless Service, for a certificate.
func PodNames(service, namespace string) []string {
	return []string{
		fmt.Sprintf("*.%s.%s.svc", service, namespace),
		fmt.Sprintf("*.%s.%s.svc.cluster.local", service, namespace),
	}
}
