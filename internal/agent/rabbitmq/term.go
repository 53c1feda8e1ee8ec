package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/member"
)

// term is one run of the broker.
type term struct {
	*Agent
	process *agent.Process
	// order that the run obeys; nil on a plain start.
	order *member.Start
	began time.Time
	tls   *agent.Renewal
	// grown is when a member that joined last asked for its replicas.
	grown time.Time
	// whole is since when all members have been running, elected whether queues without a leader were looked for since.
	whole   time.Time
	elected bool
	absent  absence
}

// Process is the broker's.
func (t *term) Process() *agent.Process { return t.process }

// Look asks the broker how it is and finishes what the run began with. An error ends the run.
func (t *term) Look(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	t.tls.Look(asking)
	if t.Vol.Memo().Alone {
		t.goAlone(asking)
	}
	b, members, err := t.observe(asking)
	if err != nil {
		t.Set(func(s *member.State) {
			if s.Phase == member.Running {
				s.Service.Why = err.Error()
			}
		})
		// A broker that has lost the majority of its metadata store may not even tell who is missing.
		t.reconnect(ctx, without(t.Vol.Memo().Members, []string{t.cfg.Pod}))
		return t.overdue()
	}
	t.Answered()
	if t.order != nil {
		done, err := t.form(asking, members)
		if err != nil || !done {
			return errors.Join(err, t.overdue())
		}
		t.order = nil
	}
	m := t.Vol.Memo()
	switch {
	case !m.Data:
		return errors.New("the broker runs on a volume that is not a member's")
	case m.Leaving:
		return t.leave(ctx, members)
	case m.Alone:
		b.Why = "queues are being taken over from lost members"
	}
	if err := t.Vol.Remember(func(m *member.Memo) { m.Members, m.Version = members, b.Version }); err != nil {
		slog.Error("remembering the members", "error", err)
	}
	t.Recall(member.Running, "")
	t.Set(func(s *member.State) { s.Service, s.Log = b, nil })
	t.reconnect(asking, without(members, b.Running))
	t.elect(ctx, len(b.Running) == len(members))
	return nil
}

// overdue ends a run that was to form or join a cluster and does not get there.
func (t *term) overdue() error {
	if t.order != nil && time.Since(t.began) > formWithin {
		return fmt.Errorf("beginning with %s took longer than %s", t.order.Mode, formWithin)
	}
	return nil
}

// observe asks the broker for its health and for the pods of its cluster.
func (t *term) observe(ctx context.Context) (member.Service, []string, error) {
	nodes, err := t.door.nodes(ctx)
	if err != nil {
		return member.Service{}, nil, err
	}
	var b member.Service
	var members []string
	draining := false
	for _, n := range nodes {
		pod := t.cfg.pod(n.Name)
		members = append(members, pod)
		if n.Running {
			b.Running = append(b.Running, pod)
		}
		draining = draining || pod == t.cfg.Pod && n.Draining
	}
	slices.Sort(members)
	slices.Sort(b.Running)
	if b.Version, err = t.door.version(ctx); err != nil {
		return member.Service{}, nil, err
	}
	switch {
	case draining:
		b.Why = "the broker is in maintenance mode"
	case 2*len(b.Running) <= len(members):
		b.Why = fmt.Sprintf("%d of %d members run, which is no majority", len(b.Running), len(members))
	}
	if b.Why == "" {
		b.Why, err = t.door.check(ctx, "port-listener/"+t.cfg.Port)
	}
	if b.Why == "" && err == nil {
		b.Alarms, b.Why, err = t.door.alarms(ctx)
	}
	if err != nil {
		return member.Service{}, nil, err
	}
	return b, members, nil
}

// form finishes a start on an empty volume. From when it returns true the data counts as a member's.
func (t *term) form(ctx context.Context, members []string) (bool, error) {
	switch t.order.Mode {
	case member.Seed:
		if !t.inKhepri(ctx) {
			return false, nil
		}
	case member.Join:
		// RabbitMQ may come up as a cluster of its own when it could not join. Then nobody counts on what is there.
		if !slices.ContainsFunc(t.order.Peers, func(p string) bool { return slices.Contains(members, p) }) {
			err := fmt.Errorf("the broker has not joined %s but runs alone; trying anew", some(t.order.Peers))
			return false, errors.Join(err, t.Vol.Remember(func(m *member.Memo) { m.Order = nil }))
		}
		if !t.replicate(ctx) {
			return false, nil
		}
	}
	return true, t.Vol.Remember(func(m *member.Memo) { m.Data, m.Order, m.Members = true, nil, members })
}

