package ovnchassis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent"
	wire "stackwright.dev/stackwright/internal/agent/ovsdb"
	"stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/infra/ovn"
	"stackwright.dev/stackwright/internal/nodes"
	"stackwright.dev/stackwright/internal/pki"
)

const (
	// within is how long one agent may take.
	within = 10 * time.Second
	// pace is how often the southbound database is asked while a record is missing.
	pace = 2 * time.Second
	// quiet is how long no record may come back after the pods were deleted, until nothing is left that makes one.
	quiet = 10 * time.Second
)

// records are those that the southbound database has of nodes, by the agents of its members.
type records struct {
	dial member.Dial
	mu   sync.Mutex
	seen map[types.UID]sight
}

// sight is what was last seen of a set.
type sight struct {
	nodes []infrav1.OVNChassisNode
	// of is what the records were found to be in order for; as long as it is the same nobody is asked again.
	of string
	// gone are the nodes whose records were removed last, and removed is when.
	gone    []string
	removed time.Time
}

func newRecords(dial member.Dial) *records {
	return &records{dial: dial, seen: map[types.UID]sight{}}
}

func (r *records) last(o object) sight {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen[o.UID]
}

func (r *records) note(o object, s sight) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[o.UID] = s
}

func (r *records) forget(o object) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.seen, o.UID)
}

// keepRecords notes that there is something to release.
func keepRecords(_ context.Context, s *scope) *outcome.Outcome {
	s.Cell().ID = s.Owner().Name
	return outcome.Done()
}

// call asks one member after the other until one answers.
func (r *records) call(ctx context.Context, s *scope, what string, in, out any) error {
	o, ok := s.Get(refOVN).(*infrav1.OVN)
	if !ok {
		return fmt.Errorf("reading OVN %s", s.Owner().Spec.OVN)
	}
	c := s.Content(refAgent)
	caller, err := r.dial(agent.Credentials{CA: c[pki.CAKey], Cert: c[pki.AgentClientCert], Key: c[pki.AgentClientKey]})
	if err != nil {
		return err
	}
	defer caller.Close()
	var errs []error
	for _, h := range ovn.SouthboundHosts(o) {
		asking, cancel := context.WithTimeout(ctx, within)
		err := caller.Call(asking, h, what, in, out)
		cancel()
		if err == nil {
			return nil
		}
		errs = append(errs, fmt.Errorf("asking the agent of %s: %w", h, err))
	}
	return &outcome.Error{Class: outcome.Unavailable, Err: fmt.Errorf(
		"%w; see that the pods of these run", errors.Join(errs...))}
}

// ours reads the records of the set, and counts those of others.
func (r *records) ours(ctx context.Context, s *scope) (have []wire.Chassis, others int, err error) {
	var all []wire.Chassis
	if err := r.call(ctx, s, "GET /v1/chassis", nil, &all); err != nil {
		return nil, 0, err
	}
	slices.SortFunc(all, func(a, b wire.Chassis) int { return strings.Compare(a.Name, b.Name) })
	n := len(all)
	have = slices.DeleteFunc(all, func(c wire.Chassis) bool { return c.Set != s.Owner().Name })
	return have, n - len(have), nil
}

func (r *records) remove(ctx context.Context, s *scope, names ...string) error {
	for _, n := range names {
		if err := r.call(ctx, s, "DELETE /v1/chassis", wire.Chassis{Name: n}, nil); err != nil {
			return fmt.Errorf("removing the record of %s: %w", n, err)
		}
	}
	return nil
}

// look compares the records with the nodes. It asks again when pods or nodes have changed, as a chassis whose pod runs
// has its record, and when another set has its first node or none any more.
func (r *records) look(ctx context.Context, s *scope) *outcome.Outcome {
	o := s.Owner()
	running := sets(s.Child, o)
	if len(running) == 0 {
		return outcome.Wait("DaemonSet "+daemons(o), "DaemonSet %s is not there yet; see whether somebody deletes it.",
			daemons(o))
	}
	want := selected(s, o)
	state := []any{o.Generation, want, peers(s)}
	for _, d := range running {
		state = append(state, d.Name, d.Generation, d.Status.ObservedGeneration, d.Status.NumberReady,
			d.Status.UpdatedNumberScheduled, d.Status.NumberMisscheduled)
	}
	of := fmt.Sprint(state...)
	if r.last(o).of == of {
		return outcome.Done()
	}
	have, others, err := r.ours(ctx, s)
	if err != nil {
		return outcome.FromError(err)
	}
	stale := names(have, func(name string) bool { return !slices.Contains(want, name) })
	have = slices.DeleteFunc(have, func(c wire.Chassis) bool { return slices.Contains(stale, c.Name) })
	seen := sight{nodes: summary(have), gone: r.last(o).gone, removed: r.last(o).removed}
	r.note(o, seen)
	if len(stale) > 0 {
		if out := r.leave(ctx, s, running, stale); out != nil {
			return out
		}
		seen.gone, seen.removed = stale, s.Now()
		r.note(o, seen)
	}
	out := complete(o, want, have, others)
	if out.Ready() {
		out = seen.rests(s.Now())
	}
	if out.Ready() {
		seen.of = of
		r.note(o, seen)
	}
	return out
}

func names(have []wire.Chassis, which func(string) bool) []string {
	var out []string
	for _, c := range have {
		if which(c.Name) {
			out = append(out, c.Name)
		}
	}
	return out
}

