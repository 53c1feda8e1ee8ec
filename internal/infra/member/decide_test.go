package member

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	wire "stackwright.dev/stackwright/internal/agent/member"
)

func blank(pod string) wire.State { return wire.State{Pod: pod, Volume: "v" + pod, Phase: wire.Blank} }

func left(pod string) wire.State {
	s := blank(pod)
	s.Phase = wire.Left
	return s
}

func in(pod string, phase wire.Phase, members ...string) wire.State {
	s := wire.State{Pod: pod, Volume: "v" + pod, Phase: phase, Data: true, Epoch: 1, Members: members,
		Message: "it starts"}
	if phase == wire.Running {
		s.Service.Running = members
	}
	return s
}

func reports(states ...wire.State) map[string]wire.State {
	out := map[string]wire.State{}
	for _, s := range states {
		out[s.Pod] = s
	}
	return out
}

var (
	all  = []string{"a-0", "a-1", "a-2"}
	once = Record{Epoch: 1, Pod: "a-0", Volume: "va-0"}
)

func alone(s wire.State) wire.State {
	s.Service = wire.Service{Running: []string{s.Pod}, Why: "1 of 3 members run, which is no majority"}
	return s
}

func epoch(n int64, s wire.State) wire.State {
	s.Epoch = n
	return s
}

// given renders the orders of a decision.
func given(t *testing.T, w World, d Decision) []string {
	t.Helper()
	var out []string
	for _, p := range all {
		o, ok := d.Orders[p]
		if !ok {
			continue
		}
		out = append(out, fmt.Sprintf("%s %s %d", p, o.Mode, o.Epoch))
		if o.Volume != w.Reports[p].Volume {
			t.Errorf("the order for %s is for volume %q", p, o.Volume)
		}
	}
	return out
}

type decideCase struct {
	world World
	// orders as "pod mode epoch"; forget, reason and a part of the message.
	orders          []string
	forget          []string
	reason, message string
	stopped         bool
}

// decisions are what members report, and what is decided then.
var decisions = map[string]decideCase{
	"nobody answers": {
		world:  World{Pods: all},
		reason: "MembersMissing", message: "kubectl describe pod a-0",
	},
	"one of three is not there yet": {
		world:  World{Pods: all, Reports: reports(blank("a-0"), blank("a-2"))},
		reason: "MembersMissing", message: "a-1",
	},
	"all empty": {
		world:  World{Pods: all, Reports: reports(blank("a-0"), blank("a-1"), blank("a-2"))},
		orders: []string{"a-0 Seed 1"}, reason: "Forming",
	},
	"all empty, seed was ordered": {
		world:  World{Pods: all, Record: once, Reports: reports(blank("a-0"), blank("a-1"), blank("a-2"))},
		orders: []string{"a-0 Seed 1"}, reason: "Forming",
	},
	"all volumes were lost": {
		world: World{Pods: all, Record: Record{Epoch: 4, Pod: "a-0", Volume: "gone"},
			Reports: reports(blank("a-0"), blank("a-1"), left("a-2"))},
		orders: []string{"a-0 Seed 5"}, reason: "Forming",
	},
	"seed begins": {
		world: World{Pods: all, Record: once, Reports: reports(wire.State{Pod: "a-0", Volume: "va-0", Phase: wire.Starting,
			Epoch: 1, Message: "forming a new cluster"}, blank("a-1"), blank("a-2"))},
		reason: "Forming", message: "a-0: forming a new cluster",
	},
	"seed ran": {
		world:  World{Pods: all, Record: once, Reports: reports(in("a-0", wire.Running, "a-0"), blank("a-1"), blank("a-2"))},
		orders: []string{"a-1 Join 1", "a-2 Join 1"}, reason: "MembersJoining",
	},
	"one replica": {
		world:  World{Pods: all[:1], Reports: reports(blank("a-0"))},
		orders: []string{"a-0 Seed 1"}, reason: "Forming",
	},
	"all serve": {
		world: World{Pods: all, Record: once, Reports: reports(in("a-0", wire.Running, all...),
			in("a-1", wire.Running, all...), in("a-2", wire.Running, all...))},
	},
	"an object made again finds its members": {
		world: World{Pods: all, Reports: reports(in("a-0", wire.Running, all...),
			in("a-1", wire.Running, all...), in("a-2", wire.Running, all...))},
	},
	"one volume lost": {
		world: World{Pods: all, Record: once, Reports: reports(blank("a-0"),
			in("a-1", wire.Running, all...), in("a-2", wire.Running, all...))},
		orders: []string{"a-0 Join 1"}, forget: []string{"a-0"}, reason: "MembersJoining",
	},
	"one volume lost, others start": {
		world: World{Pods: all, Record: once, Reports: reports(blank("a-0"),
			in("a-1", wire.Starting, all...), in("a-2", wire.Starting, all...))},
		reason: "MembersStarting", message: "a-1 is Starting: it starts",
	},
	"one does not answer": {
		world: World{Pods: all, Record: once, Reports: reports(in("a-1", wire.Running, all...),
			in("a-2", wire.Running, all...))},
		reason: "MembersJoining", message: "a-0 does not answer",
	},
	"two do not answer": {
		world:  World{Pods: all, Record: once, Reports: reports(in("a-1", wire.Starting, all...))},
		reason: "MajorityMissing", message: "{forceBoot: a-1, epoch: 2}",
	},
	"two do not answer and one runs alone": {
		world:  World{Pods: all, Record: once, Reports: reports(alone(in("a-1", wire.Running, all...)))},
		reason: "MajorityMissing", message: "a-1 has data and waits for a majority, 2 of the members a-0, a-1, a-2; " +
			"a-0, a-2 do not answer",
	},
	"two volumes lost": {
		world: World{Pods: all, Record: once, Reports: reports(blank("a-0"),
			in("a-1", wire.Starting, all...), blank("a-2"))},
		reason: "VolumesLost", message: "Only a-1 of the members a-0, a-1, a-2", stopped: true,
	},
	"a person decides": {
		world: World{Pods: all, Record: once, Recovery: &infrav1.Recovery{ForceBoot: "a-1", Epoch: 2},
			Reports: reports(blank("a-0"), in("a-1", wire.Starting, all...), blank("a-2"))},
		orders: []string{"a-1 Alone 2"}, reason: "ForceBoot",
	},
	"a person's decision is being obeyed": {
		world: World{Pods: all, Record: Record{Epoch: 2, Pod: "a-1", Volume: "va-1"},
			Recovery: &infrav1.Recovery{ForceBoot: "a-1", Epoch: 2},
			Reports:  reports(blank("a-0"), epoch(2, in("a-1", wire.Starting, all...)), blank("a-2"))},
		reason: "ForceBoot",
	},
	"an old decision": {
		world: World{Pods: all, Record: Record{Epoch: 2, Pod: "a-1", Volume: "va-1"},
			Recovery: &infrav1.Recovery{ForceBoot: "a-0", Epoch: 2},
			Reports:  reports(epoch(2, in("a-0", wire.Starting, all...)), blank("a-1"), blank("a-2"))},
		reason: "VolumesLost", message: "epoch: 3}", stopped: true,
	},
	"a decision for a cluster that runs": {
		world: World{Pods: all, Record: once, Recovery: &infrav1.Recovery{ForceBoot: "a-1", Epoch: 2},
			Reports: reports(in("a-0", wire.Running, all...),
				in("a-1", wire.Running, all...), in("a-2", wire.Running, all...))},
	},
	"a member of an earlier formation comes back": {
		world: World{Pods: all, Record: Record{Epoch: 2, Pod: "a-1", Volume: "va-1"}, Reports: reports(
			in("a-0", wire.Outdated, all...), epoch(2, in("a-1", wire.Running, "a-1")), blank("a-2"))},
		orders: []string{"a-0 Join 2", "a-2 Join 2"}, reason: "MembersJoining",
	},
	"a member joins and counts already": {
		world: World{Pods: all, Record: once, Reports: reports(alone(in("a-0", wire.Running, "a-0", "a-1")),
			wire.State{Pod: "a-1", Volume: "va-1", Phase: wire.Starting, Epoch: 1}, blank("a-2"))},
		reason: "MembersStarting",
	},
	"an image that is too old": {
		world:  World{Pods: all[:1], Record: once, Reports: reports(in("a-0", wire.Blocked, "a-0"))},
		reason: "MembersStarting", stopped: true,
	},
}

