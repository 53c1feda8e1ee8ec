package standalone_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/standalone"
)

// networks asks an OVN, and dashboard caches.
const (
	networks = `{"apiVersion": "service.stackwright.dev/v1alpha1", "kind": "Neutron",
 "metadata": {"name": "inventory", "namespace": "cloud"}, "spec": {"image": "images.test/neutron:1", "mtu": 1500,
 "release": "epoxy", "database": {"galera": "db"}, "expose": {"hostname": "networks.example.org"}, "rabbitmq": "bus",
 "identity": {"keystone": "identity"}, "ovn": "lines"}}`
	dashboard = `{"apiVersion": "service.stackwright.dev/v1alpha1", "kind": "Horizon",
 "metadata": {"name": "inventory", "namespace": "cloud"}, "spec": {"image": "images.test/horizon:1",
 "release": "epoxy", "expose": {"hostname": "cloud.example.org"}, "keystone": "identity", "memcached": "caches"}}`
)

// clients has what clients of OVN and of caches need.
func clients() map[string]string {
	return map[string]string{"northbound": "ssl:north:6641\n", "southbound": "ssl:south:6642", pki.CAKey: "given",
		pki.CertKey: "given", pki.KeyKey: "hidden", "servers": "one:11211, two:11211"}
}

// kept makes the Secrets of a service, and returns the cluster and what it told.
func kept(t *testing.T, object string, more ...client.Object) (c client.Client, log string, err error) {
	t.Helper()
	bus := secret("inventory-bus", map[string]string{"transport_url": "rabbit://inventory:hidden@bus:5671/inventory"})
	known := secret("identity-clouds", map[string]string{"clouds.yaml": clouds, "ca.crt": "x"})
	c = cluster(append(more, account(), bus, known)...).Build()
	var out bytes.Buffer
	err = standalone.Keep(t.Context(), c, []byte(object), standalone.Options{Revision: "first", Out: &out})
	if err != nil && (out.Len() > 0 || strings.Contains(err.Error(), "hidden")) {
		t.Errorf("with the error %v it told\n%s", err, out.String())
	}
	return c, out.String(), err
}

func dataOf(t *testing.T, c client.Client, name string) map[string][]byte {
	t.Helper()
	s := &corev1.Secret{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "cloud", Name: name}, s); err != nil {
		t.Fatal(err)
	}
	return s.Data
}

// made makes the Secrets of a service and returns its configuration.
func made(t *testing.T, object string, more ...client.Object) (map[string][]byte, error) {
	t.Helper()
	c, _, err := kept(t, object, more...)
	if err != nil {
		return nil, err
	}
	return dataOf(t, c, "inventory-config-first"), nil
}

// OVN and caches are known by their Secrets for clients.
func TestOthersAreKnownByTheirSecrets(t *testing.T) {
	for name, c := range map[string]struct{ object, secret, file, has string }{
		"north":  {networks, "lines-client", "neutron.conf", "ovn_nb_connection = ssl:north:6641\n"},
		"south":  {networks, "lines-client", "neutron.conf", "ovn_sb_connection = ssl:south:6642\n"},
		"caches": {dashboard, "caches-client", "horizon.json", `"two:11211"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := made(t, c.object, secret(c.secret, clients()))
			if err != nil || !strings.Contains(string(got[c.file]), c.has) {
				t.Errorf("%v; %s lacks %q:\n%s", err, c.file, c.has, got[c.file])
			}
		})
	}
}

// What is wanting of such a Secret is told by name, and nothing is written. Nobody needs it to register the service.
func TestOthersThatAreNotKnown(t *testing.T) {
	without := func(key string) map[string]string {
		data := clients()
		maps.DeleteFunc(data, func(k, _ string) bool { return k == key })
		return data
	}
	for name, c := range map[string]struct {
		object string
		given  *corev1.Secret
		says   string
	}{
		"no OVN": {networks, nil,
			"the Secret lines-client has to exist, with northbound, southbound, ca.crt, tls.crt, tls.key"},
		"no address":   {networks, secret("lines-client", without("southbound")), "lines-client has to have southbound, too"},
		"no key":       {networks, secret("lines-client", without("tls.key")), "lines-client has to have tls.key, too"},
		"no caches":    {dashboard, nil, "the Secret caches-client has to exist, with servers, ca.crt, tls.crt, tls.key"},
		"no servers":   {dashboard, secret("caches-client", without("servers")), "caches-client has to have servers, too"},
		"no authority": {dashboard, secret("caches-client", without("ca.crt")), "caches-client has to have ca.crt, too"},
	} {
		t.Run(name, func(t *testing.T) {
			var more []client.Object
			if c.given != nil {
				more = append(more, c.given)
			}
			if _, err := made(t, c.object, more...); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error is %v, want one with %q", err, c.says)
			}
		})
	}
	password := secret("inventory-user", map[string]string{"password": "x"})
	given := cluster(password, secret("identity-clouds", map[string]string{"clouds.yaml": clouds, "ca.crt": "x"})).Build()
	if _, err := standalone.Register(t.Context(), given, []byte(networks)); err != nil {
		t.Errorf("registering without OVN: %v", err)
	}
}