// leave removes the records of nodes that are no longer chassis, as soon as their pods have ended. The pod of a node
// that was one by name has no set any more that would tell, and makes its record again as long as it runs.
func (r *records) leave(ctx context.Context, s *scope, running []*appsv1.DaemonSet, stale []string) *outcome.Outcome {
	for _, d := range running {
		if d.Status.ObservedGeneration < d.Generation || d.Status.NumberMisscheduled > 0 {
			return outcome.Wait("DaemonSet "+d.Name, "Waits until the pod of %s, which is no longer a chassis, has ended, "+
				"to remove its record then; see that pod if it stays.", nodes.List(stale))
		}
	}
	return outcome.FromError(r.remove(ctx, s, stale...))
}

// rests waits until no record that was removed can come again.
func (s sight) rests(now time.Time) *outcome.Outcome {
	left := s.removed.Add(quiet).Sub(now)
	if left <= 0 {
		return outcome.Done()
	}
	names := nodes.List(s.gone)
	return outcome.Poll(left, "the end of ovn-controller on "+names, "The record of %s, which is no longer a chassis, is "+
		"removed; wait until the node has not made it again for %d seconds.", names, int(quiet.Seconds()))
}

// peers are the other sets of the OVN that have nodes.
func peers(s *scope) []string {
	o, out := s.Owner(), []string{}
	for _, other := range s.All(refOthers) {
		c, ok := other.(object)
		if ok && c.Namespace == o.Namespace && c.UID != o.UID && c.Spec.OVN == o.Spec.OVN && len(c.Status.Nodes) > 0 {
			out = append(out, c.Name)
		}
	}
	slices.Sort(out)
	return out
}

// complete waits for the nodes that are not registered yet, and tells of those that cannot reach the others, of this or
// of another set.
func complete(o object, want []string, have []wire.Chassis, others int) *outcome.Outcome {
	var alone []string
	for _, c := range have {
		want = slices.DeleteFunc(want, func(n string) bool { return n == c.Name })
		if c.Datapath == "netdev" && o.Spec.Tunnel.Interface == "" {
			alone = append(alone, c.Name)
		}
	}
	switch {
	case len(want) > 0:
		out := outcome.Poll(pace, "DaemonSet "+daemons(o), "The southbound database does not know %s yet; see the pods "+
			"of DaemonSet %s there.", nodes.List(want), daemons(o))
		out.Reason = "NotRegistered"
		return out
	case len(alone) > 0 && len(have)+others > 1:
		return outcome.Refuse("NoTunnelInterface", "Nodes %s have their datapath in userspace, whose tunnels need a NIC of "+
			"their own; name it in spec.tunnel.interface.", nodes.List(alone))
	}
	return outcome.Done()
}

// summary is what the status says of records.
func summary(have []wire.Chassis) []infrav1.OVNChassisNode {
	out := []infrav1.OVNChassisNode{}
	for _, c := range have {
		n := infrav1.OVNChassisNode{Name: c.Name, TunnelAddress: c.Address, Datapath: infrav1.DatapathKernel}
		if c.Datapath == "netdev" {
			n.Datapath = infrav1.DatapathUserspace
		}
		out = append(out, n)
	}
	return out[:min(len(out), maxNodes)]
}

func (r *records) report(v step.View, o object) {
	if n := r.last(o).nodes; n != nil {
		o.Status.Nodes = n
	}
	o.Status.DesiredNodes, o.Status.ReadyNodes = 0, 0
	for _, d := range sets(v.Child, o) {
		o.Status.DesiredNodes += d.Status.DesiredNumberScheduled
		o.Status.ReadyNodes += d.Status.NumberReady
	}
}

// maxNodes is how many the status lists.
const maxNodes = 1000

// release removes all records of the set. Its DaemonSet is gone by now, and its pods end: one that still runs makes its
// record again, which is removed once more.
func (r *records) release(ctx context.Context, s *scope) *outcome.Outcome {
	r.forget(s.Owner())
	if o, ok := s.Get(refOVN).(*infrav1.OVN); !ok || o.DeletionTimestamp != nil {
		return outcome.Done() // the records go with their database, or are taken over by a set of the same name
	}
	have, _, err := r.ours(ctx, s)
	if err != nil {
		return outcome.FromError(err)
	}
	cell := s.Cell()
	if len(have) == 0 && cell.Operation != "" && s.Now().Sub(cell.Since.Time) >= quiet {
		return outcome.Done()
	}
	if err := r.remove(ctx, s, names(have, func(string) bool { return true })...); err != nil {
		return outcome.FromError(err)
	}
	if len(have) > 0 || cell.Operation == "" {
		cell.Operation, cell.Since = "Delete", metav1.NewTime(s.Now().Truncate(time.Second))
	}
	return outcome.Poll(pace, "the end of ovn-controller on all nodes", "The records of the nodes are removed; wait "+
		"until no node has made its own again for %d seconds.", int(quiet.Seconds()))
}

// rollout waits until every node runs the newest pod.
func rollout(_ context.Context, s *scope) *outcome.Outcome {
	running := sets(s.Child, s.Owner())
	if len(running) == 0 {
		name := daemons(s.Owner())
		return outcome.Wait("DaemonSet "+name, "DaemonSet %s is not there yet; see whether somebody deletes it.", name)
	}
	for _, d := range running {
		if ready, why := gate.For(d)(d); !ready {
			return outcome.Wait("DaemonSet "+d.Name, "%s", why)
		}
	}
	return outcome.Done()
}
