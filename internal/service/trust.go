package service

import (
	"context"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	"stackwright.dev/stackwright/internal/pki"
)

// trustStep tells of a certificate by which those do not know the service that ask it in the cluster: they know all
// that is in the catalog by the authorities of its Keystone.
func (s Service[T]) trustStep() step.Step[T] {
	trusted := func(sc *step.Scope[T]) (string, []byte, bool) {
		have := sc.Content(RefAuthority)
		return s.Identity(sc.Owner()).Keystone, have[keyCA], have != nil
	}
	return TrustStep(trusted, step.Reads[T](RefAuthority))
}

// TrustStep looks whether clients know a service, who know others by the authorities of a Keystone, in PEM; none is
// what everybody knows, and false that nobody knows yet. No step comes after it: those who use the service from
// elsewhere may know it all the same.
func TrustStep[T Object](trusted func(*step.Scope[T]) (keystone string, authorities []byte, known bool),
	o ...step.Option[T]) step.Step[T] {
	return step.Check(StepTrust, func(_ context.Context, sc *step.Scope[T]) *outcome.Outcome {
		keystone, authorities, known := trusted(sc)
		if !known || sc.Get(RefTLS) == nil {
			return nil
		}
		return strange(sc, keystone, authorities)
	}, append(o, step.Reads[T](RefTLS), step.After[T](StepCertificate, StepGiven),
		step.When(func(o T) bool { return !o.Common().TLS.Disabled }), step.Condition[T]("TLSReady"),
		step.Component[T](ComponentSetup))...)
}

// strange tells why clients do not know the service by its certificate, nil when they do.
func strange[T Object](sc *step.Scope[T], keystone string, authorities []byte) *outcome.Outcome {
	own, name := sc.Content(RefTLS), sc.Get(RefTLS).GetName()
	if len(authorities) == 0 && len(own[keyCA]) == 0 || pki.Trusts(authorities, own[pki.CertKey]) {
		return nil
	}
	if _, err := pki.Certificates(authorities); err != nil && len(authorities) > 0 {
		return nil // Keystone tells
	}
	out := outcome.Wait("Secret "+name, "Secret %s has a certificate of an authority that other services do not know; "+
		"set spec.tls.caSecret to that of Keystone %s, or add the Secret to spec.authorities of the Keystone", name, keystone)
	if !pki.Trusts(own[keyCA], own[pki.CertKey]) {
		out = outcome.Wait("Secret "+name, "Secret %s does not say of which authority its certificate is, so that other "+
			"services do not know it; add the authority's certificate as %s", name, keyCA)
	}
	out.Reason = "UnknownAuthority"
	return out
}
