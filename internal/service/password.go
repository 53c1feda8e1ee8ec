package service

import (
	"bytes"
	"crypto/rand"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit/step"
)

// KeyPassword is the key of a Secret that holds a password.
const KeyPassword = "password"

// PasswordStep generates a password once and keeps it. One that somebody writes in its place is taken; the line feed
// that echo leaves at its end is not part of it, as a configuration file could not have it.
func (s Service[T]) PasswordStep(name string, secret func(T) string, o ...step.Option[T]) step.Step[T] {
	return step.Secret(name, func(sc *step.Scope[T], have map[string][]byte) (*step.Generated, error) {
		password := bytes.TrimRight(have[KeyPassword], "\r\n")
		if len(password) == 0 {
			password = []byte(rand.Text())
		}
		return &step.Generated{Secret: &corev1.Secret{
			ObjectMeta: s.meta(sc.Owner(), secret(sc.Owner())),
			Data:       map[string][]byte{KeyPassword: password},
		}}, nil
	}, secret, append(o, step.Component[T](ComponentSetup))...)
}
