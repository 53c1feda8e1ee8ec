package neutron_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/servicetest"
	"stackwright.dev/stackwright/internal/services/neutron"
)

func kind() servicetest.Kind {
	return servicetest.Kind{
		Object: "Neutron/cloud/neutron", Service: "neutron", Option: "ovn.dhcp_default_lease_time", Value: "3600",
		Controllers: func(cluster service.Cluster) (kit.Controller, error) {
			return kit.New(neutron.Definition(cluster), operator.Scheme())
		},
		Workers:     []string{"rpc", "periodic", "maintenance"},
		Definitions: []string{"infra.stackwright.dev_ovns", "infra.stackwright.dev_ovnchassis"},
	}
}

func TestPromises(t *testing.T) { kind().Promises(t) }
func TestLongName(t *testing.T) { infratest.LongName(t, kind().Scenario(t, ""), kind().Object) }

func TestFiles(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		config := servicetest.Secret(p, "neutron-config")
		password := servicetest.Secret(p, "neutron-user")["password"]
		kittest.Golden(t, "testdata/neutron.conf", strings.ReplaceAll(config["neutron.conf"], password, "HIDDEN"))
		kittest.Golden(t, "testdata/uwsgi.ini", config["uwsgi.ini"])
	})
}

// Workers of the API leave one that has died out of what they share soon, also where a pod has one: that is said before
// anything of Neutron is imported, which keeps the numbers as it finds them.
func TestWorkersSoonKnowWhoHasDied(t *testing.T) {
	for workers, next := range map[string]string{"1": "master = true", "3": "shared-import = neutron.cmd.server"} {
		t.Run(workers, func(t *testing.T) {
			kittest.New(t, kind().Scenario(t, "spec: {workers: "+workers+"}")).Run(t, func(p *kittest.Play) {
				p.Ready()
				config := servicetest.Secret(p, "neutron-config")
				for file, want := range map[string]string{
					"uwsgi.ini": "\nshared-import = stackwright_tls\nshared-import = stackwright_ring\n" + next + "\n",
					// By default it is how many processors the node has.
					"neutron.conf":        "\napi_workers = " + workers + "\n",
					"stackwright_ring.py": "HASH_RING_NODES_TIMEOUT",
				} {
					if !strings.Contains(config[file], want) {
						t.Errorf("%s lacks\n%s\nit is\n%s", file, want, config[file])
					}
				}
			})
		})
	}
}

// Each variant is a patch of the smallest Neutron, and in testdata the lines in which its objects differ.
func TestVariants(t *testing.T) {
	kind().Variants(t, map[string]string{
		"workers": "spec: {rpc: {replicas: 3, resources: {requests: {memory: 1Gi}}}, periodic: {replicas: 0}}",
		"plain":   "spec: {tls: {disabled: true}}",
		"other":   "spec: {ovn: other}",
	})
}

// What a person says about networks is in the configuration.
func TestNetworksAreConfigured(t *testing.T) {
	patch := `spec:
  mtu: 9000
  dnsDomain: cloud.example.org
  notifications: true
  ovn: other
  physicalNetworks: [{name: public}, {name: rack, mtu: 1500, vlans: ["100:199", "300:300"]}]`
	s := kind().Scenario(t, patch)
	s.Files = append(s.Files, "testdata/given.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		conf := servicetest.Secret(p, "neutron-config")["neutron.conf"]
		for _, want := range []string{
			"flat_networks = public,rack\n", "network_vlan_ranges = public,rack:100:199,rack:300:300\n",
			"physical_network_mtus = rack:1500\n", "path_mtu = 9000\n", "global_physnet_mtu = 9000\n",
			"dns_domain = cloud.example.org.\n", "driver = messagingv2\n",
			"ovn_nb_connection = ssl:other-nb-0:6641,ssl:other-nb-1:6641,ssl:other-nb-2:6641\n",
		} {
			if !strings.Contains(conf, want) {
				t.Errorf("the configuration lacks\n%s\nit is\n%s", want, conf)
			}
		}
	})
}

// Guests are told of the DNS servers that somebody names, and never of those of the pod: of a family without one, of
// none.
func TestGuestsAreToldOfDNSServers(t *testing.T) {
	for servers, want := range map[string]string{
		"[]":                            "0.0.0.0,::",
		"[198.51.100.53]":               "198.51.100.53,::",
		"['2001:db8::53']":              "2001:db8::53,0.0.0.0",
		"[198.51.100.53, 2001:db8::53]": "198.51.100.53,2001:db8::53",
	} {
		t.Run(servers, func(t *testing.T) {
			s := kind().Scenario(t, "spec: {dnsServers: "+servers+"}")
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Ready()
				conf := servicetest.Secret(p, "neutron-config")["neutron.conf"]
				if line := "dns_servers = " + want + "\n"; !strings.Contains(conf, line) {
					t.Errorf("the configuration lacks %q:\n%s", line, conf)
				}
			})
		})
	}
}

