package register_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"

	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/internal/standalone/register"
)

// inventory is an object as the chart gives it to its Job.
const inventory = `{"apiVersion": "service.stackwright.dev/v1alpha1", "kind": "Placement",
 "metadata": {"name": "inventory", "namespace": "cloud"}, "spec": {"image": "images.test/placement:1",
 "release": "epoxy", "database": {"galera": "db"}, "expose": {"hostname": "inventory.example.org"},
 "identity": {"keystone": "identity"}}}`

func secret(name, key, value string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "cloud"},
		Data: map[string][]byte{key: []byte(value)}}
}

// keystone is a cloud that has what bootstrap makes.
func keystone() *fake.Cloud {
	c := fake.New(kinds.Served())
	c.Put("Role", map[string]any{"id": "service", "name": "service"})
	c.Put("Region", map[string]any{"id": "RegionOne"})
	return c
}

// clouds is the Secret that leads to it.
func clouds(c *fake.Cloud) *corev1.Secret {
	return secret("identity-clouds", "clouds.yaml", strings.Replace(c.CloudsYAML(), "  fake:", "  default:", 1))
}

func cluster(objects ...client.Object) client.Client {
	return clientfake.NewClientBuilder().WithScheme(operator.Scheme()).WithObjects(objects...).Build()
}

// run registers a service and returns what was told.
func run(t *testing.T, c client.Client, outside http.RoundTripper, object string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := register.Run(ctx, c, []byte(object), register.Options{Transport: outside, Out: &out})
	return out.String(), err
}

// urls are those of all endpoints.
func urls(c *fake.Cloud) []string {
	var out []string
	for _, row := range c.All("Endpoint") {
		url, _ := row["url"].(string)
		out = append(out, url)
	}
	slices.Sort(out)
	return out
}

// Each run begins with an empty cluster in memory, and finds what an earlier one has made.
func TestOneOfEach(t *testing.T) {
	cloud := keystone()
	c := cluster(clouds(cloud), secret("inventory-user", "password", "first"))
	for _, what := range []string{"once", "twice", "elsewhere"} {
		object, host := inventory, "inventory.example.org"
		if what == "elsewhere" {
			host = "other.example.org"
			object = strings.Replace(inventory, "inventory.example.org", host, 1)
		}
		told, err := run(t, c, cloud, object)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for kind, want := range map[string]int{"Project": 1, "User": 1, "RoleAssignment": 1, "Service": 1, "Endpoint": 2} {
			if got := len(cloud.All(kind)); got != want {
				t.Errorf("%s: there are %d of kind %s, want %d: %v", what, got, kind, want, cloud.All(kind))
			}
			if !strings.Contains(told, "registered "+kind+" ") {
				t.Errorf("%s: it does not tell of %s:\n%s", what, kind, told)
			}
		}
		want := []string{"https://" + host + ":8778", "https://inventory-internal.cloud.svc:8778"}
		slices.Sort(want)
		if got := urls(cloud); !slices.Equal(got, want) {
			t.Errorf("%s: the endpoints are %q, want %q", what, got, want)
		}
	}
	if name := cloud.All("Project")[0]["name"]; name != "service" {
		t.Errorf("the users of services are in project %v", name)
	}
}

// What a service needs besides, such as the Secrets of its stores, is neither read nor missed.
func TestOnlyWhatIsRegisteredIsRead(t *testing.T) {
	cloud := keystone()
	object := strings.NewReplacer("Placement", "Glance", `"database"`, `"stores": [{"name": "far",
 "s3": {"secret": "bucket", "bucket": "images", "endpoint": "https://s3.example.org"}}, {"name": "away",
 "swift": {"secret": "swift", "container": "images", "authURL": "https://identity.example.org/v3"}}], "database"`).
		Replace(inventory)
	if _, err := run(t, cluster(clouds(cloud), secret("inventory-user", "password", "first")), cloud, object); err != nil {
		t.Fatal(err)
	}
	want := []string{"https://inventory-internal.cloud.svc:9292", "https://inventory.example.org:9292"}
	if got := urls(cloud); !slices.Equal(got, want) {
		t.Errorf("the endpoints are %q, want %q", got, want)
	}
}

