package ovnchassis_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	wire "stackwright.dev/stackwright/internal/agent/ovsdb"
	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/infra/member/fake"
	"stackwright.dev/stackwright/internal/infra/ovnchassis"
)

const (
	set     = "OVNChassis/cloud/computes"
	daemons = "DaemonSet/cloud/computes-ovn-chassis"
	// behaviour is the DaemonSet's own name in the scenario.
	behaviour = "DaemonSet/computes-ovn-chassis"
)

// southbound is the database as the agents of its members show it.
type southbound struct {
	*fake.Members
	mu   sync.Mutex
	rows map[string]wire.Chassis
}

func newSouthbound() *southbound {
	s := &southbound{rows: map[string]wire.Chassis{"other": {Name: "other", Set: "gateways"}}}
	s.Members = fake.New(s.answer)
	return s
}

func (s *southbound) answer(what string, body []byte) (any, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch what {
	case "GET /v1/chassis":
		return slices.Collect(maps.Values(s.rows)), true
	case "DELETE /v1/chassis":
		delete(s.rows, fake.Decode[wire.Chassis](body).Name)
		return struct{}{}, true
	}
	return nil, false
}

func (s *southbound) register(c ...wire.Chassis) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range c {
		s.rows[c.Name] = c
	}
}

func (s *southbound) drop(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.rows, name)
}

func (s *southbound) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.rows))
}

func scenario(t *testing.T) kittest.Scenario {
	t.Helper()
	s := infratest.Scenario(t, func(outside http.RoundTripper) kit.Definition[*infrav1.OVNChassis] {
		return ovnchassis.Definition(fake.Dial(outside))
	}, "ovnchassis", "ovns")
	s.Outside = func() http.RoundTripper { return newSouthbound() }
	s.Children = map[string]kittest.Behaviour{"DaemonSet": asNodes}
	return s
}

// asNodes registers the node that the pod runs on, unless it is there already: a play may look at a DaemonSet again at
// any time, also between two lines of a test that says what the record is.
func asNodes(p *kittest.Play, u *unstructured.Unstructured) map[string]any {
	if !slices.Contains(database(p).names(), "node-1") {
		owner := strings.TrimSuffix(u.GetName(), "-ovn-chassis")
		database(p).register(wire.Chassis{Name: "node-1", Set: owner, Datapath: "system", Address: "192.0.2.1"})
	}
	return kittest.Ready(p, u)
}

func database(p *kittest.Play) *southbound { return infratest.Outside[*southbound](p) }

func TestGolden(t *testing.T)   { kittest.New(t, scenario(t)).Golden(t, "testdata/minimal.yaml") }
func TestLongName(t *testing.T) { infratest.LongName(t, scenario(t), set) }
func TestBudget(t *testing.T)   { kittest.New(t, scenario(t)).Budget(t, 0, 0) }
func TestCrash(t *testing.T)    { kittest.New(t, scenario(t)).Crash(t, nil) }
func TestDelete(t *testing.T)   { kittest.New(t, scenario(t)).Delete(t, nil) }

func TestStatusTellsOfNodes(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		got, _, _ := unstructured.NestedSlice(p.Object(set).Object, "status", "nodes")
		want := []any{map[string]any{"name": "node-1", "datapath": "Kernel", "tunnelAddress": "192.0.2.1"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("status.nodes (-want +got):\n%s", diff)
		}
		for field, want := range map[string]int64{"desiredNodes": 1, "readyNodes": 1} {
			if n, _, _ := unstructured.NestedInt64(p.Object(set).Object, "status", field); n != want {
				t.Errorf("status.%s is %d, want %d", field, n, want)
			}
		}
	})
}

// command is that of a container of the pods.
func command(p *kittest.Play, name string) []string {
	p.T.Helper()
	containers, _, _ := unstructured.NestedSlice(p.Object(daemons).Object, "spec", "template", "spec", "containers")
	for _, c := range containers {
		m, _ := c.(map[string]any)
		if m["name"] == name {
			out, _, _ := unstructured.NestedStringSlice(m, "command")
			return out
		}
	}
	p.T.Fatalf("no container is called %s", name)
	return nil
}

