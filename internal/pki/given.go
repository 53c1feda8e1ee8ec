package pki

import (
	"context"
	"crypto/x509"
	"time"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// notice is how long before its end people are told of a certificate that they gave.
const notice = 14 * 24 * time.Hour

// Given is a step that refuses a certificate of a person's, in the Secret of a reference, with which a server could not
// start or that no client would take any more. Those who mount the Secret come after it: else a roll would begin, and
// end with pods that crash. For which names the certificate is valid is the person's affair.
func Given[T owner.Object](name, ref string, o ...step.Option[T]) step.Step[T] {
	return step.Check(name, func(_ context.Context, s *step.Scope[T]) *outcome.Outcome {
		cert, err := given(s, ref)
		if cert == nil {
			return outcome.FromError(err)
		}
		left := cert.NotAfter.Sub(s.Now())
		// Nothing happens to the Secret when the certificate expires.
		out := &outcome.Outcome{State: outcome.StateDone, After: left + time.Second}
		if left < 0 {
			out = outcome.FromError(outcome.Invalidf("Secret %s is of no use: the certificate in %s has expired; renew it",
				s.Get(ref).GetName(), CertKey))
		}
		out.Ends = cert.NotAfter
		return out
	}, append(o, step.Reads[T](ref))...)
}

// Lasts is a step that tells people when a certificate that they gave is about to end: it is the one that nobody
// renews. It comes after Given and only advises. Who has programs renew theirs has them do so when a third of its life
// is left, and is not told of one that lives for a few days.
func Lasts[T owner.Object](name, ref string, o ...step.Option[T]) step.Step[T] {
	return step.Check(name, func(_ context.Context, s *step.Scope[T]) *outcome.Outcome {
		cert, err := given(s, ref)
		if cert == nil {
			return outcome.FromError(err)
		}
		early := min(notice, cert.NotAfter.Sub(cert.NotBefore)/4)
		if left := cert.NotAfter.Sub(s.Now()); left > early {
			return &outcome.Outcome{State: outcome.StateDone, After: left - early + time.Second}
		}
		secret := s.Get(ref).GetName()
		return outcome.Wait("Secret "+secret, "the certificate in Secret %s ends on %s, and nobody takes it after that; put "+
			"a renewed one into the Secret", secret, cert.NotAfter.UTC().Format(time.DateOnly))
	}, append(o, step.Reads[T](ref))...)
}

// AuthorityLasts is a step that tells people the same of an authority that they gave, to an owner that gives tells of.
// Certificates never outlive it, so that all of them end with it.
func AuthorityLasts[T owner.Object](ref string, gives func(T) bool, o ...step.Option[T]) step.Step[T] {
	return Lasts("authority-lasts", ref, append(o, step.When(gives), step.Advises[T]("CertificateLasts"))...)
}

// given is a certificate of a person's, nil with what is wrong with it.
func given[T owner.Object](s *step.Scope[T], ref string) (*x509.Certificate, error) {
	secret, c := s.Get(ref), s.Content(ref)
	if secret == nil {
		return nil, s.Err()
	}
	for _, key := range []string{CertKey, KeyKey} {
		if len(c[key]) == 0 {
			return nil, outcome.Invalidf("Secret %s has no key %q; add it: %s is the certificate and %s its private key, "+
				"both PEM", secret.GetName(), key, CertKey, KeyKey)
		}
	}
	cert, _, err := Pair{Cert: c[CertKey], Key: c[KeyKey]}.Parse()
	if err != nil {
		return nil, outcome.Invalidf("Secret %s is malformed: %w; give it a certificate as %s and the private key that "+
			"belongs to it as %s, both PEM", secret.GetName(), err, CertKey, KeyKey)
	}
	if len(c[CAKey]) > 0 {
		if _, err := Certificates(c[CAKey]); err != nil {
			return nil, outcome.Invalidf("Secret %s is malformed: %s: %w; give it the certificate of the authority that "+
				"signed %s", secret.GetName(), CAKey, err, CertKey)
		}
	}
	return cert, nil
}
