package glance

import (
	"bytes"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// maxStores is how many stores there can be, as the schema says.
const maxStores = 8

// keyAuthority has, in the Secret of a store, by what its endpoint is known.
const keyAuthority = "ca.crt"

// secretName names the Secret of a store that keeps objects at an endpoint; the others have none here.
func secretName(store servicev1.ImageStore) string {
	switch {
	case store.S3 != nil:
		return store.S3.Secret
	case store.Swift != nil:
		return store.Swift.Secret
	}
	return ""
}

// refSecret is the reference to the Secret of the store at a place of the list.
func refSecret(i int) string { return fmt.Sprintf("store-%d", i) }

// secretRefs are the references to the Secrets of all stores.
func secretRefs() []ref.Ref[*glance] {
	var out []ref.Ref[*glance]
	for i := range maxStores {
		out = append(out, ref.Local(refSecret(i), &corev1.Secret{}, func(g *glance) string {
			if i < len(g.Spec.Stores) {
				return secretName(g.Spec.Stores[i])
			}
			return ""
		}))
	}
	return out
}

// secretReads names those references.
func secretReads() []string {
	var out []string
	for i := range maxStores {
		out = append(out, refSecret(i))
	}
	return out
}

// secretFiles are those that the store at a place of the list needs beside the configuration, once its Secret is as it
// has to be.
func secretFiles(s *scope, i int) (map[string][]byte, error) {
	store := s.Owner().Spec.Stores[i]
	switch {
	case store.S3 != nil:
		k, err := bucketKeys(s, i)
		if err != nil {
			return nil, err
		}
		return k.files(store.Name), nil
	case store.Swift != nil:
		a, err := swiftAccount(s, i)
		if err != nil {
			return nil, err
		}
		return a.files(store), nil
	}
	return nil, nil
}

// checkAuthority tells what is wrong with the certificate by which the endpoint of a store is known, if there is one.
func checkAuthority(store servicev1.ImageStore, authority []byte) error {
	if len(authority) == 0 || bytes.Contains(authority, []byte("-----BEGIN CERTIFICATE-----")) {
		return nil
	}
	return invalidSecret(store, "has no certificate in "+keyAuthority+
		"; put that of the endpoint's authority there, as PEM, or leave it out")
}

func invalidSecret(store servicev1.ImageStore, what string) error {
	return &outcome.Error{Class: outcome.Invalid, Reason: "InvalidStore",
		Err: fmt.Errorf("store %s: the Secret %s %s", store.Name, secretName(store), what)}
}

// modules loads those that the stores need.
func modules(g *glance) []string {
	var out []string
	for name, needs := range map[string]func(servicev1.ImageStore) bool{
		bucketModuleName: func(s servicev1.ImageStore) bool { return s.S3 != nil },
		swiftModuleName:  func(s servicev1.ImageStore) bool { return s.Swift != nil },
		cephModuleName:   func(s servicev1.ImageStore) bool { return s.RBD != nil },
	} {
		if slices.ContainsFunc(g.Spec.Stores, needs) {
			out = append(out, "import = "+name)
		}
	}
	slices.Sort(out)
	return out
}
