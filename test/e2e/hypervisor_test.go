//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
)

// realHost is the only node of the cluster.
const realHost = "node-1"

func (f fleet) hypervisor(ctx context.Context, name string) (*fleetv1.Hypervisor, error) {
	h := &fleetv1.Hypervisor{}
	return h, f.Get(ctx, types.NamespacedName{Namespace: f.namespace, Name: name}, h)
}

// soon wants servers to be schedulable within a minute after the agents were there.
func (f fleet) soon(b *fleetv1.BuildingBlock) {
	f.Helper()
	at := func(condition string) time.Time {
		c := meta.FindStatusCondition(b.Status.Conditions, condition)
		if c == nil || c.Status != metav1.ConditionTrue {
			f.Fatalf("%s of block %s is %v", condition, b.Name, c)
		}
		return c.LastTransitionTime.Time
	}
	agents := "ComputeReady"
	if b.Spec.Driver == fleetv1.DriverFake {
		agents = "FakeReady"
	}
	took := at("HostsReady").Sub(at(agents))
	f.Logf("hosts of %s are up and mapped %s after their agents are up", b.Name, took)
	if took > time.Minute {
		f.Errorf("hosts of %s were mapped %s after their agents were up, want at most a minute", b.Name, took)
	}
}

// asked has a command of the client print JSON.
func (f fleet) asked(into any, command ...string) {
	f.Helper()
	out := f.OpenStack(append(command, "-f", "json")...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		f.Fatalf("%s: %v in %s", strings.Join(command, " "), err, out)
	}
}

// inventory is how much of a class Placement says that a provider has.
type inventory struct {
	Class    string      `json:"resource_class"`
	Ratio    json.Number `json:"allocation_ratio"`
	Total    int64       `json:"total"`
	Reserved int64       `json:"reserved"`
}

// told waits until a Hypervisor has seen its servers, and says what the clients of Nova and Placement show. What it
// says can be two minutes old, of a time when Nova had disabled a host whose libvirt was away.
func (f fleet) told(name string, servers int32) {
	f.Helper()
	var h *fleetv1.Hypervisor
	f.Eventually(3*time.Minute, "the Hypervisor says what Nova and Placement know", func(ctx context.Context) (err error) {
		if h, err = f.hypervisor(ctx, name); err == nil && (h.Status.Servers == nil || *h.Status.Servers != servers) {
			err = fmt.Errorf("it has %v servers, want %d", h.Status.Servers, servers)
		}
		if err != nil {
			return err
		}
		var shown struct{ ID, State, Status string }
		// Nova may have another name for it there: that by which the machine calls itself.
		f.asked(&shown, "hypervisor", "show", h.Status.ID, "-c", "id", "-c", "state", "-c", "status")
		if shown.ID != h.Status.ID || shown.State != string(h.Status.State) || shown.Status != "enabled" {
			return fmt.Errorf("the Hypervisor says %s %s, and Nova %+v", h.Status.ID, h.Status.State, shown)
		}
		traits := strings.Fields(f.OpenStack("--os-placement-api-version", "1.6", "resource", "provider", "trait", "list",
			h.Status.ID, "-f", "value"))
		slices.Sort(traits)
		if !slices.Equal(traits, h.Status.Traits) {
			return fmt.Errorf("the Hypervisor has traits %v, and Placement %v", h.Status.Traits, traits)
		}
		return nil
	})
	f.room(h)
	f.Logf("Hypervisor %s: %s %s, zone %s, %d servers, %s VCPUs, %s memory, %d traits", name, h.Status.Type,
		h.Status.Version, h.Status.Zone, *h.Status.Servers, h.Status.VCPUs.Total.String(), h.Status.Memory.Total.String(),
		len(h.Status.Traits))
}

// room compares how much there is, and how much of it is used.
func (f fleet) room(h *fleetv1.Hypervisor) {
	f.Helper()
	var inventories []inventory
	f.asked(&inventories, "resource", "provider", "inventory", "list", h.Status.ID)
	var usages []struct {
		Class string `json:"resource_class"`
		Usage int64  `json:"usage"`
	}
	f.asked(&usages, "resource", "provider", "usage", "show", h.Status.ID)
	used := map[string]int64{}
	for _, u := range usages {
		used[u.Class] = u.Usage
	}
	const mebi, gibi = 1 << 20, 1 << 30
	for class, is := range map[string]struct {
		*fleetv1.HostResource
		unit int64
	}{"VCPU": {h.Status.VCPUs, 1}, "MEMORY_MB": {h.Status.Memory, mebi}, "DISK_GB": {h.Status.Disk, gibi}} {
		n := slices.IndexFunc(inventories, func(i inventory) bool { return i.Class == class })
		if n < 0 || is.HostResource == nil {
			f.Errorf("%s: Placement has it: %v, the Hypervisor: %v", class, n >= 0, is.HostResource)
			continue
		}
		want := fmt.Sprint(inventories[n].Total, inventories[n].Reserved, used[class],
			strings.TrimSuffix(inventories[n].Ratio.String(), ".0"))
		got := fmt.Sprint(is.Total.Value()/is.unit, is.Reserved.Value()/is.unit, is.Used.Value()/is.unit, is.AllocationRatio)
		if got != want {
			f.Errorf("%s: the Hypervisor says %s, and Placement %s", class, got, want)
		}
	}
}

