package heat

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// keyOption is the option with the key, and the key of the Secret that has it.
const keyOption = "auth_encryption_key"

func keyName(h *heat) string { return h.Name + "-key" }

// generate makes the key once. It never replaces one that was lost: what it encrypts would be lost as well, and with it
// the time to find it again.
func generate(s api) func(*scope, map[string][]byte) (*step.Generated, error) {
	return func(sc *scope, have map[string][]byte) (*step.Generated, error) {
		h, key := sc.Owner(), have[keyOption]
		switch {
		case len(key) == 0 && h.Status.KeySecret != "":
			return nil, &outcome.Error{Class: outcome.Invalid, Reason: "KeyLost", Err: fmt.Errorf(
				"the key of what is secret in all stacks is gone with Secret %s: restore it from a backup, or "+
					"make it anew with key %s from heat.conf of Secret %s-config", keyName(h), keyOption, h.Name)}
		case len(key) == 0:
			key = newKey()
		case len(key) != 32:
			return nil, outcome.Invalidf("%s of Secret %s has %d characters; Heat takes one of 32: put the right one back",
				keyOption, keyName(h), len(key))
		}
		return &step.Generated{Secret: &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: keyName(h), Namespace: h.Namespace, Labels: s.Labels(h, "")},
			Data:       map[string][]byte{keyOption: key},
		}}, nil
	}
}

// newKey is 24 random bytes in 32 characters.
func newKey() []byte {
	key := make([]byte, 24)
	// It never fails: the process ends when the kernel has no random numbers.
	_, _ = rand.Read(key)
	return []byte(base64.RawURLEncoding.EncodeToString(key))
}

// report notes, besides what every service tells, that the key was made: from then on it is missed.
func report(s api) func(step.View, *heat) {
	return func(v step.View, h *heat) {
		s.Report(v, h)
		if made := h.Status.Find(stepKey); made != nil && made.State == owner.StepDone {
			h.Status.KeySecret = keyName(h)
		}
	}
}