func TestGateway(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Change(set, "spec.gateway", true)
		p.Change(set, "spec.datapath", "Userspace")
		p.Change(set, "spec.tunnel", map[string]any{"interface": "eth1"})
		p.Change(set, "spec.bridgeMappings", []any{
			map[string]any{"physicalNetwork": "public", "address": "203.0.113.1/24"},
			map[string]any{"physicalNetwork": "dc", "bridge": "br-ex", "interface": "eth2"}})
		p.Settle()
		p.Ready()
		want := []string{"--datapath=Userspace", "--tunnel=eth1", "--gateway",
			"--mapping=public:br-public::203.0.113.1/24", "--mapping=dc:br-ex:eth2:"}
		got := command(p, "switch")
		if diff := cmp.Diff(want, got[len(got)-len(want):]); diff != "" {
			t.Errorf("the command ends in other flags (-want +got):\n%s", diff)
		}
	})
}

// What is asked of Open vSwitch and ovn-controller is told to the agent, which takes it back when it is asked for no
// more.
func TestOptions(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		before := command(p, "switch")
		p.Change(set, "spec.config", map[string]any{
			"other_config": map[string]any{"max-idle": int64(30000), "hw-offload": true},
			"external_ids": map[string]any{"ovn-monitor-all": "false", "ovn-remote-probe-interval": "0"}})
		p.Settle()
		p.Ready()
		want := append(slices.Clone(before), "--external-id=ovn-monitor-all=false",
			"--external-id=ovn-remote-probe-interval=0", "--other-config=hw-offload=true", "--other-config=max-idle=30000")
		if diff := cmp.Diff(want, command(p, "switch")); diff != "" {
			t.Errorf("the command is another one (-want +got):\n%s", diff)
		}
		p.Change(set, "spec.config", nil)
		p.Settle()
		p.Ready()
		if diff := cmp.Diff(before, command(p, "switch")); diff != "" {
			t.Errorf("with nothing asked for the command is another one (-want +got):\n%s", diff)
		}
	})
}

// Options that the programs do not know, and those that the object says elsewhere, change no pod.
func TestOptionsThatAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		column, key string
		value       any
		says        string
	}{
		"unknown": {"other_config", "max-idel", int64(1), "spec.config: ovn-chassis of release 25.03 has no option " +
			"max-idel in section [other_config]; did you mean max-idle?"},
		"a dash":  {"other_config", "max_idle", int64(1000), "did you mean max-idle?"},
		"column":  {"external_id", "ovn-encap-tos", "1", "has no section [external_id]; did you mean [external_ids]?"},
		"another": {"other_config", "ovn-encap-tos", "1", "move it to [external_ids]"},
		"limit": {"other_config", "max-idle", int64(499), "[other_config] max-idle must be an integer of at least 500, " +
			`not "499"`},
		"word":   {"external_ids", "ovn-monitor-all", "yes", "[external_ids] ovn-monitor-all must be one of true, false"},
		"choice": {"other_config", "tc-policy", "skip-hw", "(did you mean skip_hw?)"},
		"list":   {"other_config", "pmd-cpu-mask", []any{"1", "2"}, "takes one value; write no list"},
		"remote": {"external_ids", "ovn-remote", "tcp:10.0.0.1:6642", "[external_ids] ovn-remote is not set here: ovn says " +
			"whose chassis the nodes are; take it out"},
		"tunnels":  {"external_ids", "ovn-encap-ip", "10.0.0.1", "tunnel.interface says which NIC of each node has it; take"},
		"datapath": {"other_config", "userspace-tso-enable", true, "datapath says which one the nodes have"},
		"DPDK":     {"other_config", "dpdk-init", true, "Open vSwitch of the image has no DPDK; take it out"},
		"waits":    {"other_config", "flow-restore-wait", true, "nodes would forward nothing until somebody takes it back"},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
				p.Ready()
				before := command(p, "switch")
				p.Change(set, "spec.config", map[string]any{test.column: map[string]any{test.key: test.value}})
				p.Settle()
				for _, condition := range []string{"ConfigReady", "Ready"} {
					c := p.Condition(set, condition)
					if c.Status != "False" || c.Reason != "InvalidConfig" || !strings.Contains(c.Message, test.says) {
						t.Errorf("%s is %s, %s: %q; want %q", condition, c.Status, c.Reason, c.Message, test.says)
					}
				}
				if diff := cmp.Diff(before, command(p, "switch")); diff != "" {
					t.Errorf("the pods change (-before +after):\n%s", diff)
				}
			})
		})
	}
}