func TestDecide(t *testing.T) {
	for name, test := range decisions {
		t.Run(name, func(t *testing.T) {
			d := Decide(test.world)
			orders := given(t, test.world, d)
			if diff := cmp.Diff(test.orders, orders); diff != "" {
				t.Errorf("orders (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.forget, d.Forget); diff != "" {
				t.Errorf("forget (-want +got):\n%s", diff)
			}
			if d.Reason != test.reason || !strings.Contains(d.Message, test.message) || d.Stopped != test.stopped {
				t.Errorf("got %s %q, stopped %t; want %s, a message with %q, stopped %t",
					d.Reason, d.Message, d.Stopped, test.reason, test.message, test.stopped)
			}
		})
	}
}

// every is each thing that a member may report; nil is no answer.
func every(p string) []*wire.State {
	r, outdated, starting := alone(in(p, wire.Running, all...)), in(p, wire.Outdated, all...), in(p, wire.Starting, all...)
	empty, gone := blank(p), left(p)
	forming := wire.State{Pod: p, Volume: "v" + p, Phase: wire.Starting, Epoch: 1}
	return []*wire.State{nil, &r, &outdated, &starting, &empty, &gone, &forming}
}

// worlds is each world that three members may report.
func worlds() []World {
	var out []World
	for _, a := range every("a-0") {
		for _, b := range every("a-1") {
			for _, c := range every("a-2") {
				w := World{Pods: all, Record: once, Reports: map[string]wire.State{}}
				for _, s := range slices.DeleteFunc([]*wire.State{a, b, c}, func(s *wire.State) bool { return s == nil }) {
					w.Reports[s.Pod] = *s
				}
				out = append(out, w)
			}
		}
	}
	return out
}

// Whatever members report, orders never begin a second cluster.
func TestDecideNeverBeginsASecondCluster(t *testing.T) {
	for _, w := range worlds() {
		empty := len(w.pick(func(s wire.State) bool { return s.Phase == wire.Blank || s.Phase == wire.Left }))
		for p, o := range Decide(w).Orders {
			if o.Mode == wire.Alone || o.Mode == wire.Seed && empty < len(all) {
				t.Errorf("order %s to %s on %v", o.Mode, p, w.Reports)
			}
		}
	}
}

func TestRecord(t *testing.T) {
	for text, want := range map[string]Record{"": {}, "epoch=3 pod=a-1 volume=ff": {Epoch: 3, Pod: "a-1", Volume: "ff"}} {
		got, err := ParseRecord(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"epoch=x", "color=blue"} {
		if _, err := ParseRecord(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
