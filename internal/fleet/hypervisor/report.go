package hypervisor

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/step"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
)

// The most names that status has room for.
const (
	mostAggregates = 64
	mostTraits     = 512
	mostText       = 255
)

// report writes what was seen into status. Nothing was after a restart that no look has followed: then it stays.
func (c *controller) report(v step.View, o object) {
	b := c.book(o)
	block, _ := looker(v.Referenced).first(refBlock).(*fleetv1.BuildingBlock)
	given := b.given(o, block)
	if b.facts == nil {
		if looker(v.Referenced).forgotten() {
			o.Status, given = fleetv1.HypervisorStatus{Status: o.Status.Status}, nil
		}
		o.Status.DeclaredTraits, o.Status.Vacancy = given, cmp.Or(b.vacancy, o.Status.Vacancy)
		return
	}
	f, was := b.facts, o.Status
	o.Status = fleetv1.HypervisorStatus{Status: was.Status, ID: f.machine.ID, State: f.state(), Type: cut(f.machine.Type),
		Version: version(f.machine.Version), Zone: cut(f.Zone), Aggregates: few(f.aggregates, mostAggregates),
		Traits: few(f.room.traits, mostTraits), DeclaredTraits: given, Vacancy: b.vacancy}
	if !b.closed.IsZero() {
		o.Status.ClosedSince = &metav1.Time{Time: b.closed}
	}
	if f.agent.ID != "" {
		o.Status.Service = fleetv1.HostService{ID: f.agent.ID, Disabled: f.disabled(), DisabledReason: cut(f.Reason)}
	}
	if f.recalled {
		o.Status.Type, o.Status.Version, o.Status.Servers = was.Type, was.Version, was.Servers
	} else if f.machine.ID != "" {
		o.Status.Servers = new(int32(len(f.machine.Servers)))
	}
	o.Status.VCPUs = f.room.of("VCPU", "")
	o.Status.Memory = f.room.of("MEMORY_MB", "Mi")
	o.Status.Disk = f.room.of("DISK_GB", "Gi")
}

func (f *facts) state() fleetv1.HostState {
	switch {
	case f.agent.ID == "":
		return ""
	case !f.up():
		return fleetv1.HostDown
	case f.disabled():
		return fleetv1.HostDisabled
	}
	return fleetv1.HostUp
}

// of is the room of a class, in units of Kubernetes.
func (r room) of(class, unit string) *fleetv1.HostResource {
	i, ok := r.inventories[class]
	if !ok {
		return nil
	}
	in := func(n int64) resource.Quantity {
		q, err := resource.ParseQuantity(fmt.Sprint(n) + unit)
		if err != nil {
			return resource.Quantity{}
		}
		return q
	}
	return &fleetv1.HostResource{Total: in(i.Total), Reserved: in(i.Reserved), Used: in(r.usages[class]),
		AllocationRatio: strings.TrimSuffix(i.Ratio.String(), ".0")}
}

// version is how people write what libvirt has as one number, 8002002 for 8.2.2.
func version(n int) string {
	const major, minor = 1_000_000, 1_000
	switch {
	case n <= 0:
		return ""
	case n < major:
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d.%d.%d", n/major, n%major/minor, n%minor)
}

func cut(text string) string {
	if r := []rune(text); len(r) > mostText {
		return string(r[:mostText])
	}
	return text
}
