//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Neutron is asked for by one word, and brings its OVN. What is declared in one file, in the wrong order, is in
// Neutron's database and in OVN's; it is there again after the only volume of OVN's was lost, and after the pods of
// Neutron and of OVN were killed, and goes without a rest.
func TestNeutronConnects(t *testing.T) {
	story.InCI(t)
	w := story.Start(t)
	cp, neutron := withNeutron(w)
	objects := manifest(w, "testdata/network.yaml")
	everyKind(w, objects, "network", "QoSMinimumPacketRateRule", "QoSPacketRateLimitRule") // OVN counts no packets
	for _, o := range objects {
		w.Apply(o)
	}
	ready := func(ctx context.Context) error { return allReady(ctx, w, objects) }
	w.Eventually(2*time.Minute, "everything is ready", ready)
	w.OpenStack("port", "set", "--device", "somebody", "web") // a port that nobody uses has no name
	written(w, time.Minute)
	shares(w)

	lost(w, cp, neutron)
	w.Eventually(time.Minute, "everything is still ready", ready)
	unmapped(w)
	w.KillAll(2*time.Minute, cp.Namespace, "openstack-neutron-", "openstack-ovn-nb-", "openstack-ovn-sb-")
	// The maintenance worker begins with what filling OVN has left to it.
	w.Eventually(2*time.Minute, "OVN has the group's addresses", inNorthbound(w, "198.51.100.0/24", "list", "address_set"))
	w.Ready(time.Minute, neutron)
	late := netOf(w, "late")
	w.Apply(late)
	w.Eventually(time.Minute, "a network is made after all pods were killed", func(ctx context.Context) error {
		return allReady(ctx, w, []*unstructured.Unstructured{late})
	})
	w.Eventually(time.Minute, "OVN has it, too", northbound(w, "logical_switch", 5))
	w.Eventually(time.Minute, "everything is still ready", ready)

	removeAll(w, append(objects, late))
	for _, table := range []string{"logical_switch", "logical_router", "nat", "load_balancer", "qos"} {
		w.Eventually(time.Minute, "nothing is left in OVN's table "+table, northbound(w, table, 0))
	}
	w.Apply(w.Change(cp))
	w.Gone(2*time.Minute, neutron)
	if out := w.OpenStack("catalog", "list"); strings.Contains(out, "neutron") {
		t.Errorf("without Neutron the catalog is %s", out)
	}
}

// written waits until what network.yaml declares is in OVN's northbound database.
func written(w *story.World, within time.Duration) {
	w.Helper()
	for what, check := range map[string]func(context.Context) error{
		"OVN translates the router's and the port's address": northbound(w, "nat", 2),
		"OVN forwards a port":                                northbound(w, "load_balancer", 1),
		"OVN has switches of all networks":                   northbound(w, "logical_switch", 4),
		"OVN limits what a port sends":                       inNorthbound(w, "rate=10000", "list", "qos"),
		"OVN marks what a port sends":                        inNorthbound(w, "dscp=26", "list", "qos"),
		"OVN lets in what a rule lets in": inNorthbound(w, "allow-related", "--columns=action",
			"list", "acl"),
		"OVN knows a port by its name": inNorthbound(w, `web.cloud.example.org="10.11.0.21"`,
			"list", "dns"),
		"OVN has a port in a trunk": inNorthbound(w, "101", "--bare", "--columns=tag", "find", "logical_switch_port",
			"tag=101", "parent_name!=[]"),
	} {
		w.Eventually(within, what, check)
	}
}

// lost takes away the only volume of the northbound database: another one has all that Neutron knows, northd makes
// flows of it, and Neutron goes on writing into it.
func lost(w *story.World, cp *controlplanev1.OpenStackControlPlane, neutron *servicev1.Neutron) {
	w.Helper()
	began := time.Now()
	ovn := formsAnew(w, cp.Namespace, "nb", func(o *infrav1.OVN) int64 { return o.Status.Northbound.Epoch })
	written(w, 3*time.Minute)
	w.Logf("OVN had what Neutron knows %s after its volume was lost", time.Since(began).Round(time.Second))
	w.Eventually(4*time.Minute, "northd makes a datapath of what is there now", func(ctx context.Context) error {
		now, err := nbctl(ctx, w, "--bare", "--columns=_uuid", "list", "logical_switch")
		if err == nil && strings.TrimSpace(now) == "" {
			err = errors.New("the northbound database has no switch")
		}
		if err != nil {
			return err
		}
		out, err := w.Cluster.Kubectl(ctx, "-n", cp.Namespace, "exec", "openstack-ovn-sb-0", "--", "ovn-sbctl",
			"--timeout=10", "--db=unix:/run/ovn/database.sock", "--no-leader-only", "--bare", "--columns=_uuid", "find",
			"datapath_binding", "external_ids:logical-switch="+strings.Fields(now)[0])
		if err == nil && strings.TrimSpace(out) == "" {
			err = errors.New("the southbound database has those of before")
		}
		return err
	})
	w.Ready(4*time.Minute, ovn)
	w.Ready(2*time.Minute, neutron)
	again := netOf(w, "again")
	w.Apply(again)
	w.Eventually(time.Minute, "OVN takes another network", northbound(w, "logical_switch", 5))
	removeAll(w, []*unstructured.Unstructured{again})
	w.Eventually(time.Minute, "it goes", northbound(w, "logical_switch", 4))
}

