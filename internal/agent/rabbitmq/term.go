package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// term is one run of the broker.
type term struct {
	*Agent
	// order that the run obeys; nil on a plain start.
	order *Start
	began time.Time
	tls   *tlsWatch
	// grown tells that a member that joined has asked for its replicas.
	grown time.Time
}

// look asks the broker how it is and finishes what the run began with. An error ends the run.
func (t *term) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	t.tls.look(ctx, &t.cfg)
	if m := t.vol.Memo(); m.Alone {
		t.goAlone(ctx)
	}
	b, members, err := t.observe(ctx)
	if err != nil {
		t.set(func(s *State) {
			if s.Phase == Running {
				s.Broker.Why = err.Error()
			}
		})
		return t.overdue()
	}
	t.answered.Store(time.Now().Unix())
	if t.order != nil {
		done, err := t.form(ctx, members)
		if err != nil || !done {
			return errors.Join(err, t.overdue())
		}
		t.order = nil
	}
	if !t.vol.Memo().Data {
		return errors.New("the broker runs on a volume that is not a member's")
	}
	if err := t.vol.Remember(func(m *Memo) { m.Members, m.Version, m.Left = members, b.Version, false }); err != nil {
		slog.Error("remembering the members", "error", err)
	}
	if t.vol.Memo().Alone {
		b.Why = "queues are being taken over from lost members"
	}
	t.recall(Running, "")
	t.set(func(s *State) { s.Broker, s.Log = b, nil })
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
func (t *term) observe(ctx context.Context) (Broker, []string, error) {
	nodes, err := t.door.nodes(ctx)
	if err != nil {
		return Broker{}, nil, err
	}
	var b Broker
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
		return Broker{}, nil, err
	}
	switch {
	case draining:
		b.Why = "the broker is in maintenance mode"
	case 2*len(b.Running) <= len(members):
		b.Why = fmt.Sprintf("%d of %d members run, which is no majority", len(b.Running), len(members))
	}
	for _, check := range []string{"port-listener/" + t.cfg.Port, "local-alarms"} {
		if b.Why != "" {
			break
		}
		if b.Why, err = t.door.check(ctx, check); err != nil {
			return Broker{}, nil, err
		}
	}
	return b, members, nil
}

// form finishes a start on an empty volume. From when it returns true the data counts as a member's.
func (t *term) form(ctx context.Context, members []string) (bool, error) {
	switch t.order.Mode {
	case Seed:
		if err := t.door.enable(ctx, khepri); err != nil {
			t.set(func(s *State) { s.Message = err.Error() })
			return false, nil
		}
	case Join:
		// RabbitMQ may come up as a cluster of its own when it could not join.
		if !slices.ContainsFunc(t.order.Peers, func(p string) bool { return slices.Contains(members, p) }) {
			return false, fmt.Errorf("the broker has not joined %v but runs alone; trying anew", t.order.Peers)
		}
		if done, err := t.replicate(ctx); err != nil || !done {
			return false, err
		}
	}
	return true, t.vol.Remember(func(m *Memo) { m.Data, m.Members = true, members })
}

// replicate puts replicas of all quorum queues on this member.
func (t *term) replicate(ctx context.Context) (bool, error) {
	self := t.cfg.node(t.cfg.Pod)
	left, err := t.door.lacking(ctx, self)
	if err != nil || len(left) == 0 {
		return err == nil, nil
	}
	t.set(func(s *State) {
		s.Message = fmt.Sprintf("putting replicas of queues on this member; %s and %d others have none yet", left[0], len(left)-1)
	})
	if time.Since(t.grown) > 5*time.Second {
		t.grown = time.Now()
		if err := t.door.grow(ctx, self); err != nil {
			slog.Warn("waiting for replicas", "error", err)
		}
	}
	return false, nil
}

// goAlone makes the metadata store and the queues forget the other members. It is repeated until both have.
func (t *term) goAlone(ctx context.Context) {
	if err := t.cfg.eval(ctx, shrinkStore); err != nil {
		slog.Warn("the metadata store does not go on alone yet", "error", err)
		return
	}
	if t.State().Phase != Running {
		return
	}
	if err := t.cfg.eval(ctx, shrinkQueues); err != nil {
		slog.Warn("the queues do not go on alone yet", "error", err)
		return
	}
	if err := t.vol.Remember(func(m *Memo) { m.Alone = false }); err != nil {
		slog.Error("noting that the member goes on alone", "error", err)
	}
}
