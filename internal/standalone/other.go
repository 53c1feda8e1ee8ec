package standalone

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/pki"
)

// endClient ends the names of Secrets by which OVN and caches know clients: those that operators make, with more keys.
const endClient = "-client"

// keysOVN and keysMemcached are the keys of such a Secret.
func keysOVN() []string {
	return []string{"northbound", "southbound", pki.CAKey, pki.CertKey, pki.KeyKey}
}

func keysMemcached() []string { return []string{"servers", pki.CAKey, pki.CertKey, pki.KeyKey} }

// ovn makes databases of the Secret of their clients.
func (i *identity) ovn(ctx context.Context, key client.ObjectKey, into *infrav1.OVN) error {
	s, err := i.known(ctx, key, keysOVN())
	if err != nil {
		return err
	}
	into.Name, into.Namespace = key.Name, key.Namespace
	into.Status.Northbound.Connection = text(s, "northbound")
	into.Status.Southbound.Connection = text(s, "southbound")
	return nil
}

// memcached makes caches of the Secret of their clients. They have TLS: a template cannot see whether there is an
// authority.
func (i *identity) memcached(ctx context.Context, key client.ObjectKey, into *infrav1.Memcached) error {
	s, err := i.known(ctx, key, keysMemcached())
	if err != nil {
		return err
	}
	into.Name, into.Namespace = key.Name, key.Namespace
	for server := range strings.SplitSeq(text(s, "servers"), ",") {
		into.Status.Servers = append(into.Status.Servers, strings.TrimSpace(server))
	}
	into.Status.ClientSecret = s.Name
	return nil
}

func text(s *corev1.Secret, key string) string { return strings.TrimSpace(string(s.Data[key])) }

// known reads the Secret by which something is known that operators would have made.
func (i *identity) known(ctx context.Context, key client.ObjectKey, keys []string) (*corev1.Secret, error) {
	if i.alone {
		return nil, apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	name, s := key.Name+endClient, &corev1.Secret{}
	err := i.clouds.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: name}, s)
	s.Name = name
	switch {
	case apierrors.IsNotFound(err):
		err = lacks(name, nil, keys)
	case err == nil:
		err = lacks(name, s, keys)
	}
	if err != nil {
		i.err = fmt.Errorf("reading how %s is reached: %w", key.Name, err)
		return nil, i.err
	}
	return s, nil
}
