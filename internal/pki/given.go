package pki

import (
	"context"
	"time"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// Given is a step that refuses a certificate of a person's, in the Secret of a reference, with which a server could not
// start or that no client would take any more. Those who mount the Secret come after it: else a roll would begin, and
// end with pods that crash. For which names the certificate is valid is the person's affair.
func Given[T owner.Object](name, ref string, o ...step.Option[T]) step.Step[T] {
	return step.Check(name, func(_ context.Context, s *step.Scope[T]) *outcome.Outcome {
		left, err := given(s, ref)
		if err != nil {
			return outcome.FromError(err)
		}
		// Nothing happens to the Secret when the certificate expires.
		return &outcome.Outcome{State: outcome.StateDone, After: left + time.Second}
	}, append(o, step.Reads[T](ref))...)
}

// given is how long a certificate of a person's is still valid.
func given[T owner.Object](s *step.Scope[T], ref string) (time.Duration, error) {
	secret, c := s.Get(ref), s.Content(ref)
	if secret == nil {
		return 0, s.Err()
	}
	for _, key := range []string{CertKey, KeyKey} {
		if len(c[key]) == 0 {
			return 0, outcome.Invalidf("Secret %s has no key %q; add it: %s is the certificate and %s its private key, "+
				"both PEM", secret.GetName(), key, CertKey, KeyKey)
		}
	}
	cert, _, err := Pair{Cert: c[CertKey], Key: c[KeyKey]}.Parse()
	if err != nil {
		return 0, outcome.Invalidf("Secret %s is malformed: %w; give it a certificate as %s and the private key that "+
			"belongs to it as %s, both PEM", secret.GetName(), err, CertKey, KeyKey)
	}
	if len(c[CAKey]) > 0 {
		if _, err := Certificates(c[CAKey]); err != nil {
			return 0, outcome.Invalidf("Secret %s is malformed: %s: %w; give it the certificate of the authority that "+
				"signed %s", secret.GetName(), CAKey, err, CertKey)
		}
	}
	left := cert.NotAfter.Sub(s.Now())
	if left < 0 {
		return 0, outcome.Invalidf("Secret %s is of no use: the certificate in %s has expired; renew it", secret.GetName(),
			CertKey)
	}
	return left, nil
}
