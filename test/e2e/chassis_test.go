//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// chassis is an OVN with nodes.
type chassis struct {
	*network
	set *infrav1.OVNChassis
}

// newChassis makes nodes with a label of the test's own chassis of an OVN, as change says.
func newChassis(w *story.World, change func(*infrav1.OVNChassisSpec)) *chassis {
	w.Helper()
	c := &chassis{network: newNetwork(w, 1)}
	c.set = &infrav1.OVNChassis{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "nodes"}}
	c.set.Spec = infrav1.OVNChassisSpec{OVN: "ovn", Image: image(w, "ovn-chassis"),
		NodeSelector: map[string]string{"story": w.Namespace}}
	change(&c.set.Spec)
	w.Apply(c.set)
	return c
}

// gateway makes a node the gateway of a provider network that nothing else is connected to.
func gateway(s *infrav1.OVNChassisSpec) {
	s.Gateway = true
	s.BridgeMappings = []infrav1.OVNBridgeMapping{{PhysicalNetwork: "public", Address: "203.0.113.1/24"}}
}

// allow lets the namespace take pods that work on a node's network, and gives nodes the label.
func (c *chassis) allow(nodes ...string) {
	c.Helper()
	label(c.Context(), c.World, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.Namespace}},
		"pod-security.kubernetes.io/enforce", "privileged")
	for _, name := range nodes {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		label(c.Context(), c.World, node, "story", c.Namespace)
		c.Cleanup(func() { label(context.Background(), c.World, node, "story", "") })
	}
	c.World.Ready(3*time.Minute, c.ovn)
	c.Logf("nodes are chassis after %s: %+v", c.World.Ready(time.Minute, c.set), c.set.Status.Nodes)
}

// pod is the one on a node.
func (c *chassis) pod(node string) string {
	c.Helper()
	pods := &corev1.PodList{}
	err := c.List(c.Context(), pods, client.InNamespace(c.Namespace), client.MatchingLabels{
		"app.kubernetes.io/name": "ovn-chassis"})
	if err != nil {
		c.Fatal(err)
	}
	for i := range pods.Items {
		if p := &pods.Items[i]; p.Spec.NodeName == node && p.DeletionTimestamp == nil {
			return p.Name
		}
	}
	c.Fatalf("no pod of %s is on %s", c.set.Name, node)
	return ""
}

// label sets a label of an object; an empty value takes it away.
func label(ctx context.Context, w *story.World, obj client.Object, key, value string) {
	w.Helper()
	text := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, key, value)
	if value == "" {
		text = fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, key)
	}
	if err := w.Patch(ctx, obj, client.RawPatch(types.MergePatchType, []byte(text))); err != nil {
		w.Fatalf("labelling %s: %v", obj.GetName(), err)
	}
}

// says waits until a condition has a reason.
func (c *chassis) says(condition, reason, message string) {
	c.Helper()
	c.Eventually(30*time.Second, condition+" is "+reason, func(ctx context.Context) error {
		if err := c.Get(ctx, c.Key(c.set), c.set); err != nil {
			return err
		}
		for _, have := range c.set.Status.Conditions {
			if have.Type == condition && have.Reason == reason && strings.Contains(have.Message, message) {
				return nil
			}
		}
		return fmt.Errorf("the conditions are %+v", c.set.Status.Conditions)
	})
}

// north gives orders to the northbound database.
func (c *chassis) north(orders ...string) {
	c.Helper()
	if _, err := c.ask(c.Context(), "ovn-nb-0", "ovn-nbctl", orders...); err != nil {
		c.Fatal(err)
	}
}

// plug makes a guest beside a node a logical port of switch inside.
func (c *chassis) plug(node string, g story.Guest) {
	c.Helper()
	c.north("lsp-add", "inside", g.Name, "--", "lsp-set-addresses", g.Name, g.MAC+" "+g.Address)
	_, err := c.Cluster.Kubectl(c.Context(), "-n", c.Namespace, "exec", c.pod(node), "-c", "switch", "--",
		"ovs-vsctl", "--may-exist", "add-port", "br-int", g.Link, "--",
		"set", "Interface", g.Link, "external_ids:iface-id="+g.Name)
	if err != nil {
		c.Fatal(err)
	}
}

// reaches waits until echo requests from a network are answered, all of a second.
func (c *chassis) reaches(network, to string) {
	c.Helper()
	c.Eventually(30*time.Second, network+" reaches "+to, func(ctx context.Context) error {
		ctx, stop := context.WithTimeout(ctx, time.Second)
		defer stop()
		p, err := story.Ping(ctx, network, to)
		if err == nil && p.Answered < p.Sent {
			err = errors.New(p.String())
		}
		return err
	})
}

// streams sends over TCP, whose checksums a guest leaves to its NIC: it must not be lost on the way.
func (c *chassis) streams(from, to story.Guest) {
	c.Helper()
	const bytes = 8 << 20
	ctx, stop := context.WithTimeout(c.Context(), 30*time.Second)
	defer stop()
	took, err := story.Send(ctx, from.Name, to.Name, to.Address, bytes)
	if err != nil {
		c.Errorf("sending from %s to %s: %v", from.Name, to.Name, err)
	}
	c.Logf("%d MiB from %s to %s: %s", bytes>>20, from.Name, to.Name, took.Round(time.Millisecond))
}

