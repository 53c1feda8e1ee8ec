package member

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// pollEvery is how often a daemon that runs is asked.
const pollEvery = time.Second

// serve runs the daemon until it ends. The error says why it ended unless it was told to.
func (k *Keeper) serve(ctx context.Context, o *Start) error {
	if err := k.resolves(ctx); err != nil {
		return fmt.Errorf("waiting until this member's own name is known: %w", err)
	}
	t, err := k.daemon.Begin(ctx, o)
	if err != nil {
		return err
	}
	defer t.Process().Reap()
	k.Recall(Starting, k.starting(o))
	return k.follow(ctx, t)
}

func (k *Keeper) starting(o *Start) string {
	switch {
	case o == nil:
		return "the " + k.Word + " was started; it serves when a majority of its members runs"
	case o.Mode == Seed:
		return "forming a new cluster"
	}
	return "joining " + strings.Join(o.Peers, ", ")
}

// follow looks after a running daemon until it ends.
func (k *Keeper) follow(ctx context.Context, t Term) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		k.Alive()
		select {
		case <-t.Process().Done():
			return k.ended(t)
		case <-ctx.Done():
			t.Yield()
			k.stop(t.Process())
			return nil
		case o := <-k.starts:
			k.note(o)
		case <-tick.C:
			if err := t.Look(ctx); err != nil {
				k.stop(t.Process())
				return unless(ErrLeft, err)
			}
		}
	}
}

// note takes the only order that a member with a running daemon may get.
func (k *Keeper) note(o Start) {
	if o.Mode != Alone {
		return
	}
	if _, err := k.obey(o); err != nil {
		slog.Error("noting an order", "error", err)
	}
}

// unless returns err, or nil when it is the expected one.
func unless(expected, err error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// ended tells how the daemon ended by itself.
func (k *Keeper) ended(t Term) error {
	log := t.Process().Tail()
	k.Set(func(s *State) { s.Log = log })
	err := t.Ended(log)
	if errors.Is(err, ErrLeft) {
		return nil
	}
	return fmt.Errorf("the %s ended by itself, %s: %w", k.Word, how(t.Process().Err()), err)
}

func how(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// stop ends the daemon in good order, however long it takes; the kubelet's grace period is the limit.
func (k *Keeper) stop(p *agent.Process) {
	k.Recall(Stopping, "the "+k.Word+" is being stopped")
	p.Signal(syscall.SIGTERM)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		k.Alive()
		select {
		case <-p.Done():
			return
		case <-tick.C:
		}
	}
}

// Ready is the readiness probe: the daemon runs in a cluster with a majority and serves clients.
func (k *Keeper) Ready() error {
	s := k.State()
	switch {
	case s.Serves():
		return nil
	case s.Phase == Running:
		return errors.New(s.Service.Why)
	}
	return fmt.Errorf("%s: %s", s.Phase, s.Message)
}

// How long the agent's own loop, and a daemon that has been serving, may hang.
const (
	liveTimeout   = time.Minute
	daemonTimeout = 3 * time.Minute
)

// Live is the liveness probe: the agent's loop turns, and a daemon that runs answers something. It does not depend on
// other members or on how long a start takes. A daemon that ended is started again by the agent.
func (k *Keeper) Live() error {
	if time.Since(time.Unix(k.beat.Load(), 0)) > liveTimeout {
		return errors.New("the agent's loop hangs")
	}
	if k.State().Phase == Running && time.Since(time.Unix(k.answered.Load(), 0)) > daemonTimeout {
		return errors.New("the " + k.Word + " has not answered for 3 minutes")
	}
	return nil
}