// A physical network that no node is connected to is told of, and keeps nobody from being ready: nodes may come last.
func TestPhysicalNetworksWithoutNodes(t *testing.T) {
	s := kind().Scenario(t, "spec: {physicalNetworks: [{name: public}, {name: rack}]}")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		wants := func(status metav1.ConditionStatus, text string) {
			t.Helper()
			c := p.Condition(kind().Object, "PhysicalNetworksConnected")
			if c.Status != status || !strings.Contains(c.Message, text) {
				t.Errorf("the condition is %s: %s; want %s: %s", c.Status, c.Message, status, text)
			}
		}
		wants(metav1.ConditionFalse, "physical network public, rack,")
		p.Create(chassis("other", "another", "rack"))
		p.Create(chassis("computes", "ovn", "public"))
		p.Settle()
		wants(metav1.ConditionFalse, "physical network rack,")
		p.Change("OVNChassis/cloud/computes", "spec.bridgeMappings", []any{
			map[string]any{"physicalNetwork": "public"}, map[string]any{"physicalNetwork": "rack"}})
		p.Settle()
		wants(metav1.ConditionTrue, "")
		p.Ready()
	})
}

// chassis is a group of nodes that are connected to a physical network.
func chassis(name, ovn, network string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "infra.stackwright.dev/v1alpha1", "kind": "OVNChassis",
		"metadata": map[string]any{"namespace": "cloud", "name": name},
		"spec": map[string]any{"ovn": ovn, "image": "ovn", "nodeSelector": map[string]any{"role": name},
			"bridgeMappings": []any{map[string]any{"physicalNetwork": network}}},
	}}
}

// A worker that does not run is said by name, and the rest goes on. What old pods of a worker run stays until they are
// gone, as with the API.
func TestAWorkerThatFailsIsNamed(t *testing.T) {
	s := kind().Scenario(t, "")
	s.Children["Deployment/neutron-rpc"] = kittest.Hold
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Settle()
		for condition, want := range map[string]metav1.ConditionStatus{
			"RPCReady": metav1.ConditionFalse, "MaintenanceReady": metav1.ConditionTrue, "DeploymentReady": metav1.ConditionTrue,
			"CatalogReady": metav1.ConditionTrue, "Ready": metav1.ConditionFalse,
		} {
			if c := p.Condition(kind().Object, condition); c.Status != want {
				t.Errorf("%s is %s, %s: %s; want %s", condition, c.Status, c.Reason, c.Message, want)
			}
		}
		config, _, _ := unstructured.NestedString(p.Object(kind().Object).Object, "status", "config")
		if config != "" {
			t.Errorf("status.config is %s although a worker does not run it", config)
		}
		p.Behave("Deployment/neutron-rpc", kittest.Ready)
		p.Settle()
		p.Ready()
	})
}

// Neutron says what of OVN it waits for, and who makes it.
func TestMissingOVNIsNamed(t *testing.T) {
	empty := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "infra.stackwright.dev/v1alpha1",
		"kind": "OVN", "metadata": map[string]any{"namespace": "cloud", "name": "nowhere"},
		"spec": map[string]any{"image": "ovn"}}}
	for name, c := range map[string]struct {
		patch, want string
		before      func(*kittest.Play)
	}{
		"OVN": {"spec: {ovn: nowhere}", "OVN nowhere does not exist in namespace cloud; create it.",
			func(*kittest.Play) {}},
		"its addresses": {"spec: {ovn: nowhere}",
			"OVN nowhere has no addresses yet; see kubectl -n cloud describe ovn/nowhere",
			func(p *kittest.Play) { p.Create(empty.DeepCopy()) }},
		"its certificate for clients": {"", "Secret ovn-client, by which OVN ovn knows Neutron, is not there yet; its " +
			"operator makes it, see kubectl -n cloud describe ovn/ovn.",
			func(p *kittest.Play) { p.Remove("Secret/cloud/ovn-client") }},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, kind().Scenario(t, c.patch)).Run(t, func(p *kittest.Play) {
				c.before(p)
				p.Settle()
				if got := p.Condition(kind().Object, "ConfigReady"); got.Message != c.want {
					t.Errorf("the condition is %s %s: %s\nwant %s", got.Status, got.Reason, got.Message, c.want)
				}
			})
		})
	}
}
