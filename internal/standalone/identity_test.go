package standalone_test

import (
	"bytes"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/standalone"
)

// inventory is a service that asks a Keystone.
const inventory = `{"apiVersion": "service.stackwright.dev/v1alpha1", "kind": "Placement",
 "metadata": {"name": "inventory", "namespace": "cloud"}, "spec": {"image": "images.test/placement:1",
 "release": "epoxy", "database": {"galera": "db"}, "expose": {"hostname": "inventory.example.org"},
 "identity": {"keystone": "identity"}}}`

// account is that of the service in the database.
func account() *corev1.Secret {
	return secret("inventory-db", map[string]string{"password": "hidden",
		"connection": "mysql+pymysql://inventory:hidden@db/inventory?charset=utf8mb4"})
}

const clouds = `clouds:
  default: {auth: {auth_url: 'https://identity.example.org:5000/v3', password: hidden}, region_name: RegionOne}
  internal: {auth: {auth_url: 'https://identity-internal:5000/v3', password: hidden}, region_name: North}
`

// A Keystone is known by its Secret for clients, which says all that the configuration has of it.
func TestKeystoneIsKnownByItsSecret(t *testing.T) {
	c := cluster(account(), secret("identity-clouds", map[string]string{"clouds.yaml": clouds, "ca.crt": "given"})).Build()
	var out bytes.Buffer
	options := standalone.Options{Revision: "first", Out: &out}
	if err := standalone.Keep(t.Context(), c, []byte(inventory), options); err != nil {
		t.Fatal(err)
	}
	s := &corev1.Secret{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "cloud", Name: "inventory-config-first"}, s); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"auth_url = https://identity-internal:5000/v3", "region_name = North",
		"www_authenticate_uri = https://identity.example.org:5000/v3", "project_name = service", "username = placement"} {
		if !strings.Contains(string(s.Data["placement.conf"]), line+"\n") {
			t.Errorf("the configuration lacks %q", line)
		}
	}
	if !strings.Contains(out.String(), "made Secret inventory-user\n") {
		t.Errorf("it tells of no password of the service's user:\n%s", out.String())
	}
}

// What is wanting of a Keystone is told by name, and nothing is written.
func TestKeystonesThatAreNotKnown(t *testing.T) {
	for name, c := range map[string]struct {
		data map[string]string
		says string
	}{
		"no Secret":    {nil, "the Secret identity-clouds has to exist, with clouds.yaml and ca.crt"},
		"no key":       {map[string]string{"ca.crt": "x"}, "has to have a cloud default, or internal for pods"},
		"no YAML":      {map[string]string{"clouds.yaml": "hidden: [", "ca.crt": "x"}, "is no YAML with clouds"},
		"other clouds": {map[string]string{"clouds.yaml": "clouds: {mine: {region_name: x}}"}, "has to have a cloud default"},
		"no region": {map[string]string{"ca.crt": "x",
			"clouds.yaml": "clouds: {default: {auth: {auth_url: 'http://x'}}}"}, "with auth_url and region_name"},
		"no authority": {map[string]string{"clouds.yaml": clouds}, "has to have the key ca.crt: the authority of https://"},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []client.Object{account()}
			if c.data != nil {
				objects = append(objects, secret("identity-clouds", c.data))
			}
			given := cluster(objects...).Build()
			var out bytes.Buffer
			err := standalone.Keep(t.Context(), given, []byte(inventory), standalone.Options{Revision: "first", Out: &out})
			_, also := standalone.Register(t.Context(), given, []byte(inventory))
			for _, err := range []error{err, also} {
				if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hidden") {
					t.Errorf("error is %v, want one with %q", err, c.says)
				}
			}
			if out.Len() > 0 {
				t.Errorf("it wrote something: %s", out.String())
			}
		})
	}
}

// A service that knows the others is registered by nobody.
func TestKeystoneIsNotRegistered(t *testing.T) {
	_, err := standalone.Register(t.Context(), cluster(given()...).Build(), []byte(identity))
	if err == nil || !strings.Contains(err.Error(), "a Keystone asks no Keystone") {
		t.Errorf("registering a Keystone: %v", err)
	}
}
