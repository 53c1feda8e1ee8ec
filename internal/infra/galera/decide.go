package galera

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/agent/mariadb"
)

// World is all that a decision is made from.
type World struct {
	// Pods are the names of all members there should be, in order.
	Pods []string
	// Reports has the state of each member whose agent answers.
	Reports map[string]mariadb.State
	// Record is what the operator remembers.
	Record Record
	// Override is a person's choice of the member to start from, and Epoch the start it is for.
	Override      string
	OverrideEpoch int64
	// Still is for how long the picture has been as it is.
	Still time.Duration
}

// Patience with members that are not in the picture or might come together by themselves.
const patience = 20 * time.Second

// Action is what to do.
type Action int

// The actions.
const (
	// Wait does nothing; the decision's text says for what.
	Wait Action = iota
	// Serve: a primary component runs.
	Serve
	// Begin orders the seed to begin the cluster.
	Begin
	// Halt stops members that run without a majority.
	Halt
)

// Decision is what to do about a cluster.
type Decision struct {
	Action Action
	// Seed begins the cluster in Epoch.
	Seed  mariadb.State
	Epoch int64
	// Halt lists members to stop.
	Halt []string
	// Reason and Text are for the condition while there is no cluster. On names who is waited for.
	Reason, On, Text string
	// Person tells that only a person can go on.
	Person bool
}

// decide is the whole of recovery. It never begins a cluster while another one may run, never with data that may lack
// an acknowledged write, and never over data of another history.
func decide(w World) Decision {
	primary := w.where(func(s mariadb.State) bool { return s.Phase == mariadb.Running && s.Wsrep.Primary })
	if len(primary) > 0 {
		return w.running(primary)
	}
	if d, ok := w.pending(); ok {
		return d
	}
	if d, ok := w.quiet(); !ok {
		return d
	}
	if w.overridden() {
		return w.begin(w.Reports[w.Override], "")
	}
	return w.choose()
}

// where lists the members that answer and fulfil f, in order.
func (w *World) where(f func(mariadb.State) bool) []mariadb.State {
	var out []mariadb.State
	for _, p := range w.Pods {
		if s, ok := w.Reports[p]; ok && f(s) {
			out = append(out, s)
		}
	}
	return out
}

// silent lists the members that do not answer.
func (w *World) silent() []string {
	return slices.DeleteFunc(slices.Clone(w.Pods), func(p string) bool { _, ok := w.Reports[p]; return ok })
}

func (w *World) running(primary []mariadb.State) Decision {
	for _, s := range primary {
		if s.Wsrep.UUID != primary[0].Wsrep.UUID {
			return Decision{Reason: "TwoHistories", Person: true, On: "Pod " + s.Pod, Text: fmt.Sprintf(
				"Members %s and %s run with different histories; delete the volume claims and pods of the one whose data is not "+
					"needed.",
				primary[0].Pod, s.Pod)}
		}
	}
	return Decision{Action: Serve}
}

// pending goes on with a start that was ordered before, until it has happened or its volume is gone.
func (w *World) pending() (Decision, bool) {
	r := &w.Record
	if r.Seed == "" || w.overridden() {
		return Decision{}, false
	}
	s, ok := w.Reports[r.Seed]
	switch {
	case !ok:
		return w.stuck("SeedUnreachable", "Pod "+r.Seed, fmt.Sprintf(
			"Waits for member %s, which was chosen to start the cluster and does not answer.", r.Seed)), true
	case s.Volume != r.Volume, s.Position.Known() && s.Position != r.Position:
		return Decision{}, false // the volume is gone, or the start has happened and is over
	case s.Phase == mariadb.Down || s.Phase == mariadb.Blocked:
		return Decision{Action: Begin, Seed: s, Epoch: r.Epoch, Reason: "Starting", On: "Pod " + s.Pod, Text: sentence(
			fmt.Sprintf("Starts the cluster from member %s; wait, or see the log of its pod.", s.Pod), s.Message)}, true
	}
	return Decision{Reason: "Starting", On: "Pod " + s.Pod, Text: sentence(
		fmt.Sprintf("Waits until member %s, from which the cluster starts, serves; see the log of its pod.", s.Pod),
		s.Message)}, true
}

