package buildingblock_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

// second makes a block like rack-a of the nodes with a label, in a namespace.
func second(p *kittest.Play, namespace, name string, selector map[string]string) string {
	p.T.Helper()
	u := p.Object(rack).DeepCopy()
	u.SetNamespace(namespace)
	u.SetName(name)
	u.SetResourceVersion("")
	u.SetUID("")
	servicetest.Must(p.T, unstructured.SetNestedStringMap(u.Object, selector, "spec", "hosts", "nodeSelector"))
	p.Create(u)
	return "BuildingBlock/" + namespace + "/" + name
}

// taken wants a block to be refused for a node that rack-a has, with what is to be done.
func taken(p *kittest.Play, block, want string) {
	p.T.Helper()
	c := p.Condition(block, "NodesReady")
	if c.Reason != "NodesTaken" || !strings.Contains(c.Message, "BuildingBlock cloud/rack-a") ||
		!strings.Contains(c.Message, want) {
		p.T.Errorf("NodesReady is %s: %s\nwant NodesTaken: %s", c.Reason, c.Message, want)
	}
}

// A node that leaves a block has its agents until nothing is on it, and no other block starts its own there, of
// whatever namespace. It is the other one's as soon as it has left.
func TestANodeLeavesBeforeAnotherBlockHasIt(t *testing.T) {
	for _, namespace := range []string{"cloud", "second"} {
		t.Run(namespace, func(t *testing.T) {
			s := scenario(t, "libvirt", "spec: {"+row+"}")
			s.Children["Hypervisor"] = hosting("True", "Ready", "", "")
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Ready()
				hold(p, hostTwo)
				p.Behave("Hypervisor/node-2", occupied("node-2"))
				p.Change("Node/node-2", "metadata.labels", map[string]any{"example.org/rack": "b"})
				p.Settle()
				if namespace != "cloud" {
					p.Create(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace",
						"metadata": map[string]any{"name": namespace, "labels": map[string]any{
							"pod-security.kubernetes.io/enforce": "privileged"}}}})
				}
				other := second(p, namespace, "rack-b", map[string]string{"example.org/rack": "b"})
				p.Settle()
				taken(p, other, "still has the Hypervisor of node-2, and a node leaves one block before")
				if p.Object("DaemonSet/"+namespace+"/rack-b-libvirt") != nil {
					t.Error("libvirt of another block was started on a node with servers")
				}
				p.Behave("Hypervisor/node-2", hosting("False", "Leaving", "", "Vacant"))
				p.Settle()
				taken(p, other, "still has the Hypervisor of node-2")
				letGo(p, hostTwo)
				p.Settle()
				if c := p.Condition(other, "NodesReady"); c.Status != metav1.ConditionTrue {
					t.Errorf("the node has left, and NodesReady is %s: %s", c.Reason, c.Message)
				}
			})
		})
	}
}

// Who has a node keeps it, also when an older block comes to select it.
func TestAnOlderBlockComesToSelectANode(t *testing.T) {
	kittest.New(t, scenario(t, "libvirt", "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Pass(time.Second)
		younger := second(p, "cloud", "rack-b", map[string]string{"example.org/rack": "b"})
		p.Settle()
		p.Change(rack, "spec.hosts.nodeSelector", map[string]any{"example.org/row": "one"})
		p.Settle()
		c := p.Condition(rack, "NodesReady")
		if c.Reason != "NodesTaken" || !strings.Contains(c.Message, "BuildingBlock cloud/rack-b has node-2 already") {
			t.Errorf("NodesReady of the older block is %s: %s", c.Reason, c.Message)
		}
		if c := p.Condition(younger, "Ready"); c.Status != metav1.ConditionTrue {
			t.Errorf("the block that has the node is %s: %s", c.Reason, c.Message)
		}
	})
}

// Agents of two blocks never come to one node at the same time, also where nobody is asked before: each keeps apart
// from those of other blocks in all namespaces that take agents, and not from its own.
func TestAgentsKeepApart(t *testing.T) {
	kittest.New(t, scenario(t, "libvirt", "spec: {ovn: network}")).Run(t, func(p *kittest.Play) {
		p.Ready()
		for _, set := range agents {
			pod, _, _ := unstructured.NestedMap(p.Object("DaemonSet/cloud/"+set).Object, "spec", "template")
			mark, _, _ := unstructured.NestedString(pod, "metadata", "labels", "nodes.stackwright.dev/takes")
			terms, _, _ := unstructured.NestedSlice(pod, "spec", "affinity", "podAntiAffinity",
				"requiredDuringSchedulingIgnoredDuringExecution")
			if mark != "buildingblock" || len(terms) != 1 {
				t.Errorf("pods of %s are marked %q and keep apart from %v", set, mark, terms)
			}
		}
	})
}

// Hosts that are nobody's nodes are pods as any other, which every namespace takes.
func TestFakeHostsNeedNoInvitation(t *testing.T) {
	s := scenario(t, "fake", "")
	s.Files[0] = world(t, "''")
	kittest.New(t, s).Ready(t)
}

// A node that has the labels and a taint that agents do not tolerate has no agents: the block says which taint it is.
// Taints of Kubernetes's own do not keep them off, and wishes keep nobody off.
func TestTaintsAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		taint, tolerated map[string]any
		told             string
	}{
		"a taint": {map[string]any{"key": "gpu", "value": "yes", "effect": "NoSchedule"}, nil, "gpu=yes:NoSchedule"},
		"one that evicts": {map[string]any{"key": "gpu", "effect": "NoExecute"},
			map[string]any{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}, "gpu:NoExecute"},
		"tolerated": {map[string]any{"key": "gpu", "value": "yes", "effect": "NoSchedule"},
			map[string]any{"key": "gpu", "value": "yes"}, ""},
		"a wish":             {map[string]any{"key": "gpu", "effect": "PreferNoSchedule"}, nil, ""},
		"a node that drains": {map[string]any{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario(t, "libvirt", "")).Run(t, func(p *kittest.Play) {
				p.Ready()
				if c.tolerated != nil {
					p.Change(rack, "spec.hosts.tolerations", []any{c.tolerated})
				}
				p.Change("Node/node-1", "spec.taints", []any{c.taint})
				p.Settle()
				got := p.Condition(rack, "Ready")
				if told := got.Reason == "NodesTainted"; told != (c.told != "") || told && !strings.Contains(got.Message,
					"The taint "+c.told+" keeps agents off node-1; add a toleration of it to spec.hosts.tolerations, or run") {
					t.Errorf("Ready is %s: %s", got.Reason, got.Message)
				}
				p.Change("Node/node-1", "spec.taints", nil)
				p.Settle()
				p.Ready()
			})
		})
	}
}