// The record of a node that is no longer a chassis goes when its pod has ended, which would make it again; those of
// other sets stay.
func TestNodeLeaves(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		database(p).register(wire.Chassis{Name: "node-2", Set: "computes", Datapath: "system"})
		p.Change("Node/node-2", "metadata.labels.network", "ovn")
		p.Settle()
		p.Ready()
		p.Behave(behaviour, kittest.With(asNodes, map[string]any{"numberMisscheduled": int64(1)}))
		p.Settle()
		p.Change("Node/node-2", "metadata.labels.network", "none")
		p.Settle()
		if c := p.Condition(set, "ChassisReady"); !strings.Contains(c.Message, "pod of node-2") {
			t.Errorf("ChassisReady is %s: %s; want it to wait for the pod of node-2", c.Reason, c.Message)
		}
		if want := []string{"node-1", "node-2", "other"}; !slices.Equal(database(p).names(), want) {
			t.Errorf("records are %v while the pod runs, want %v", database(p).names(), want)
		}
		p.Behave(behaviour, asNodes)
		p.Settle()
		p.Ready()
		if want := []string{"node-1", "other"}; !slices.Equal(database(p).names(), want) {
			t.Errorf("records are %v, want %v", database(p).names(), want)
		}
	})
}

// The last node's record goes, too, although the set has no node to wait for any more.
func TestLastNodeLeaves(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Behave(behaviour, func(_ *kittest.Play, u *unstructured.Unstructured) map[string]any {
			return map[string]any{"numberReady": int64(0), "observedGeneration": u.GetGeneration()}
		})
		p.Change("Node/node-1", "metadata.labels.network", "none")
		p.Settle()
		if c := p.Condition(set, "NodesReady"); c.Reason != "NoNodes" {
			t.Errorf("NodesReady is %s: %s", c.Reason, c.Message)
		}
		if want := []string{"other"}; !slices.Equal(database(p).names(), want) {
			t.Errorf("records are %v, want %v", database(p).names(), want)
		}
	})
}

func TestNodeThatIsNotRegisteredIsNamed(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Change("Node/node-2", "metadata.labels.network", "ovn")
		p.Settle()
		c := p.Condition(set, "ChassisReady")
		if c.Reason != "NotRegistered" || !strings.Contains(c.Message, "does not know node-2 yet") {
			t.Errorf("ChassisReady is %s: %s", c.Reason, c.Message)
		}
		database(p).register(wire.Chassis{Name: "node-2", Set: "computes", Datapath: "system"})
		p.Settle()
		p.Ready()
	})
}

