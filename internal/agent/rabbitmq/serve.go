package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// Paces of the loop while the broker runs.
const (
	pollEvery = time.Second
	askWithin = 10 * time.Second
	// formWithin is how long a start on an empty volume may take before it is tried anew.
	formWithin = 3 * time.Minute
	// awaitQuorum is how long a member that has to stop waits until no queue depends on it.
	awaitQuorum = 45 * time.Second
	drainWithin = 20 * time.Second
	leaveWithin = 3 * time.Minute
)

// serve runs the broker until it ends. The error says why it ended unless it was told to.
func (a *Agent) serve(ctx context.Context, o *Start) error {
	if err := a.resolves(ctx); err != nil {
		return fmt.Errorf("waiting until this member's own name is known: %w", err)
	}
	var peers []string
	if o != nil {
		peers = o.Peers
	}
	if err := a.cfg.prepare(peers); err != nil {
		return err
	}
	p, err := agent.Start(filepath.Join(a.cfg.Home, "bin", "rabbitmq-server"), nil, a.cfg.env())
	if err != nil {
		return err
	}
	defer p.Reap()
	a.recall(Starting, starting(o))
	return a.follow(ctx, &term{Agent: a, order: o, began: time.Now(), tls: newTLSWatch(a.cfg.TLSDir)}, p)
}

func starting(o *Start) string {
	switch {
	case o == nil:
		return "the broker was started; it serves when a majority of its members runs"
	case o.Mode == Seed:
		return "forming a new cluster"
	}
	return "joining " + strings.Join(o.Peers, ", ")
}

// follow looks after a running broker until it ends.
func (a *Agent) follow(ctx context.Context, t *term, p *agent.Process) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		a.alive()
		select {
		case <-p.Done():
			return a.ended(p)
		case <-ctx.Done():
			a.yield(p)
			a.stop(p)
			return nil
		case o := <-a.starts:
			a.note(o)
		case <-tick.C:
			if err := t.look(ctx); err != nil {
				a.stop(p)
				return unless(errLeft, err)
			}
		}
	}
}

// note takes the only order that a member with a running broker may get.
func (a *Agent) note(o Start) {
	if o.Mode != Alone {
		return
	}
	if _, err := a.obey(o); err != nil {
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

// ended tells how the broker ended by itself.
func (a *Agent) ended(p *agent.Process) error {
	log := p.Tail()
	a.set(func(s *State) { s.Log = log })
	return fmt.Errorf("the broker ended by itself, %s: %s", how(p.Err()), lastError(log))
}

func how(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// lastError is what the broker complained about last.
func lastError(log []string) string {
	for _, mark := range []string{"Error during startup", "BOOT FAILED", "timeout_waiting_for_leader", "[error]"} {
		for _, l := range slices.Backward(log) {
			if i := strings.Index(l, mark); i >= 0 && len(strings.TrimSpace(l[i:])) > len(mark) {
				return strings.TrimSpace(l[i:])
			}
		}
	}
	if len(log) == 0 {
		return "it has said nothing"
	}
	return log[len(log)-1]
}

// stop ends the broker in good order, however long it takes; the kubelet's grace period is the limit.
func (a *Agent) stop(p *agent.Process) {
	a.recall(Stopping, "the broker is being stopped")
	p.Signal(syscall.SIGTERM)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		a.alive()
		select {
		case <-p.Done():
			return
		case <-tick.C:
		}
	}
}

// yield hands over what clients use before this member stops: it waits, within limits, until no queue needs it for its
// majority, and then sends clients and leaders of queues to other members.
func (a *Agent) yield(p *agent.Process) {
	s := a.State()
	if s.Phase != Running || len(s.Broker.Running) < 2 {
		return
	}
	a.set(func(s *State) { s.Phase, s.Message = Stopping, "waiting until no queue depends on this member" })
	ctx, cancel := context.WithTimeout(context.Background(), awaitQuorum)
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for why := "unknown"; why != ""; {
		a.alive()
		var err error
		if why, err = a.door.check(ctx, "node-is-quorum-critical"); err != nil {
			why = err.Error()
		}
		if why == "" {
			break
		}
		select {
		case <-p.Done():
			return
		case <-ctx.Done():
			slog.Warn("stopping although queues depend on this member", "why", why)
			why = ""
		case <-tick.C:
		}
	}
	drain, done := context.WithTimeout(context.Background(), drainWithin)
	defer done()
	if err := a.cfg.tool(drain, "rabbitmq-upgrade", "drain"); err != nil {
		slog.Warn("stopping without having handed over clients and queues", "error", err)
	}
}
