package rabbitmq

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/agent/member"
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

// Ended tells what the broker complained about last.
func (*term) Ended(log []string) error { return errors.New(lastError(log)) }

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

// Yield hands over what clients use before this member stops: it waits, within limits, until no queue needs it for its
// majority, and then sends clients and leaders of queues to other members.
func (t *term) Yield() {
	s := t.State()
	if s.Phase != member.Running || len(s.Service.Running) < 2 {
		return
	}
	t.Set(func(s *member.State) {
		s.Phase, s.Message = member.Stopping, "waiting until no queue depends on this member"
	})
	ctx, cancel := context.WithTimeout(context.Background(), awaitQuorum)
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for why := "unknown"; why != ""; {
		t.Alive()
		var err error
		if why, err = t.door.check(ctx, "node-is-quorum-critical"); err != nil {
			why = err.Error()
		}
		if why == "" {
			break
		}
		select {
		case <-t.process.Done():
			return
		case <-ctx.Done():
			slog.Warn("stopping although queues depend on this member", "why", why)
			why = ""
		case <-tick.C:
		}
	}
	drain, done := context.WithTimeout(context.Background(), drainWithin)
	defer done()
	if err := t.cfg.tool(drain, "rabbitmq-upgrade", "drain"); err != nil {
		slog.Warn("stopping without having handed over clients and queues", "error", err)
	}
}