// What only a look at other objects can tell is refused by a condition. A node that is taken is for a set of any
// namespace.
func TestRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		change                  func(p *kittest.Play)
		condition, reason, says string
	}{
		"namespace": {func(p *kittest.Play) {
			p.Change("Namespace/cloud", "metadata.labels", map[string]any{"pod-security.kubernetes.io/enforce": "restricted"})
		}, "NamespaceReady", "PodSecurity", "kubectl label namespace cloud pod-security.kubernetes.io/enforce=privileged"},
		"no level": {func(p *kittest.Play) { p.Change("Namespace/cloud", "metadata.labels", nil) },
			"NamespaceReady", "PodSecurity", "Namespace cloud has Pod Security level none, and pods that work on a node's"},
		"no nodes": {func(p *kittest.Play) {
			p.Change(set, "spec.nodeSelector", map[string]any{"role": "gateway", "zone": "a"})
		}, "NodesReady", "NoNodes", "kubectl label node NAME role=gateway zone=a"},
		"taint": {func(p *kittest.Play) {
			p.Change("Node/node-1", "spec.taints", []any{map[string]any{"key": "gpu", "effect": "NoSchedule"}})
		}, "NodesReady", "NodesTainted", "The taint gpu:NoSchedule keeps agents off node-1; add a toleration of it to " +
			"spec.tolerations, or run kubectl taint node NAME gpu:NoSchedule- for each."},
		"cloud": {func(p *kittest.Play) { p.Create(later("cloud")) },
			"NodesFree", "NodesTaken", "OVNChassis cloud/computes has node-1 already"},
		"second": {func(p *kittest.Play) {
			p.Create(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace",
				"metadata": map[string]any{"name": "second"}}})
			p.Create(later("second"))
		}, "NodesFree", "NodesTaken", "OVNChassis cloud/computes has node-1 already"},
		"tunnels in userspace": {func(p *kittest.Play) {
			p.Change("Node/node-2", "metadata.labels.network", "ovn")
			for _, n := range []string{"node-1", "node-2"} {
				database(p).register(wire.Chassis{Name: n, Set: "computes", Datapath: "netdev"})
			}
		}, "ChassisReady", "NoTunnelInterface", "Nodes node-1, node-2 have their datapath in userspace"},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
				p.Ready()
				test.change(p)
				p.Settle()
				of := set
				if test.condition == "NodesFree" {
					of = "OVNChassis/" + name + "/later"
				}
				c := p.Condition(of, test.condition)
				if c.Status != "False" || c.Reason != test.reason || !strings.Contains(c.Message, test.says) {
					t.Errorf("%s is %s, %s: %q; want %s: %q", test.condition, c.Status, c.Reason, c.Message, test.reason, test.says)
				}
			})
		})
	}
}

// Tunnels go to the nodes of all sets of an OVN. A set with one node learns that another one has its first, and that it
// has none any more, and asks nobody in between.
func TestTunnelsToOtherSets(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		is := func(reason, says string) {
			t.Helper()
			p.Settle()
			if c := p.Condition(set, "ChassisReady"); c.Reason != reason || !strings.Contains(c.Message, says) {
				t.Errorf("ChassisReady is %s: %s; want %s: %s", c.Reason, c.Message, reason, says)
			}
		}
		database(p).drop("other")
		database(p).register(wire.Chassis{Name: "node-1", Set: "computes", Datapath: "netdev"})
		is("Ready", "")
		p.Create(of("gateways", "cloud", "edge"))
		is("Ready", "")
		database(p).register(wire.Chassis{Name: "node-2", Set: "gateways", Datapath: "system"})
		p.Change("Node/node-2", "metadata.labels.network", "edge")
		is("NoTunnelInterface", "Nodes node-1 have their datapath in userspace")
		p.Remove("OVNChassis/cloud/gateways")
		is("Ready", "")
	})
}

// A node that a set names is kept by it, whatever older set comes to select it.
func TestANodeThatIsNamedIsKept(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Pass(time.Second)
		other := later("cloud")
		if err := unstructured.SetNestedStringMap(other.Object, map[string]string{"network": "none"}, "spec",
			"nodeSelector"); err != nil {
			t.Fatal(err)
		}
		if err := unstructured.SetNestedStringSlice(other.Object, []string{"node-2"}, "spec", "nodes"); err != nil {
			t.Fatal(err)
		}
		p.Create(other)
		p.Change("Node/node-2", "metadata.labels.network", "ovn")
		p.Settle()
		if c := p.Condition(set, "NodesFree"); c.Reason != "NodesTaken" ||
			!strings.Contains(c.Message, "OVNChassis cloud/later has node-2 already") {
			t.Errorf("NodesFree of the older set is %s: %s", c.Reason, c.Message)
		}
		if c := p.Condition("OVNChassis/cloud/later", "NodesFree"); c.Status != "True" {
			t.Errorf("NodesFree of the set that names the node is %s: %s", c.Reason, c.Message)
		}
	})
}