// A node becomes a chassis: guests on it reach each other, and the world their floating addresses, also after its pod
// was replaced; the southbound database forgets it when it is one no longer.
func TestOVNChassisForwards(t *testing.T) {
	w := story.Start(t)
	c := newChassis(w, gateway)
	c.says("NamespaceReady", "PodSecurity", "kubectl label namespace "+w.Namespace)
	label(t.Context(), w, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}},
		"pod-security.kubernetes.io/enforce", "")
	c.says("NamespaceReady", "PodSecurity", "has Pod Security level none")
	c.says("NodesReady", "NoNodes", "kubectl label node NAME story="+w.Namespace)
	c.allow("node-1")
	if n := c.set.Status.Nodes; len(n) != 1 || n[0].Name != "node-1" || n[0].Datapath == "" {
		t.Errorf("status.nodes is %+v, want node-1 with its datapath", n)
	}

	one := w.Guest("node-1", "one", "10.9.0.1/24", "10.9.0.254")
	two := w.Guest("node-1", "two", "10.9.0.2/24", "10.9.0.254")
	c.north("ls-add", "inside")
	c.plug("node-1", one)
	c.plug("node-1", two)
	c.reaches(one.Name, two.Address)
	c.streams(one, two)
	c.route(one)
	here := w.Cluster.Network("node-1")
	c.reaches(here, "203.0.113.10")
	c.reaches(here, "203.0.113.20")
	c.reaches(one.Name, "203.0.113.1")

	c.survives("node-1", one, two)
	c.reaches(here, "203.0.113.20")
	c.leave("node-1")
}

// Guests on two nodes reach each other by a tunnel, which has a NIC of its own, also after a pod was replaced.
func TestOVNChassisTunnels(t *testing.T) {
	story.Slow(t)
	file, err := filepath.Abs("testdata/ovn.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := story.Own(t, story.Cluster{Name: "two", Nodes: 2}, "--file", file)
	c := newChassis(w, func(s *infrav1.OVNChassisSpec) { s.Tunnel.Interface = "eth1" })
	c.allow("node-1", "node-2")
	one := w.Guest("node-1", "one", "10.9.0.1/24", "10.9.0.254")
	two := w.Guest("node-2", "two", "10.9.0.2/24", "10.9.0.254")
	c.north("ls-add", "inside")
	c.plug("node-1", one)
	c.plug("node-2", two)
	c.reaches(one.Name, two.Address)
	c.streams(one, two)
	c.survives("node-2", one, two)
}

// route puts a router between the guests and the provider network, with a floating address for one of them.
func (c *chassis) route(g story.Guest) {
	c.Helper()
	c.north("ls-add", "outside", "--", "lsp-add", "outside", "public", "--", "lsp-set-type", "public", "localnet",
		"--", "lsp-set-addresses", "public", "unknown", "--", "lsp-set-options", "public", "network_name=public")
	c.north("lr-add", "router", "--", "lrp-add", "router", "to-outside", "02:00:00:00:01:01", "203.0.113.10/24",
		"--", "lrp-add", "router", "to-inside", "02:00:00:00:01:02", "10.9.0.254/24")
	for _, s := range []string{"outside", "inside"} {
		c.north("lsp-add", s, s+"-router", "--", "lsp-set-type", s+"-router", "router",
			"--", "lsp-set-addresses", s+"-router", "router", "--", "lsp-set-options", s+"-router", "router-port=to-"+s)
	}
	c.north("lrp-set-gateway-chassis", "to-outside", "node-1", "10", "--",
		"lr-nat-add", "router", "dnat_and_snat", "203.0.113.20", g.Address)
}

// survives replaces the pod of a node while guests talk. A datapath in userspace pauses meanwhile.
func (c *chassis) survives(node string, from, to story.Guest) {
	c.Helper()
	const mostGap = 15 * time.Second
	ctx, stop := context.WithCancel(c.Context())
	type result struct {
		story.Pings
		error
	}
	done := make(chan result, 1)
	go func() {
		p, err := story.Ping(ctx, from.Name, to.Address)
		done <- result{p, err}
	}()
	_, err := c.Cluster.Kubectl(c.Context(), "-n", c.Namespace, "delete", "pod", c.pod(node))
	if err == nil {
		_, err = c.Cluster.Kubectl(c.Context(), "-n", c.Namespace, "rollout", "status", "ds/nodes-ovn-chassis",
			"--timeout=1m")
	}
	c.Ready(time.Minute, c.set)
	c.reaches(from.Name, to.Address)
	stop()
	r := <-done
	if err = errors.Join(err, r.error); err != nil || r.Gap > mostGap {
		c.Errorf("while the pod was replaced: %s, want no gap over %s: %v", r.Pings, mostGap, err)
	}
	c.Logf("while the pod was replaced: %s", r.Pings)
}

// leave takes the label from the node, which is no chassis then.
func (c *chassis) leave(node string) {
	c.Helper()
	label(c.Context(), c.World, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}, "story", "")
	for _, table := range []string{"Chassis", "Chassis_Private"} {
		c.Eventually(time.Minute, "the southbound database forgets the node in "+table, func(ctx context.Context) error {
			out, err := c.ask(ctx, "ovn-sb-0", "ovn-sbctl", "--bare", "--columns=name", "list", table)
			if err == nil && strings.TrimSpace(out) != "" {
				err = fmt.Errorf("it has %s", out)
			}
			return err
		})
	}
	out, err := c.ask(c.Context(), "ovn-sb-0", "ovn-sbctl", "get", "SB_Global", ".", "external_ids")
	if err != nil || strings.Contains(out, "delete_agent") {
		c.Errorf("what Neutron was told stays: %s: %v", out, err)
	}
}
