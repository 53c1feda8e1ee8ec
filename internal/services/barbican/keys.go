package barbican

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/fernet"
	"stackwright.dev/stackwright/internal/service/oslo"
)

const (
	refKeys        = "keys"
	annotationKeys = "service.stackwright.dev/keys"
	configFile     = "barbican.conf"
)

func keysName(b *barbican) string { return b.Name + "-kek" }

func refs() []ref.Ref[*barbican] {
	return []ref.Ref[*barbican]{ref.Local(refKeys, &corev1.Secret{}, keysName), listenerRef()}
}

// generate keeps the key-encryption keys, whose names are numbers from 1 on. It never replaces keys that were lost:
// what they encrypt would be lost as well, and with it the time to find them again.
func generate(s api) func(*scope, map[string][]byte) (*step.Generated, error) {
	return func(sc *scope, have map[string][]byte) (*step.Generated, error) {
		b, keys := sc.Owner(), ring(have)
		if err := fernet.Check(keysName(b), have); err != nil {
			return nil, err
		}
		if len(keys) == 0 && b.Status.KeySecret != "" {
			return nil, &outcome.Error{Class: outcome.Invalid, Reason: "KeysLost", Err: fmt.Errorf(
				"the keys of all stored secrets are gone with Secret %s: restore it from a backup, or make it "+
					"anew with key 1, and 2 and so on, from the values of kek in %s of Secret %s-config, the first of which "+
					"is the newest", keysName(b), configFile, b.Name)}
		}
		for n := range max(1, b.Spec.KeyGeneration) {
			if keys[int(n)+1] == "" {
				keys[int(n)+1] = string(fernet.NewKey())
			}
		}
		made := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: keysName(b), Namespace: b.Namespace,
			Labels: s.Labels(b, "")}, Data: map[string][]byte{}}
		for n, key := range keys {
			made.Data[strconv.Itoa(n)] = []byte(key)
		}
		return &step.Generated{Secret: made}, nil
	}
}

// ring is the keys of a Secret by their numbers.
func ring(data map[string][]byte) map[int]string {
	keys := map[int]string{}
	for name, key := range data {
		if n, err := strconv.Atoi(name); err == nil && n > 0 && len(key) > 0 {
			keys[n] = string(key)
		}
	}
	return keys
}

// newestFirst is the ring as a configuration has it when nobody lacks a key.
func newestFirst(keys map[int]string) []string {
	var out []string
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(keys))) {
		out = append(out, keys[n])
	}
	return out
}

// order is the order of the keys in the configuration: the first encrypts, all decrypt. A new key comes last until all
// pods run with it, and only then first: at no time a pod lacks a key by which another pod encrypts.
func order(keys map[int]string, running []string) []string {
	all := newestFirst(keys)
	known := slices.DeleteFunc(slices.Clone(running), func(key string) bool { return !slices.Contains(all, key) })
	if len(known) == 0 {
		return all
	}
	staged := slices.DeleteFunc(slices.Clone(all), func(key string) bool { return slices.Contains(known, key) })
	if len(staged) == 0 {
		return all
	}
	return append(known, staged...)
}

// rolled are the keys that all pods run with; none before the first roll-out.
func rolled(sc *scope) []string {
	file, err := oslo.Parse(string(sc.Content(service.RefRolled)[configFile]))
	if err != nil {
		return nil
	}
	return file.Values("simple_crypto_plugin", "kek")
}

// rewrap encrypts all projects' keys with the newest key, once all pods encrypt with it. With the first there is
// nothing to do.
func rewrap(s api) func(*scope) ([]client.Object, error) {
	return func(sc *scope) ([]client.Object, error) {
		all, running := newestFirst(ring(sc.Content(refKeys))), rolled(sc)
		if len(all) < 2 || len(running) == 0 || running[0] != all[0] {
			return nil, nil
		}
		job := s.Job(sc.Owner(), stepRewrap+"-"+strconv.Itoa(len(all)),
			pod{Component: stepRewrap, Alone: true, Command: manage("rewrap")})
		return []client.Object{job}, nil
	}
}

// report notes, besides what every service tells, that keys were made: from then on they are missed.
func report(s api) func(step.View, *barbican) {
	return func(v step.View, b *barbican) {
		s.Report(v, b)
		if made := b.Status.Find(stepKeys); made != nil && made.State == owner.StepDone {
			b.Status.KeySecret = keysName(b)
		}
	}
}