// later is a set that wants the nodes of the first.
func later(namespace string) *unstructured.Unstructured { return of("later", namespace, "ovn") }

// of is a set of nodes with a label.
func of(name, namespace, label string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "infra.stackwright.dev/v1alpha1", "kind": "OVNChassis",
		"metadata": map[string]any{"name": name, "namespace": namespace},
		"spec": map[string]any{"ovn": "ovn", "image": "images.test/ovn-chassis:1",
			"nodeSelector": map[string]any{"network": label}},
	}}
}

func TestDeletionRemovesRecords(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Remove(set)
		p.Settle()
		if p.Object(set) != nil {
			t.Error("the OVNChassis is still there")
		}
		if want := []string{"other"}; !slices.Equal(database(p).names(), want) {
			t.Errorf("records are %v, want %v", database(p).names(), want)
		}
	})
}

// Without its database there is no record left to remove, and a deletion must not wait for it.
func TestDeletionAfterTheOVN(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Remove("OVN/cloud/ovn")
		database(p).Silence(true, "ovn-sb-0", "ovn-sb-1", "ovn-sb-2")
		p.Remove(set)
		p.Settle()
		if p.Object(set) != nil {
			t.Error("the OVNChassis is still there")
		}
	})
}

// A node that is named stays a chassis without the labels, with its pod and its record. The pods of others go on as
// they are. When it is named no more its record goes, also when the pod makes it once more before it ends.
func TestNodesByName(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		second := wire.Chassis{Name: "node-2", Set: "computes", Datapath: "system"}
		database(p).register(second)
		p.Change("Node/node-2", "metadata.labels.network", "ovn")
		p.Settle()
		p.Ready()
		before := p.Object(daemons).Object["spec"]
		p.Change(set, "spec.nodes", []any{"node-2", "node-9"})
		p.Settle()
		if got := named(p); len(got) > 0 {
			t.Errorf("nodes with the labels have pods by name, too: %v", got)
		}
		p.Change("Node/node-2", "metadata.labels.network", "none")
		p.Settle()
		p.Ready()
		if want := []string{"node-1", "node-2", "other"}; !slices.Equal(database(p).names(), want) {
			t.Errorf("records are %v, want %v", database(p).names(), want)
		}
		want := []any{map[string]any{"matchFields": []any{map[string]any{"key": "metadata.name", "operator": "In",
			"values": []any{"node-2"}}}}}
		if diff := cmp.Diff(want, named(p)); diff != "" {
			t.Errorf("the pods by name select (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(before, p.Object(daemons).Object["spec"]); diff != "" {
			t.Errorf("the pods of others are made anew (-before +after):\n%s", diff)
		}
		p.Change(set, "spec.nodes", nil)
		p.Pass(5 * time.Second)
		database(p).register(second)
		p.Pass(time.Minute)
		p.Ready()
		if got := database(p).names(); !slices.Equal(got, []string{"node-1", "other"}) || len(named(p)) > 0 {
			t.Errorf("records are %v, and pods by name select %v", got, named(p))
		}
	})
}

// named are the terms by which pods are on nodes without the labels.
func named(p *kittest.Play) []any {
	p.T.Helper()
	var out []any
	for _, o := range p.Objects() {
		if o.GetKind() == "DaemonSet" {
			terms, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "affinity", "nodeAffinity",
				"requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
			out = append(out, terms...)
		}
	}
	return out
}
