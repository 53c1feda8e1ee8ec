package buildingblock

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/reconcile"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/fleet"
	"stackwright.dev/stackwright/internal/nodes"
)

// hypervisorKind is the kind of objects of hosts, and conditionRegistered the condition by which they say how they are.
const (
	hypervisorKind      = "Hypervisor"
	conditionRegistered = "Registered"
)

func hostRefs() []ref.Ref[object] {
	all := func(b object) []types.NamespacedName { return []types.NamespacedName{{Namespace: b.Namespace}} }
	return []ref.Ref[object]{
		ref.To(refHosts, &fleetv1.Hypervisor{}, all, ref.DigestOf[object](stay)),
		ref.To(refEveryone, &fleetv1.Hypervisor{}, func(object) []types.NamespacedName { return nodes.Everywhere() },
			ref.DigestOf[object](whose)),
		ref.To(refNovas, &servicev1.Nova{}, all, ref.DigestOf[object](func(o client.Object) string {
			return string(o.GetUID())
		})),
	}
}

// stay is all of a host that decides whether it keeps its agents.
func stay(obj client.Object) string {
	h, ok := obj.(*fleetv1.Hypervisor)
	if !ok {
		return ""
	}
	return fmt.Sprintln(h.Name, h.Spec.Block, h.Status.Vacancy == fleetv1.Vacant)
}

// whose is all of a host that decides which block it is of.
func whose(obj client.Object) string {
	h, ok := obj.(*fleetv1.Hypervisor)
	if !ok {
		return ""
	}
	return fmt.Sprintln(h.Namespace, h.Name, h.Spec.Block)
}

