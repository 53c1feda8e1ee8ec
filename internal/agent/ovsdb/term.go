package ovsdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/member"
	"stackwright.dev/stackwright/internal/agent/ovs"
)

const (
	// formWithin is how long a start on an empty volume may take before it is tried anew.
	formWithin = 2 * time.Minute
	// timerEvery is the time between two changes of the election timer, which can only be doubled at a time.
	timerEvery = 5 * time.Second
)

// gone is what a server says of a database that it has dropped, as it does when its member has left the cluster.
const gone = "unknown cluster"

// term is one run of the server.
type term struct {
	*Agent
	process *agent.Process
	// order that the run obeys; nil on a plain start.
	order *member.Start
	began time.Time
	timed time.Time
}

// Process is the server's.
func (t *term) Process() *agent.Process { return t.process }

// Yield has nothing to do: a leader that is told to stop makes another one lead first.
func (t *term) Yield() {}

// Ended tells what the server said last. One whose file says that its member has left does not start.
func (t *term) Ended(log []string) error {
	last := "it has said nothing"
	for _, l := range log {
		if t.Vol.Memo().Leaving && strings.Contains(l, "has left the cluster") {
			return t.left()
		}
		last = l
	}
	for _, l := range slices.Backward(log) {
		if strings.Contains(l, "|ERR|") || strings.Contains(l, "|EMER|") || strings.HasPrefix(l, "ovsdb-server:") {
			return errors.New(l)
		}
	}
	return errors.New(last)
}

// left notes that the member has left its cluster for good.
func (t *term) left() error {
	return errors.Join(member.ErrLeft,
		t.Vol.Remember(func(m *member.Memo) { *m = member.Memo{Volume: m.Volume, Left: true} }))
}

// errAlone ends the run of a member that was ordered to go on alone: its file is made anew.
var errAlone = errors.New("stops to go on alone")

// Look asks the server how its cluster is and finishes what the run began with.
func (t *term) Look(ctx context.Context) error {
	if t.order == nil && t.Vol.Memo().Alone {
		return errAlone
	}
	text, err := t.ask(ctx, "cluster/status")
	if err != nil && t.Vol.Memo().Leaving && strings.Contains(err.Error(), gone) {
		return t.left()
	}
	if err != nil {
		t.Set(func(s *member.State) { s.Service.Why = err.Error() })
		return t.overdue()
	}
	t.Answered()
	s := parse(text)
	switch {
	case s.state == stateLeft:
		return t.left()
	case s.state != stateMember || !s.led() && t.order != nil:
		t.Set(func(m *member.State) { m.Message, m.Service.Why = "the server says: "+s.state, s.state })
		return t.overdue()
	}
	return t.serve(ctx, &s)
}

// overdue ends a run that was to form or join a cluster and does not get there.
func (t *term) overdue() error {
	if t.order != nil && time.Since(t.began) > formWithin {
		return fmt.Errorf("beginning with %s took longer than %s", t.order.Mode, formWithin)
	}
	return nil
}

// serve notes what a member of a cluster knows.
func (t *term) serve(ctx context.Context, s *status) error {
	members, running := s.pods()
	service := member.Service{Running: running}
	if !s.led() {
		service = member.Service{Why: "the database has no leader", Running: []string{t.Pod}}
	}
	service.Version, _ = ovs.Ask(ctx, t.cfg.run("database.ctl"), "version")
	err := t.Vol.Remember(func(m *member.Memo) {
		m.Data, m.Order, m.Members, m.Version = true, nil, members, service.Version
	})
	if err != nil {
		slog.Error("remembering the members", "error", err)
		return nil
	}
	t.order = nil
	if t.Vol.Memo().Leaving {
		return t.leave(ctx, members)
	}
	t.Recall(member.Running, "")
	t.Set(func(m *member.State) { m.Service, m.Log = service, nil })
	t.elect(ctx, s)
	return nil
}

// leave takes the member out of its cluster for good. The server says when it has.
func (t *term) leave(ctx context.Context, members []string) error {
	t.Recall(member.Stopping, "leaving the cluster")
	if len(members) == 1 {
		return t.left()
	}
	if _, err := t.ask(ctx, "cluster/leave"); err != nil {
		slog.Warn("leaving the cluster", "error", err)
		t.Set(func(s *member.State) { s.Message = err.Error() })
	}
	return nil
}

// elect brings the election timer to what is asked for. Only the leader can, and no further than to the double.
func (t *term) elect(ctx context.Context, s *status) {
	have, err := strconv.Atoi(s.timer)
	if err != nil || s.role != "leader" || have == t.cfg.ElectionTimer || time.Since(t.timed) < timerEvery {
		return
	}
	t.timed = time.Now()
	next := min(max(t.cfg.ElectionTimer, have/2), 2*have)
	if _, err := t.ask(ctx, "cluster/change-election-timer", strconv.Itoa(next)); err != nil {
		slog.Warn("changing the election timer", "to", next, "error", err)
	}
}