// quiet makes sure that nothing runs and nothing comes together by itself.
func (w *World) quiet() (Decision, bool) {
	busy := w.where(func(s mariadb.State) bool { return s.Phase == mariadb.Inspecting || s.Phase == mariadb.Stopping })
	if len(busy) > 0 {
		return Decision{Reason: "Inspecting", On: "Pod " + busy[0].Pod, Text: fmt.Sprintf(
			"Waits until member %s is down and knows where its data stands; see the log of its pod if that lasts.",
			busy[0].Pod)}, false
	}
	up := w.where(func(s mariadb.State) bool { return s.Phase == mariadb.Running || s.Phase == mariadb.Starting })
	if len(up) == 0 {
		return Decision{}, true
	}
	// Members that lost the majority find together again when the network comes back, if the others still run. If all
	// others are known to be down, that cannot happen.
	lone := len(up) < len(w.Pods) && len(w.silent()) == 0
	if !lone && !w.overridden() && (len(w.silent()) > 0 || w.Still < patience) {
		return w.stuck("NoMajority", "Pod "+up[0].Pod, fmt.Sprintf(
			"Member %s runs without a majority%s; it goes on by itself when the members reach each other again.",
			up[0].Pod, missing(w.silent()))), false
	}
	d := Decision{Action: Halt, Reason: "NoMajority", On: "Pod " + up[0].Pod, Text: fmt.Sprintf(
		"Stops member %s, which runs without a majority, to start the cluster anew; wait.", up[0].Pod)}
	for _, s := range up {
		d.Halt = append(d.Halt, s.Pod)
	}
	return d, false
}

func (w *World) overridden() bool {
	_, ok := w.Reports[w.Override]
	return ok && w.OverrideEpoch == w.Record.Epoch+1
}

// choose finds the seed among members of which none runs.
func (w *World) choose() Decision {
	data := w.where(func(s mariadb.State) bool { return !s.Empty })
	if len(data) == 0 {
		return w.fresh()
	}
	uuid, d := w.history(data)
	if uuid == "" {
		return d
	}
	able := w.where(func(s mariadb.State) bool { return !s.Empty && s.Position.Known() && s.Position.UUID == uuid })
	if len(able) == 0 {
		return w.stuck("NoSeed", "", "No member that answers knows where its data stands"+missing(w.silent())+".")
	}
	if lacking := w.lacking(able); len(lacking) > 0 {
		return w.stuck("WritesMayBeLost", "Pod "+lacking[0], fmt.Sprintf(
			"Member %s took the last writes and its data is not there%s.", strings.Join(lacking,
				", "), w.whereabouts(lacking[0])))
	}
	if s := w.silent(); len(s) > 0 && w.Still < patience {
		return Decision{Reason: "WaitingForMembers", On: "Pod " + s[0], Text: fmt.Sprintf(
			"All members are down%s; wait: it goes on without them soon, because the others have all acknowledged writes.",
			missing(s))}
	}
	return w.begin(best(able, w.writers()), "")
}

// fresh is about members without any data.
func (w *World) fresh() Decision {
	if s := w.silent(); len(s) > 0 {
		return Decision{Reason: "WaitingForMembers", On: "Pod " + s[0], Text: fmt.Sprintf(
			"Waits for the first answer of member %s; see in condition DeploymentReady why its pod does not run.",
			strings.Join(s, ", "))}
	}
	if w.Record.Cluster != "" {
		return w.stuck("DataLost", "",
			"The cluster had data, and the volumes of all members are empty; bring back the volumes.")
	}
	return w.begin(w.Reports[w.Pods[0]], "")
}