// hypervisors are those of a block, by name.
func hypervisors(all []client.Object, b object) []*fleetv1.Hypervisor {
	var out []*fleetv1.Hypervisor
	for _, o := range all {
		if h, ok := o.(*fleetv1.Hypervisor); ok && h.Spec.Block == b.Name && h.Namespace == b.Namespace {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(a, b *fleetv1.Hypervisor) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// wanted are the names of the hosts that the block is to have, as Nova knows them.
func wanted(s *scope) []string {
	b := s.Owner()
	if !fake(b) {
		return selected(s, b)
	}
	var out []string
	for n := range b.Spec.Fake.Hosts {
		out = append(out, fleet.FakeHost(b, n))
	}
	return out
}

// kept are hosts that the block is to have no more and that have servers still, or may have. They keep their agents.
func kept(s *scope) []string {
	b := s.Owner()
	var out []string
	stays := wanted(s)
	for _, h := range hypervisors(s.All(refHosts), b) {
		if h.Status.Vacancy != fleetv1.Vacant && !slices.Contains(stays, h.Name) {
			out = append(out, h.Name)
		}
	}
	return out
}

// members are the names of all hosts that the block has.
func members(s *scope) []string { return append(wanted(s), kept(s)...) }

// keptFakes are the numbers of hosts that the process of driver fake has beside those that it is to have. Those between
// are not among them: nobody could take them off the books while it runs them.
func keptFakes(s *scope) string {
	var out []string
	for _, name := range kept(s) {
		// Others than its own it cannot run.
		if n, err := strconv.Atoi(strings.TrimPrefix(name, s.Owner().Name+"-")); err == nil && n >= 0 {
			out = append(out, strconv.Itoa(n))
		}
	}
	return strings.Join(out, " ")
}

// mostObjects is how many objects a block may have for its hosts. The inventory in its status has room for 2,048 in
// all, and a status with more is refused: nobody would be told anything any more.
const mostObjects = 2030

// fits refuses more hosts and aggregates than the block can keep the books of. Each host has an object of its own and
// one in each aggregate, of which the first is the block's; one that leaves has its agents by three more.
func fits(_ context.Context, s *scope) *outcome.Outcome {
	hosts, leave, more := len(members(s)), len(kept(s)), len(s.Owner().Spec.Placement.Aggregates)
	if hosts*(2+more)+3*leave <= mostObjects {
		return outcome.Done()
	}
	return outcome.Refuse("TooManyHosts", "%d hosts, %d of them on their way out, in %d aggregates of "+
		"spec.placement.aggregates are more than a block can have; make two blocks of them, take aggregates out, or let "+
		"fewer hosts leave at a time.", hosts, leave, more)
}

// hypervisorsOf makes an object for each host. That of a host which leaves stays until nothing is on it.
func hypervisorsOf(s *scope) ([]client.Object, error) {
	b := s.Owner()
	var out []client.Object
	for _, name := range members(s) {
		out = append(out, &fleetv1.Hypervisor{ObjectMeta: meta(b, name, ""), Spec: fleetv1.HypervisorSpec{
			Block: b.Name, Cell: b.Spec.Cell, Cloud: where(s.Get(refCell))}})
	}
	return out, nil
}

// registered waits until servers can be scheduled to every host, and tells of those that leave.
func registered(_ context.Context, s *scope) *outcome.Outcome {
	var first *outcome.Outcome
	bad, all := 0, hypervisors(s.All(refHosts), s.Owner())
	for _, h := range all {
		ready, why := gate.For(h)(h)
		if ready {
			continue
		}
		if bad++; first != nil {
			continue
		}
		first = outcome.Wait(hypervisorKind+" "+h.Name, "%s", why)
		if c := apimeta.FindStatusCondition(h.Status.Conditions, conditionRegistered); c != nil && c.Message != "" {
			first.Message, first.Reason = c.Message, c.Reason
		}
	}
	for _, name := range members(s) {
		if s.Child(stepHosts, hypervisorKind, name) == nil && first == nil {
			first = outcome.Wait(hypervisorKind+" "+name, "Hypervisor %s is not there yet; see whether somebody "+
				"deletes it.", name)
		}
	}
	if first != nil && bad > 1 {
		first.Message += fmt.Sprintf(" %d of %d hosts are not ready.", bad, len(all))
	}
	return first
}

// forgotten tells whether the Nova that knew the hosts is deleted for good.
func forgotten(s *scope) bool { return fleet.Forgotten(s.Get(refCell), s.All(refNovas)) }

// servers is how many the hosts of a block have, as far as they tell. An admission policy of the chart refuses the
// deletion of a block with some; what it lets through because nobody has told yet, the guard holds.
func servers(v step.View, b object) (n int32) {
	if lost(v) {
		return 0
	}
	for _, h := range hypervisors(v.Referenced(refHosts), b) {
		if h.Status.Servers != nil {
			n += *h.Status.Servers
		}
	}
	return n
}

// lost tells what forgotten tells.
func lost(v step.View) bool { return fleet.Forgotten(v.Referenced(refCell)[0], v.Referenced(refNovas)) }

// guard keeps a block, with its agents, as long as servers are on one of its hosts, or nobody tells whether there are.
func guard(v step.View, b object) string {
	if lost(v) {
		return ""
	}
	known := map[string]bool{}
	for _, o := range v.Referenced(refHosts) {
		known[o.GetName()] = true
	}
	why, full := "", 0
	for _, h := range hypervisors(v.Referenced(refHosts), b) {
		text := holds(h, b)
		if text == "" {
			continue
		}
		if full++; why == "" {
			why = text
		}
	}
	if set, ok := v.Child(stepCompute, "DaemonSet", computeName(b)).(*appsv1.DaemonSet); ok && set != nil && why == "" {
		for _, name := range nodes.Selected(v.Referenced(refNodes), fleet.Selector(b)) {
			if !known[name] {
				return "It is not known yet which servers are on host " + name + "."
			}
		}
	}
	if full > 1 {
		why += fmt.Sprintf(" The same is to do for %d more hosts.", full-1)
	}
	return why
}

// holds tells what of a host keeps its block.
func holds(h *fleetv1.Hypervisor, b object) string {
	why := "It is not known yet which servers are on host " + h.Name + "."
	if c := apimeta.FindStatusCondition(h.Status.Conditions, conditionRegistered); c != nil && c.Message != "" {
		why = c.Message
	}
	switch {
	case h.Status.Vacancy == fleetv1.Vacant:
		return ""
	case h.Status.Vacancy == fleetv1.Occupied:
		return why
	case reconcile.Abandons(b, stepHosts) && h.Status.Vacancy == fleetv1.VacancyUnknown:
		return ""
	case reconcile.Abandons(b, stepHosts):
		return "Nova has not been asked yet which servers are on host " + h.Name + "; wait, or see the conditions of " +
			"Hypervisor " + h.Name + "."
	}
	return why + " If Nova is gone for good, annotate the object with " + reconcile.AnnotationAbandon + "=" + stepHosts +
		"," + stepPlacement + "."
}
