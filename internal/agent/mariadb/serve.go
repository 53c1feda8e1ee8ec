package mariadb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"syscall"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// Paces of the loop while mariadbd runs.
const (
	pollEvery = 500 * time.Millisecond
	askWithin = 5 * time.Second
	// handOver is how long a writer that has to stop waits for another one to be chosen.
	handOver = 10 * time.Second
)

// serve runs mariadbd until it ends. The error says why it ended unless it was told to.
func (a *Agent) serve(ctx context.Context, s *start) error {
	p, err := a.launch(s)
	if err != nil {
		return err
	}
	defer p.Reap()
	a.set(func(st *State) { st.Phase, st.Message, st.Log, st.Position = Starting, s.why, nil, Position{} })
	w := &watch{Agent: a}
	w.tls = agent.Renewal{Files: agent.Within(a.cfg.TLSDir, "tls.crt", "tls.key", "ca.crt"), Every: agent.RenewalEvery,
		Reload: func(ctx context.Context) error { return w.sql.reloadTLS(ctx) }}
	w.tls.Begin()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		a.alive()
		select {
		case <-p.Done():
			return a.ended(ctx, p)
		case <-ctx.Done():
			a.yieldWriter(p)
			a.stop(p, "the pod is being stopped")
			return nil
		case <-a.halts:
			if a.State().Wsrep.Primary {
				break
			}
			a.stop(p, "the operator halts this member to recover the cluster")
			return nil
		case <-a.bootstraps: // it is running already
		case <-tick.C:
			w.look(ctx)
		}
	}
}

// ended tells how mariadbd ended by itself.
func (a *Agent) ended(ctx context.Context, p *agent.Process) error {
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the end was asked for
	}
	ran := a.State().Phase == Running
	log := p.Tail()
	a.set(func(s *State) { s.Log, s.Wsrep, s.Writable = log, Wsrep{}, false })
	if slices.ContainsFunc(log, func(l string) bool { return strings.Contains(l, "states diverged") }) {
		a.barred = "This member has transactions that the cluster does not have, so it cannot join; if they are not " +
			"needed, delete the volume claim and the pod, and it takes a copy."
		return errors.New(a.barred)
	}
	err := fmt.Errorf("mariadbd ended by itself (%w): %s", p.Err(), complaint(log))
	if ran {
		slog.Error("mariadbd ended", "error", err)
		return nil
	}
	return err
}

// stop ends mariadbd in good order, however long it takes; the kubelet's grace period is the limit.
func (a *Agent) stop(p *agent.Process, why string) {
	a.set(func(s *State) { s.Phase, s.Message = Stopping, why })
	p.Signal(syscall.SIGTERM)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		a.alive()
		select {
		case <-p.Done():
			a.set(func(s *State) { s.Wsrep, s.Writable = Wsrep{}, false })
			return
		case <-tick.C:
		}
	}
}

// yieldWriter gives the operator time to choose another writer before this one stops, so that clients find the new one
// at once.
func (a *Agent) yieldWriter(p *agent.Process) {
	s := a.State()
	if !s.Writable || len(s.Wsrep.Members) < 2 {
		return
	}
	a.set(func(s *State) { s.Phase, s.Message = Stopping, "the writer waits until another member has taken over" })
	end := time.After(handOver)
	tick := time.NewTicker(pollEvery / 5)
	defer tick.Stop()
	for a.vol.Memo().Role.Writer == a.cfg.Pod {
		a.alive()
		select {
		case <-p.Done():
			return
		case <-end:
			slog.Warn("stopping the writer although no other member has taken over")
			return
		case <-tick.C:
		}
	}
}

// watch follows a running mariadbd.
type watch struct {
	*Agent
	tls agent.Renewal
	// whole tells that the volume's memo knows that the data is whole.
	whole bool
}

func (w *watch) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	now, err := w.sql.wsrep(ctx)
	if err != nil {
		if s := w.State(); s.Phase == Running {
			slog.Error("asking mariadbd", "error", err)
			w.set(func(s *State) { s.Wsrep.Ready, s.Wsrep.Primary, s.Writable = false, false, false })
		}
		return
	}
	w.set(func(s *State) {
		s.Wsrep = now
		if now.Ready || s.Phase == Running {
			s.Phase, s.Message = Running, ""
		}
	})
	if !w.State().Serves() {
		w.set(func(s *State) { s.Writable = false })
		return
	}
	if err := w.remember(now); err != nil {
		slog.Error("remembering that the data is whole", "error", err)
		return
	}
	w.measure()
	if err := w.applyRole(ctx, false); err != nil {
		slog.Error("applying the role", "error", err)
	}
	w.tls.Look(ctx)
}

// measure notes whether the volume is full.
func (w *watch) measure() {
	free, size, err := w.vol.space()
	if err != nil {
		slog.Error("measuring the volume", "error", err)
		return
	}
	w.set(func(s *State) { s.Full = full(free, size, s.Full) })
}

// remember notes that the data is whole and which history it belongs to.
func (w *watch) remember(now Wsrep) error {
	if w.whole || now.Local != Synced {
		return nil
	}
	if err := w.vol.Remember(func(m *Memo) {
		m.History, m.Copying, m.Version = now.UUID, false, w.version
	}); err != nil {
		return err
	}
	w.whole = true
	return nil
}
