package member

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	wire "stackwright.dev/stackwright/internal/agent/member"
)

// World is what a decision is made on.
type World struct {
	// Pods that there should be.
	Pods []string
	// Reports of the agents that answered, by pod.
	Reports map[string]wire.State
	// Record is what was decided before.
	Record Record
	// Recovery is a person's decision, or nil.
	Recovery *infrav1.Recovery
	// Content is what a lost member may take with it, such as messages.
	Content string
}

// Decision is what to do next. All orders may be given again.
type Decision struct {
	// Record to be saved before any order is given.
	Record Record
	// Forget lists members, lost with their volumes, that By has to drop from the cluster before they join.
	Forget []string
	By     string
	// Orders are given to pods.
	Orders map[string]wire.Start
	// Reason and Message tell what is waited for; empty when all members serve.
	Reason, Message string
	// Stopped tells that only a person can go on.
	Stopped bool
	// Serving tells that clients are served although a member is missing.
	Serving bool
}

// Decide tells how to bring all members into one cluster. Two clusters cannot form: a new one is begun only when the
// agents of all pods say that their volumes are empty, and always by the same pod until that pod has another volume.
func Decide(w World) Decision {
	d := Decision{Record: w.Record}
	with := w.pick(func(s wire.State) bool { return s.Data })
	for _, p := range with {
		d.Record.Epoch = max(d.Record.Epoch, w.Reports[p].Epoch)
	}
	if running := w.running(d.Record.Epoch); len(running) > 0 {
		w.gather(&d, running)
		return d
	}
	switch {
	case w.forceable(&d):
	case len(with) > 0:
		w.awaitMajority(&d, with)
	case len(w.missing()) > 0:
		d.Reason = "MembersMissing"
		d.Message = fmt.Sprintf("No member with data answers, and pods are missing: %s; see why they do not run: "+
			"kubectl describe pod %s.", list(w.missing()), w.missing()[0])
	default:
		w.seed(&d)
	}
	return d
}

func (w *World) pick(f func(wire.State) bool) []string {
	return slices.DeleteFunc(slices.Clone(w.Pods), func(p string) bool {
		s, ok := w.Reports[p]
		return !ok || !f(s)
	})
}

func (w *World) missing() []string {
	return slices.DeleteFunc(slices.Clone(w.Pods), func(p string) bool { _, ok := w.Reports[p]; return ok })
}

// running are the members of the newest formation whose daemon is in touch with a majority.
func (w *World) running(epoch int64) []string {
	return w.pick(func(s wire.State) bool {
		return s.Phase == wire.Running && s.Data && s.Epoch == epoch && s.Majority()
	})
}

// gather makes pods without usable data join the running members.
func (w *World) gather(d *Decision, running []string) {
	d.Orders, d.By, d.Serving = map[string]wire.Start{}, running[0], true
	var waiting []string
	for _, p := range w.Pods {
		s, ok := w.Reports[p]
		switch {
		case !ok:
			waiting = append(waiting, p+" does not answer")
			continue
		case s.Serves():
			continue
		case s.Phase == wire.Running:
			waiting = append(waiting, p+": "+s.Service.Why)
			continue
		case s.Phase != wire.Blank && s.Phase != wire.Left && s.Phase != wire.Outdated:
			waiting = append(waiting, fmt.Sprintf("%s is %s: %s", p, s.Phase, s.Message))
			continue
		}
		if slices.Contains(w.Reports[d.By].Members, p) {
			d.Forget = append(d.Forget, p)
		}
		d.Orders[p] = wire.Start{Mode: wire.Join, Epoch: d.Record.Epoch, Volume: s.Volume, Peers: running}
		waiting = append(waiting, p+" joins")
	}
	if len(waiting) > 0 {
		d.Reason = "MembersJoining"
		d.Message = "Waits for members: " + strings.Join(waiting, "; ") + ". See the logs of their pods."
	}
}