// Volume types are in Cinder, which nobody waits for.
func TestOnlyKeystoneIsAsked(t *testing.T) {
	cloud := keystone()
	object := strings.NewReplacer("Placement", "Cinder", `"database"`, `"rabbitmq": "bus", "backends": [{"name": "far",
 "driver": "example.org.Driver"}, {"name": "ceph", "rbd": {"secret": "ceph", "pool": "volumes"}}],
 "backup": {"rbd": {"secret": "other", "pool": "backups"}}, "database"`).Replace(inventory)
	told, err := run(t, cluster(clouds(cloud), secret("inventory-user", "password", "first")), cloud, object)
	if err != nil {
		t.Fatal(err)
	}
	if got := cloud.All("VolumeType"); len(got) > 0 || !strings.Contains(told, "registered Service ") {
		t.Errorf("there are volume types %v, and it tells:\n%s", got, told)
	}
}

// A new password in the Secret is the user's after the next run, and a project of another name is made.
func TestWhatIsDeclaredIsBrought(t *testing.T) {
	cloud := keystone()
	object := strings.Replace(inventory, `"keystone": "identity"`, `"keystone": "identity", "project": "machines"`, 1)
	for _, password := range []string{"first", "second"} {
		c := cluster(clouds(cloud), secret("inventory-user", "password", password))
		if _, err := run(t, c, cloud, object); err != nil {
			t.Fatal(err)
		}
	}
	changes := 0
	for _, r := range cloud.Requests() {
		if r.Method == http.MethodPatch && strings.Contains(r.Path, "/users/") {
			changes++
		}
	}
	if changes == 0 {
		t.Error("nobody has changed the password")
	}
	if all := cloud.All("Project"); len(all) != 1 || all[0]["name"] != "machines" {
		t.Errorf("the projects are %v, want machines", all)
	}
}

// What cannot be registered ends the Job with the reason.
func TestWhatCannotBeRegistered(t *testing.T) {
	foreign := keystone()
	foreign.Put("User", map[string]any{"name": "placement", "domain_id": "default", "stackwright_owner": "somebody"})
	wrong := keystone()
	wrong.Password = "other"
	for name, c := range map[string]struct {
		cloud *fake.Cloud
		given []client.Object
		says  string
	}{
		"no password":   {keystone(), nil, "reading the password in Secret inventory-user"},
		"another owner": {foreign, []client.Object{secret("inventory-user", "password", "x")}, "belongs to another object"},
		"refused":       {wrong, []client.Object{secret("inventory-user", "password", "x")}, "Cloud identity: "},
	} {
		t.Run(name, func(t *testing.T) {
			given := append(c.given, clouds(keystone()))
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			err := register.Run(ctx, cluster(given...), []byte(inventory), register.Options{Transport: c.cloud, Out: io.Discard})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error is %v, want one with %q", err, c.says)
			}
		})
	}
}

// All that a definition makes for Keystone is registered: of Heat a domain, roles, and a second user and API.
func TestWhatOnlyOneServiceHas(t *testing.T) {
	cloud := keystone()
	cloud.Put("Role", map[string]any{"id": "admin", "name": "admin"})
	const stacks = `{"apiVersion": "service.stackwright.dev/v1alpha1", "kind": "Heat",
 "metadata": {"name": "stacks", "namespace": "cloud"}, "spec": {"image": "images.test/heat:1", "domain": "stacks",
 "release": "epoxy", "database": {"galera": "db"}, "rabbitmq": "bus", "expose": {"hostname": "stacks.example.org"},
 "cfn": {"expose": {"hostname": "stacks.example.org"}}, "identity": {"keystone": "identity"}}}`
	c := cluster(clouds(cloud), secret("stacks-user", "password", "first"),
		secret("stacks-domain-admin", "password", "first"))
	for _, what := range []string{"once", "twice"} {
		if _, err := run(t, c, cloud, stacks); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for kind, want := range map[string]int{"Project": 1, "User": 2, "RoleAssignment": 2, "Service": 2, "Endpoint": 4,
			"Domain": 1, "Role": 4} {
			if got := len(cloud.All(kind)); got != want {
				t.Errorf("%s: there are %d of kind %s, want %d: %v", what, got, kind, want, cloud.All(kind))
			}
		}
	}
}