// history finds the id that the data must have: the recorded one, or that of a majority of the members.
func (w *World) history(data []mariadb.State) (string, Decision) {
	if w.Record.Cluster != "" {
		return w.Record.Cluster, Decision{}
	}
	votes := map[string]int{}
	for _, s := range data {
		if s.Position.Known() {
			votes[s.Position.UUID]++
		}
	}
	for uuid, n := range votes {
		if 2*n > len(w.Pods) {
			return uuid, Decision{}
		}
	}
	if s := w.silent(); len(s) > 0 {
		return "", w.stuck("WaitingForMembers", "Pod "+s[0], "The volumes have data from before"+missing(s)+".")
	}
	return "", w.stuck("NoMajority", "", "The volumes have data from before, and no history is on most of them.")
}

// writers are the members that may have taken the last acknowledged write: those of the recorded orders, and that of
// the newest order that a member knows. That a member knows an order does not say that it took effect: the old writer
// may have taken writes until then, and the new one may not have got them before all died.
func (w *World) writers() []string {
	var out []string
	for _, r := range w.Record.Roles {
		out = append(out, r.Writer)
	}
	if newest := w.newestRole(); newest.Term > w.Record.Term() {
		out = append(out, newest.Writer)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// lacking lists the members without whose data acknowledged writes may be missing. Whoever has the data of all writers
// has all acknowledged writes: a write is acknowledged by the writer only, after it is on its volume, and a new writer
// takes none before it has all of the old one's. Of a cluster that this object never ran nothing is known, so that all
// members have to be there.
func (w *World) lacking(able []mariadb.State) []string {
	need := w.writers()
	if w.Record.Epoch == 0 {
		need = w.Pods
	}
	return slices.DeleteFunc(slices.Clone(need), func(p string) bool {
		return slices.ContainsFunc(able, func(s mariadb.State) bool { return s.Pod == p })
	})
}

// best is the member that is furthest; of equal ones a writer, so that clients stay where they are, then the first.
func best(able []mariadb.State, writers []string) mariadb.State {
	rank := func(s mariadb.State) int {
		if slices.Contains(writers, s.Pod) {
			return 1
		}
		return 0
	}
	return slices.MaxFunc(able, func(x, y mariadb.State) int {
		return cmp.Or(cmp.Compare(x.Position.Seqno, y.Position.Seqno), cmp.Compare(rank(x), rank(y)),
			cmp.Compare(y.Pod, x.Pod))
	})
}

func (w *World) begin(seed mariadb.State, why string) Decision {
	return Decision{Action: Begin, Seed: seed, Epoch: w.Record.Epoch + 1, Reason: "Starting", On: "Pod " + seed.Pod,
		Text: sentence(
			fmt.Sprintf("Starts the cluster from member %s; wait, or see the log of its pod.", seed.Pod), why)}
}

// stuck is a wait that a person may end, and says how.
func (w *World) stuck(reason, on, text string) Decision {
	d := Decision{Reason: reason, On: on, Text: text, Person: true}
	known := w.where(func(s mariadb.State) bool { return !s.Empty && s.Position.Known() })
	if len(known) == 0 {
		known = w.where(func(s mariadb.State) bool { return s.Phase != mariadb.Inspecting })
	}
	if len(known) == 0 {
		d.Text += " Bring the members' pods up."
		return d
	}
	seed := best(known, w.writers()).Pod
	d.Text += fmt.Sprintf(" Bring the missing members back; or, to start from %s and lose the writes that only others "+
		"have, "+
		"set spec.recovery to {seed: %s, epoch: %d}.", seed, seed, w.Record.Epoch+1)
	return d
}

// whereabouts tells what is known of a member whose data is missing.
func (w *World) whereabouts(pod string) string {
	s, ok := w.Reports[pod]
	switch {
	case !ok:
		return ": it does not answer"
	case s.Empty:
		return ": its volume is empty"
	case s.Position.Known():
		return ": its volume belongs to another history"
	}
	return ": its volume has half a copy"
}

func missing(pods []string) string {
	if len(pods) == 0 {
		return ""
	}
	return ", and " + strings.Join(pods, ", ") + " does not answer"
}

func sentence(text, detail string) string {
	if detail == "" {
		return text
	}
	return text + " " + detail
}