// seed begins a cluster: all volumes are empty.
func (w *World) seed(d *Decision) {
	moving := func(s wire.State) bool { return s.Phase == wire.Starting || s.Phase == wire.Stopping }
	if p := w.pick(moving); len(p) > 0 {
		d.Reason = "Forming"
		d.Message = fmt.Sprintf("Waits for %s: %s. See the log of that pod.", p[0], w.Reports[p[0]].Message)
		return
	}
	ready := w.pick(func(s wire.State) bool { return s.Phase == wire.Blank || s.Phase == wire.Left })
	if len(ready) != len(w.Pods) {
		w.tell(d)
		return
	}
	pod := w.Record.Pod
	if s, ok := w.Reports[pod]; !ok || s.Volume != w.Record.Volume || w.Record.Epoch == 0 {
		pod = w.Pods[0]
		d.Record = Record{Epoch: w.Record.Epoch + 1, Pod: pod, Volume: w.Reports[pod].Volume}
	}
	for _, p := range w.Pods {
		d.Record.Epoch = max(d.Record.Epoch, w.Reports[p].Epoch)
	}
	d.Orders = map[string]wire.Start{pod: {Mode: wire.Seed, Epoch: d.Record.Epoch, Volume: d.Record.Volume}}
	d.Reason, d.Message = "Forming", "Waits for "+pod+" to form the cluster; see the log of that pod."
}

// forceable obeys a person who says that one member goes on without its majority.
func (w *World) forceable(d *Decision) bool {
	if w.Recovery == nil {
		return false
	}
	s, ok := w.Reports[w.Recovery.ForceBoot]
	// The order may have been recorded, and noted by the agent, already.
	due := w.Recovery.Epoch == d.Record.Epoch+1 ||
		w.Recovery.Epoch == w.Record.Epoch && w.Record.Pod == w.Recovery.ForceBoot
	if !ok || !s.Data || !due {
		return false
	}
	d.Record = Record{Epoch: w.Recovery.Epoch, Pod: s.Pod, Volume: s.Volume}
	d.Reason, d.Message = "ForceBoot", "Waits for "+s.Pod+" to go on alone, as spec.recovery.forceBoot says; see its log."
	if s.Epoch < w.Recovery.Epoch {
		d.Orders = map[string]wire.Start{s.Pod: {Mode: wire.Alone, Epoch: w.Recovery.Epoch, Volume: s.Volume}}
	}
	return true
}

// awaitMajority tells what is missing when members with data are there and do not make a majority.
func (w *World) awaitMajority(d *Decision, with []string) {
	with = slices.DeleteFunc(with, func(p string) bool { return w.Reports[p].Epoch < d.Record.Epoch })
	members := with
	for _, p := range with {
		if m := w.Reports[p].Members; len(m) > len(members) {
			members = m
		}
	}
	isMember := func(p string) bool { return slices.Contains(members, p) }
	have := slices.DeleteFunc(with, func(p string) bool { return !isMember(p) })
	silent := slices.DeleteFunc(w.missing(), func(p string) bool { return !isMember(p) })
	need := len(members)/2 + 1
	if len(w.pick(func(s wire.State) bool { return s.Phase == wire.Starting && !s.Data })) > 0 {
		// A member that joins counts before it says that it has joined.
		w.tell(d)
		return
	}
	choice := fmt.Sprintf("set spec.recovery to {forceBoot: %s, epoch: %d}", firstOr(have, with), d.Record.Epoch+1)
	switch {
	case len(have) >= need:
		w.tell(d)
	case len(have)+len(silent) >= need:
		d.Reason = "MajorityMissing"
		d.Message = fmt.Sprintf("%s data and waits for a majority, %d of the members %s; %s not answer: "+
			"bring back the nodes that are gone, or, if a volume is lost for good and %s that only it held may be lost, %s.",
			do(have, "has", "have"), need, list(members), do(silent, "does", "do"), w.Content, choice)
	default:
		d.Reason, d.Stopped = "VolumesLost", true
		d.Message = fmt.Sprintf("Only %s of the members %s has its data, which is no majority, so the operator "+
			"cannot know whether it has all %s; restore the other volumes, or %s.", list(have), list(members), w.Content, choice)
	}
}

// do says who does something.
func do(who []string, one, several string) string {
	if len(who) == 1 {
		return who[0] + " " + one
	}
	return list(who) + " " + several
}

func firstOr(a, b []string) string {
	for _, p := range append(slices.Clone(a), b...) {
		return p
	}
	return ""
}

// tell says how far members are that come up by themselves.
func (w *World) tell(d *Decision) {
	var parts []string
	for _, p := range w.Pods {
		s, ok := w.Reports[p]
		if !ok {
			parts = append(parts, p+" does not answer")
			continue
		}
		d.Stopped = d.Stopped || s.Phase == wire.Blocked
		parts = append(parts, fmt.Sprintf("%s is %s: %s", p, s.Phase, cmp.Or(s.Service.Why, s.Message, "it serves")))
	}
	d.Reason = "MembersStarting"
	d.Message = "Waits for members: " + strings.Join(parts, "; ") + ". See the logs of their pods."
}

func list(pods []string) string { return strings.Join(pods, ", ") }
