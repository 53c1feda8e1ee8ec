package intake

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// described returns a kind that is described, whether it is served or not.
func described(t *testing.T, name string) *d.Kind {
	t.Helper()
	for _, k := range kinds.All() {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("there is no kind %s", name)
	return nil
}

// readings are what an API shows, and what is declared of it.
var readings = map[string]struct {
	kind, seen     string
	want           string
	unfit, missing []string
}{
	"empty values and what nobody declares": {kind: "Project",
		seen: `{id: a, name: shop, description: "", tags: [], enabled: false, is_domain: false, domain_id: default}`,
		want: `{name: shop, enabled: false, domainRef: Domain default}`},
	"secrets are not shown": {kind: "User", seen: `{name: a, password: leaked, enabled: true}`,
		want: `{name: a, enabled: true}`},
	"a secret that is needed": {kind: "EC2Credential", seen: `{user_id: u, project_id: p, blob: leaked}`,
		want: `{userRef: User u, projectRef: Project p}`, missing: []string{"keysRef"}},
	"a word for a value, deep inside": {kind: "RoleAssignment",
		seen: `{role: {id: r}, user: {id: u}, scope: {system: {all: true}}}`,
		want: `{roleRef: Role r, userRef: User u, system: system}`},
	"a word for null": {kind: "Subnet",
		seen: `{network_id: net, ip_version: 4, cidr: 192.0.2.0/24, gateway_ip: null}`,
		want: `{networkRef: Network net, ipVersion: 4, cidr: 192.0.2.0/24, gatewayIP: none}`},
	"one of what excludes each other": {kind: "Subnet",
		seen: `{network_id: net, ip_version: 6, cidr: "2001:db8::/64", subnetpool_id: p, gateway_ip: "2001:db8::1"}`,
		want: `{networkRef: Network net, ipVersion: 6, cidr: "2001:db8::/64", gatewayIP: "2001:db8::1"}`},
	"none of what one is needed of": {kind: "Subnet", seen: `{network_id: net, ip_version: 4}`,
		want: `{networkRef: Network net, ipVersion: 4}`, missing: []string{"one of cidr, subnetPoolRef"}},
	"objects in lists, and a list of references": {kind: "Port",
		seen: `{network_id: net, status: ACTIVE, fixed_ips: [{subnet_id: s, ip_address: 192.0.2.1}],
                security_groups: [g, h], port_security_enabled: true}`,
		want: `{networkRef: Network net, addresses: [{subnetRef: Subnet s, ip: 192.0.2.1}],
                securityGroupRefs: [SecurityGroup g, SecurityGroup h], portSecurity: Enabled}`},
	"a kind that another field tells": {kind: "RBACPolicy",
		seen: `{object_type: qos_policy, object_id: q, action: access_as_shared, target_tenant: "*"}`,
		want: `{objectType: qos_policy, objectRef: QoSPolicy q, action: access_as_shared, targetProjectRef: Project *}`},
	"numbers in words": {kind: "ComputeQuota", seen: `{project_id: p, cores: "20", ram: -1, instances: 1.5}`,
		want: `{projectRef: Project p, cores: 20, ram: -1}`, unfit: []string{"instances is no whole number"}},
	"a state is no wish": {kind: "Server", seen: `{name: a, status: ACTIVE, flavor: {id: f}, metadata: {a: b}}`,
		want: `{name: a, flavorRef: Flavor f, metadata: {a: b}}`},
	"what a definition does not allow": {kind: "Endpoint",
		seen: `{service_id: s, interface: secret, url: nonsense, description: "` + strings.Repeat("x", 1025) + `"}`,
		want: `{serviceRef: Service s}`, missing: []string{"interface", "url"},
		unfit: []string{"interface is none of admin, internal, public", "url does not match ^[a-zA-Z0-9+.-]+:.+",
			"description is longer than 1024 characters"}},
}

func TestReadResource(t *testing.T) {
	for name, c := range readings {
		t.Run(name, func(t *testing.T) {
			var seen, want map[string]any
			for text, into := range map[string]*map[string]any{c.seen: &seen, c.want: &want} {
				if err := yaml.Unmarshal([]byte(text), into); err != nil {
					t.Fatal(err)
				}
			}
			got := readResource(described(t, c.kind), seen)
			if diff := cmp.Diff(want, plainly(t, got.resource)); diff != "" {
				t.Errorf("spec.resource (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.unfit, got.unfit); diff != "" {
				t.Errorf("unfit (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.missing, got.missing); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

// plainly writes pointers as kind and id, and numbers as JSON has them.
func plainly(t *testing.T, v any) map[string]any {
	t.Helper()
	var walk func(v any) any
	walk = func(v any) any {
		switch x := v.(type) {
		case pointer:
			return x.kind + " " + x.value
		case map[string]any:
			out := map[string]any{}
			for key, inner := range x {
				out[key] = walk(inner)
			}
			return out
		case []any:
			var out []any
			for _, inner := range x {
				out = append(out, walk(inner))
			}
			return out
		}
		return v
	}
	raw, err := json.Marshal(walk(v))
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