// formsAnew takes away the only volume of one of OVN's databases, nb or sb, and waits until there is another.
func formsAnew(w *story.World, namespace, database string, times func(*infrav1.OVN) int64) *infrav1.OVN {
	w.Helper()
	ovn := &infrav1.OVN{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "openstack-ovn"}}
	w.Ready(time.Minute, ovn)
	before, member := times(ovn), ovn.Name+"-"+database+"-0"
	loseIn(w, namespace, member, func() { w.Kill(namespace, member) })
	w.Eventually(2*time.Minute, "the database "+database+" is formed anew", func(ctx context.Context) error {
		err := w.Get(ctx, w.Key(ovn), ovn)
		if err == nil && times(ovn) <= before {
			err = fmt.Errorf("it was formed %d times", times(ovn))
		}
		return err
	})
	return ovn
}

// withNeutron makes a cloud, waits for Neutron in it, and offers the cloud to the objects of the world's namespace.
func withNeutron(w *story.World) (*controlplanev1.OpenStackControlPlane, *servicev1.Neutron) {
	w.Helper()
	cp := w.Cloud()
	neutron := &servicev1.Neutron{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-neutron"}}
	asked := w.Change(cp)
	asked.Spec.Services.Neutron = wired()
	w.Apply(asked)
	w.Logf("Neutron is ready after %s", w.Ready(story.UpToReady, neutron))
	w.Ready(time.Minute, cp)
	offerCloud(w)
	return cp, neutron
}

// wired is a Neutron with the wires of network.yaml.
func wired() *controlplanev1.NeutronService {
	return &controlplanev1.NeutronService{
		PhysicalNetworks: []servicev1.PhysicalNetwork{
			{Name: "public"}, {Name: "rack", VLANs: []servicev1.VLANRange{"100:199"}},
		},
		DNSDomain: "cloud.example.org",
	}
}

// unmapped declares a network on wires that the cloud does not have: it says so. Wires cannot be changed, so another
// one is made in its place.
func unmapped(w *story.World) {
	w.Helper()
	on := func(physical string) *openstackv1.Network {
		n := &openstackv1.Network{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "nowhere"}}
		n.Spec.Resource = &openstackv1.NetworkResource{ProviderNetworkType: new("vlan"), ProviderPhysicalNetwork: &physical,
			ProviderSegmentationID: new(int64(150))}
		return n
	}
	w.Apply(on("nowhere"))
	w.Eventually(time.Minute, "a network without wires says so", func(ctx context.Context) error {
		return says(ctx, w, on("nowhere"), "nowhere", "unknown")
	})
	remove := func() {
		w.Helper()
		if err := w.Delete(w.Context(), on("")); err != nil {
			w.Fatal(err)
		}
		w.Gone(time.Minute, on(""))
	}
	remove()
	w.Apply(on("rack"))
	w.Ready(time.Minute, on("rack"))
	remove()
}

// everyKind checks that a story has all kinds of a service but some.
func everyKind(w *story.World, objects []*unstructured.Unstructured, service string, but ...string) {
	w.Helper()
	seen := map[string]bool{}
	for _, kind := range but {
		seen[kind] = true
	}
	for _, o := range objects {
		seen[o.GetKind()] = true
	}
	for _, k := range kinds.Served() {
		if k.Service == service && !seen[k.Name] {
			w.Errorf("the story has no %s", k.Name)
		}
	}
}

// shares checks that a project sees the network that a policy shares with it, and no other.
func shares(w *story.World) {
	w.Helper()
	w.OpenStack("role", "add", "--user", "admin", "--project", "shop", "member")
	w.Eventually(time.Minute, "the project sees its networks", func(ctx context.Context) error {
		out, err := w.Cluster.Stackwright(ctx, "openstack", "--os-project-name", "shop", "network", "list", "-f", "value",
			"-c", "Name")
		names := strings.Fields(out)
		slices.Sort(names)
		if want := []string{"pooled", "public"}; err == nil && !slices.Equal(names, want) {
			err = fmt.Errorf("it sees %v, want %v", names, want)
		}
		return err
	})
}

// inNorthbound checks that a command of ovn-nbctl prints something with want in it. Quotes are left out: ovn-nbctl puts
// them around some names only.
func inNorthbound(w *story.World, want string, command ...string) func(context.Context) error {
	plain := strings.NewReplacer(`"`, "")
	return func(ctx context.Context) error {
		out, err := nbctl(ctx, w, command...)
		if err == nil && !strings.Contains(plain.Replace(out), plain.Replace(want)) {
			err = fmt.Errorf("%s prints no %s:\n%s", strings.Join(command, " "), want, out)
		}
		return err
	}
}

func nbctl(ctx context.Context, w *story.World, command ...string) (string, error) {
	return w.Cluster.Kubectl(ctx, append([]string{"-n", "openstack", "exec", "openstack-ovn-nb-0", "--", "ovn-nbctl",
		"--timeout=10", "--db=unix:/run/ovn/database.sock", "--no-leader-only"}, command...)...)
}

// northbound checks how many rows a table of OVN's northbound database has.
func northbound(w *story.World, table string, want int) func(context.Context) error {
	return func(ctx context.Context) error {
		out, err := nbctl(ctx, w, "list", table)
		if rows := strings.Count("\n"+out, "\n_uuid "); err == nil && rows != want {
			err = fmt.Errorf("there are %d rows in %s, want %d:\n%s", rows, table, want, out)
		}
		return err
	}
}

func netOf(w *story.World, name string) *unstructured.Unstructured {
	return decoded(w, `{apiVersion: openstack.stackwright.dev/v1alpha1, kind: Network, metadata: {name: `+name+
		`}, spec: {resource: {}}}`)[0]
}
