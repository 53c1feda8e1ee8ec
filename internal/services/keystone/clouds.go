package keystone

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/service"
)

// Keys of the Secret for clients, and the folder in which clients mount it.
const (
	keyClouds    = "clouds.yaml"
	keyAuthority = "ca.crt"
	clientFolder = "/etc/openstack"
)

func cloudsName(k *keystone) string { return k.Name + "-clouds" }

// clouds is what OpenStack clients read: the cloud default by its public endpoint, internal by the one in the cluster.
// It changes after bootstrap has made a new password the valid one.
func (s server) clouds(sc *scope) ([]client.Object, error) {
	k := sc.Owner()
	urls := s.Endpoints(sc)
	authority := authorities(sc)
	// What users of a Gateway see is the Gateway's certificate, which is not ours.
	public := len(authority) > 0 && k.Spec.Expose.Type != servicev1.ExposeHTTPRoute
	text, err := yaml.Marshal(map[string]any{"clouds": map[string]any{
		"default":  cloud(k, urls.Public, "public", password(sc), public),
		"internal": cloud(k, urls.Internal, "internal", password(sc), len(authority) > 0),
	}})
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", keyClouds, err)
	}
	data := map[string][]byte{keyClouds: text}
	if len(authority) > 0 {
		data[keyAuthority] = authority
	}
	return []client.Object{&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: cloudsName(k), Namespace: k.Namespace, Labels: s.Labels(k, "")},
		Data:       data,
	}}, nil
}

// authoritySecrets have the authorities of services whose certificates are by others than Keystone's.
func authoritySecrets(k *keystone) []types.NamespacedName {
	var keys []types.NamespacedName
	for _, name := range k.Spec.Authorities {
		keys = append(keys, types.NamespacedName{Namespace: k.Namespace, Name: name})
	}
	return keys
}

// authorities are by what clients know Keystone and all others in its catalog.
func authorities(sc *scope) []byte {
	all := [][]byte{sc.Content(service.RefTLS)[keyAuthority]}
	for _, content := range sc.Contents(refAuthorities) {
		all = append(all, pki.Roots(content))
	}
	return pki.Bundle(all...)
}

// trusted are the authorities by which clients look at Keystone itself.
func trusted(sc *scope) (string, []byte, bool) { return sc.Owner().Name, authorities(sc), true }

func cloud(k *keystone, url, which, password string, authority bool) map[string]any {
	c := map[string]any{
		"auth": map[string]any{
			"auth_url": url, "username": "admin", "password": password, "project_name": "admin",
			"user_domain_name": "Default", "project_domain_name": "Default",
		},
		"region_name": k.Spec.Region, "interface": which, "identity_api_version": "3",
	}
	if authority {
		c["cacert"] = clientFolder + "/" + keyAuthority
	}
	return c
}

// report tells where the service answers and where clients find their settings.
func (s server) report(v step.View, k *keystone) {
	s.Report(v, k)
	if made := k.Status.Find(stepCredential); made != nil && made.State == owner.StepDone {
		k.Status.KeySecret = credentialName(k)
	}
	k.Status.Clouds = ""
	if v.Child(stepClouds, "Secret", cloudsName(k)) != nil {
		k.Status.Clouds = cloudsName(k)
	}
}