// restores looks for what is declared of a host in Placement, takes its trait away there, and wants it back.
func (f fleet) restores(name string) {
	f.Helper()
	h, err := f.hypervisor(f.Context(), name)
	if err != nil {
		f.Fatal(err)
	}
	var inventories []inventory
	f.asked(&inventories, "resource", "provider", "inventory", "list", h.Status.ID)
	if !slices.ContainsFunc(inventories, func(i inventory) bool { return i.Class == "VCPU" && i.Ratio == overcommit }) {
		f.Errorf("Placement has %+v, want %s virtual processors for each", inventories, overcommit)
	}
	trait := []string{"--os-placement-api-version", "1.6", "resource", "provider", "trait"}
	traits := strings.Fields(f.OpenStack(append(trait, "list", h.Status.ID, "-f", "value")...))
	if !slices.Contains(traits, lifelike) {
		f.Errorf("the host has traits %v, want %s among them", traits, lifelike)
	}
	set := append(trait, "set", h.Status.ID)
	for _, t := range traits {
		if t != lifelike {
			set = append(set, "--trait", t)
		}
	}
	f.OpenStack(set...)
	// Placement is looked at once a minute. Nova would do it each five (resource_provider_association_refresh).
	f.Eventually(90*time.Second, "the host has its trait again", f.Prints(lifelike,
		append(trait, "list", h.Status.ID)...))
}

// refuses wants the deletion of a block to be refused while a server is on it, with what to do, and its host to be as
// before.
func (f fleet) refuses(b *fleetv1.BuildingBlock, guest, pid string) {
	f.Helper()
	f.Eventually(time.Minute, "the block counts its server", func(ctx context.Context) error {
		err := f.Get(ctx, f.Key(b), b)
		if n := b.Status.Hosts.Servers; err == nil && n != 1 {
			err = fmt.Errorf("it counts %d", n)
		}
		return err
	})
	err := f.Delete(f.Context(), b)
	if says := "building block " + b.Name + " has 1 server: move or delete"; !apierrors.IsForbidden(err) ||
		!strings.Contains(err.Error(), says) {
		f.Fatalf("a block with a server is deleted, and the answer is: %v; want %s", err, says)
	}
	f.Logf("it says: %s", err)
	f.Holds(30*time.Second, "the block and the guest stay", func(ctx context.Context) error {
		err := f.Get(ctx, f.Key(b), b)
		if err == nil && b.DeletionTimestamp != nil {
			err = errors.New("the block is being deleted")
		}
		if err == nil {
			err = f.goesOn(ctx, guest, pid)
		}
		return err
	})
	if out := f.admission(); out != "enabled" {
		f.Errorf("the deletion was refused, and the host is %s", out)
	}
}

// goesOn wants a guest to be the process that it was.
func (f fleet) goesOn(ctx context.Context, guest, pid string) error {
	now, err := f.guest(ctx, guest)
	if err == nil && now != pid {
		err = fmt.Errorf("the guest is process %s, and was %s", now, pid)
	}
	return err
}

// admission is whether Nova gives the real host new servers: enabled or disabled.
func (f fleet) admission() string {
	f.Helper()
	return f.OpenStack("compute", "service", "list", "--service", "nova-compute", "--host", realHost, "-f", "value", "-c",
		"Status")
}

// insists deletes a block by the annotation of who gives up hosts, and takes that away again.
func (f fleet) insists(b *fleetv1.BuildingBlock) {
	f.Helper()
	give := func(value string) {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"kit.stackwright.dev/abandon":%s}}}`, value)
		if err := f.Patch(f.Context(), b, client.RawPatch(types.MergePatchType, patch)); err != nil {
			f.Fatal(err)
		}
	}
	give(`"hosts"`)
	if err := f.Delete(f.Context(), b); err != nil {
		f.Fatal(err)
	}
	give("null")
}

// keeps wants a block to stay, with its agents and its guest, when it is deleted all the same while a server is on
// it. Then the server is deleted, and with it the block and all that Nova and Placement know of its host.
func (f fleet) keeps(b *fleetv1.BuildingBlock, server, guest, pid string) {
	f.Helper()
	h, err := f.hypervisor(f.Context(), realHost)
	if err != nil {
		f.Fatal(err)
	}
	f.insists(b)
	const says = "1 server is on host " + realHost
	held := func(ctx context.Context) error {
		if err := f.Get(ctx, f.Key(b), b); err != nil {
			return fmt.Errorf("the block is not kept: %w", err)
		}
		c := meta.FindStatusCondition(b.Status.Conditions, "Ready")
		if c == nil || !strings.HasPrefix(c.Message, says+" ("+server) {
			return fmt.Errorf("it does not say why: %v", c)
		}
		return nil
	}
	f.Eventually(time.Minute, "the block says why it stays", held)
	f.Holds(30*time.Second, "the block and the guest stay", func(ctx context.Context) error {
		if err := held(ctx); err != nil {
			return err
		}
		return f.goesOn(ctx, guest, pid)
	})
	f.Logf("it says: %s", meta.FindStatusCondition(b.Status.Conditions, "Ready").Message)
	if out := f.admission(); out != "disabled" {
		f.Errorf("the host that leaves is %s", out)
	}
	f.OpenStack("server", "delete", server, "--wait")
	f.Logf("without servers the block is gone after %s", f.Gone(4*time.Minute, b))
	for what, command := range map[string][]string{
		"nova-compute": {"compute", "service", "list", "--service", "nova-compute", "-f", "value", "-c", "Host"},
		"hypervisor":   {"--os-compute-api-version", "2.53", "hypervisor", "list", "-f", "value", "-c", "ID"},
		"provider":     {"resource", "provider", "list", "-f", "value", "-c", "uuid"},
	} {
		if out := f.OpenStack(command...); slices.Contains(strings.Fields(out), realHost) ||
			slices.Contains(strings.Fields(out), h.Status.ID) {
			f.Errorf("Nova still has the host's %s: %s", what, out)
		}
	}
}