// inKhepri tells whether the new cluster keeps its metadata in Khepri, after having asked for it.
func (t *term) inKhepri(ctx context.Context) bool {
	err := t.door.enable(ctx, khepri)
	if err != nil {
		t.Set(func(s *member.State) { s.Message = err.Error() })
	}
	return err == nil
}

// replicate puts replicas of all quorum queues on this member, and tells whether they are there.
func (t *term) replicate(ctx context.Context) bool {
	self := t.cfg.node(t.cfg.Pod)
	left, err := t.door.lacking(ctx, self)
	if err != nil {
		slog.Warn("looking for queues without a replica here", "error", err)
		return false
	}
	if len(left) == 0 {
		return true
	}
	t.Set(func(s *member.State) {
		s.Message = fmt.Sprintf("putting replicas of queues on this member; %s and %d others have none yet",
			left[0], len(left)-1)
	})
	if time.Since(t.grown) > 5*time.Second {
		t.grown = time.Now()
		if err := t.door.grow(ctx, self); err != nil {
			slog.Warn("waiting for replicas", "error", err)
		}
	}
	return false
}

// goAlone makes the metadata store and the queues forget the other members. It is repeated until both have.
func (t *term) goAlone(ctx context.Context) {
	if err := t.cfg.eval(ctx, shrinkStore); err != nil {
		slog.Warn("the metadata store does not go on alone yet", "error", err)
		return
	}
	if t.State().Phase != member.Running {
		return
	}
	if err := t.cfg.eval(ctx, shrinkQueues); err != nil {
		slog.Warn("the queues do not go on alone yet", "error", err)
		return
	}
	if err := t.Vol.Remember(func(m *member.Memo) { m.Alone = false }); err != nil {
		slog.Error("noting that the member goes on alone", "error", err)
	}
}

// leave takes the member out of its cluster for good. It is repeated, also after a crash, until the member is alone.
func (t *term) leave(ctx context.Context, members []string) error {
	t.Recall(member.Stopping, "leaving the cluster")
	beating, stop := context.WithCancel(ctx)
	defer stop()
	go t.Wait(beating, leaveWithin)
	ctx, cancel := context.WithTimeout(ctx, leaveWithin)
	defer cancel()
	if len(members) > 1 {
		if err := t.reset(ctx); err != nil {
			slog.Error("leaving the cluster", "error", err)
			t.Set(func(s *member.State) { s.Message = err.Error() })
			return nil
		}
	}
	err := t.Vol.Remember(func(m *member.Memo) { *m = member.Memo{Volume: m.Volume, Left: true} })
	return errors.Join(member.ErrLeft, err)
}

// reset makes the member leave while both it and the others run, so that what is left of the cluster has its majority.
func (t *term) reset(ctx context.Context) error {
	for _, step := range [][]string{{"rabbitmq-upgrade", "drain"}, {"rabbitmqctl", "stop_app"}} {
		if err := t.cfg.tool(ctx, step[0], step[1:]...); err != nil {
			return fmt.Errorf("leaving the cluster: %w", err)
		}
	}
	if err := t.cfg.tool(ctx, "rabbitmqctl", "reset"); err != nil {
		return errors.Join(fmt.Errorf("leaving the cluster: %w", err), t.cfg.tool(ctx, "rabbitmqctl", "start_app"))
	}
	return nil
}

// settleFor is how long all members run before queues without a leader are looked for: those that know how to elect one
// have done so by then, and the member with the longest log has won.
const settleFor = 10 * time.Second

// elect gives a leader to queues that have none. RabbitMQ notes a new queue on disk up to a second after it has
// answered that the queue is there; when all members die within that second, its replicas start anew and wait for
// each other.
func (t *term) elect(ctx context.Context, whole bool) {
	switch {
	case !whole:
		t.whole = time.Time{}
	case t.whole.IsZero():
		t.whole = time.Now()
	case !t.elected && time.Since(t.whole) > settleFor:
		ctx, cancel := context.WithTimeout(ctx, askWithin)
		defer cancel()
		if err := t.cfg.eval(ctx, electLeaders); err != nil {
			slog.Warn("looking for queues without a leader", "error", err)
			t.whole = time.Now()
			return
		}
		t.elected = true
	}
}
