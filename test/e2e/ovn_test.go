//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// network is an OVN and what a story has written into its northbound database.
type network struct {
	*story.World
	ovn      *infrav1.OVN
	switches []string
}

func newNetwork(w *story.World, replicas int32) *network {
	o := &infrav1.OVN{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "ovn"}}
	o.Spec.Image, o.Spec.Replicas = image(w, "ovn"), replicas
	o.Spec.Storage.Size.Set(100 << 20)
	w.Apply(o)
	return &network{World: w, ovn: o}
}

// ask runs ovn-nbctl or ovn-sbctl in a member as a client does: over TLS, with the addresses from the status.
func (n *network) ask(ctx context.Context, pod, tool string, args ...string) (string, error) {
	db := n.ovn.Status.Northbound.Connection
	if tool == "ovn-sbctl" {
		db = n.ovn.Status.Southbound.Connection
	}
	const tls = "/etc/stackwright/tls/"
	command := append([]string{"-n", n.Namespace, "exec", pod, "--", tool, "--timeout=10", "--db=" + db,
		"--private-key=" + tls + "tls.key", "--certificate=" + tls + "tls.crt", "--ca-cert=" + tls + "ca.crt"}, args...)
	return n.Cluster.Kubectl(ctx, command...)
}

// write adds a logical switch, which northd makes a datapath of.
func (n *network) write(within time.Duration) time.Duration {
	n.Helper()
	name := fmt.Sprintf("net-%d", len(n.switches))
	took := n.Eventually(within, "the northbound database takes a change", func(ctx context.Context) error {
		_, err := n.ask(ctx, "ovn-nb-0", "ovn-nbctl", "--may-exist", "ls-add", name)
		return err
	})
	n.switches = append(n.switches, name)
	return took
}

// whole checks that everything that was written is there, once, and that northd has made it into flows.
func (n *network) whole(within time.Duration) {
	n.Helper()
	n.Eventually(within, "northd has made datapaths of all switches", func(ctx context.Context) error {
		out, err := n.ask(ctx, "ovn-nb-0", "ovn-nbctl", "--bare", "--columns=name", "list", "Logical_Switch")
		if err != nil {
			return err
		}
		have := strings.Fields(out)
		slices.Sort(have)
		want := slices.Sorted(slices.Values(n.switches))
		if !slices.Equal(have, want) {
			return fmt.Errorf("the switches are %v, want %v", have, want)
		}
		out, err = n.ask(ctx, "ovn-sb-0", "ovn-sbctl", "--bare", "--columns=_uuid", "list", "Datapath_Binding")
		if err == nil && len(strings.Fields(out)) != len(want) {
			err = fmt.Errorf("there are %d datapaths, want %d", len(strings.Fields(out)), len(want))
		}
		return err
	})
}

// Nobody but members comes to the ports on which OVN's databases agree. They keep what they were told when a volume is
// lost, when all pods go at once, and when they shrink and grow.
func TestOVNKeepsNetworks(t *testing.T) {
	story.InCI(t)
	w := story.Start(t)
	n := newNetwork(w, 3)
	t.Logf("ready after %s", w.Ready(3*time.Minute, n.ovn))
	member := func(db string, port int) string {
		return fmt.Sprintf("ovn-%s-0.ovn-%s-members.%s.svc:%d", db, db, w.Namespace, port)
	}
	keptOut(w, member("nb", 6641), member("nb", 6643), member("sb", 6644), member("nb", 8443), member("sb", 8443))
	n.write(30 * time.Second)
	n.whole(time.Minute)

	lose(w, "ovn-nb-1", func() { w.Kill(w.Namespace, "ovn-nb-1") })
	n.write(30 * time.Second)
	t.Logf("a lost volume is replaced after %s", w.Ready(2*time.Minute, n.ovn))
	n.whole(time.Minute)

	w.KillAll(2*time.Minute, w.Namespace, "ovn-nb-", "ovn-sb-", "ovn-northd-")
	t.Logf("a change is taken %s after all pods were killed and others were ready", n.write(time.Minute))
	w.Ready(time.Minute, n.ovn)
	n.whole(time.Minute)

	n.scale(1)
	n.whole(time.Minute)
	n.scale(3)
	n.write(30 * time.Second)
	n.whole(time.Minute)
}

// scale changes the number of members and waits until they are as many.
func (n *network) scale(replicas int32) {
	n.Helper()
	asked := &infrav1.OVN{ObjectMeta: metav1.ObjectMeta{Namespace: n.Namespace, Name: "ovn"}}
	asked.Spec = *n.ovn.Spec.DeepCopy()
	asked.Spec.Replicas = replicas
	n.Apply(asked)
	n.Logf("%d members after %s", replicas, n.Ready(3*time.Minute, n.ovn))
	nb := n.ovn.Status.Northbound
	if nb.ReadyMembers != replicas || strings.Count(nb.Connection, "ssl:") != int(replicas) {
		n.Errorf("the northbound database is %+v, want %d members", nb, replicas)
	}
}
