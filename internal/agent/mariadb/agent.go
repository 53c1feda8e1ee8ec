package mariadb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// Agent runs one member.
type Agent struct {
	cfg   Config
	vol   *Volume
	certs *agent.Certificates
	sql   *door

	bootstraps chan Bootstrap
	halts      chan struct{}
	beat       atomic.Int64
	roles      sync.Mutex // held while a role is learnt or applied
	// visitors are the clients of a member that is not the writer, with when they were seen first; held with roles.
	visitors map[int64]time.Time
	version  string // of MariaDB in the image
	barred   string // why this member must not join any more, since Galera refused it
	failed   string // how the last start failed

	mu      sync.Mutex
	state   State
	changed chan struct{}
}

// New opens the volume of a member.
func New(c Config) (*Agent, error) {
	if c.Pod == "" || c.IP == "" || c.Domain == "" {
		return nil, fmt.Errorf("POD_NAME, POD_IP and --domain are needed; got %q, %q and %q", c.Pod, c.IP, c.Domain)
	}
	vol, err := OpenVolume(c.Root)
	if err != nil {
		return nil, err
	}
	// The run folder of a new pod is empty, and already the first look at the data needs room for temporary files.
	if err := os.MkdirAll(c.tmp(), 0o700); err != nil {
		return nil, fmt.Errorf("preparing the folder for temporary files: %w", err)
	}
	d, err := newDoor(c.socket())
	if err != nil {
		return nil, err
	}
	m := vol.Memo()
	a := &Agent{cfg: c, vol: vol, sql: d, certs: &agent.Certificates{Dir: c.AgentDir},
		bootstraps: make(chan Bootstrap, 1), halts: make(chan struct{}, 1), changed: make(chan struct{}),
		state: State{Pod: c.Pod, Volume: m.Volume, Epoch: m.Epoch, Role: m.Role, Phase: Inspecting, Version: 1}}
	a.beat.Store(time.Now().Unix())
	return a, nil
}

// Run keeps the member going until ctx ends, and then stops mariadbd in good order.
func (a *Agent) Run(ctx context.Context) error {
	defer a.sql.close()
	var failures failures
	for ctx.Err() == nil {
		s, err := a.idle(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			err = a.serve(ctx, s)
		}
		if err == nil {
			failures.reset()
			a.failed = ""
			continue
		}
		a.failed = err.Error()
		slog.Error("mariadbd is down", "error", err)
		a.set(func(st *State) { st.Phase, st.Message = Down, err.Error() })
		a.pause(ctx, failures.next())
	}
	return nil
}

// failures counts starts in a row that failed.
type failures int

func (f *failures) reset() { *f = 0 }

func (f *failures) next() time.Duration {
	*f = min(*f+1, 6)
	return time.Second << (*f - 1)
}

func (a *Agent) pause(ctx context.Context, d time.Duration) {
	end := time.After(d)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		a.alive()
		select {
		case <-ctx.Done():
			return
		case <-end:
			return
		case <-tick.C:
		}
	}
}

func (a *Agent) alive() { a.beat.Store(time.Now().Unix()) }

// idle waits, with mariadbd down, until it is known how to start it: by the operator's order, or because peers run.
func (a *Agent) idle(ctx context.Context) (*start, error) {
	a.set(func(s *State) { s.Phase, s.Wsrep, s.Writable = Inspecting, Wsrep{}, false })
	stop := a.keepBeating(ctx)
	if err := a.fits(ctx); err != nil {
		stop()
		return nil, err
	}
	where, err := a.inspect(ctx)
	stop()
	if err != nil {
		return nil, err
	}
	a.set(func(s *State) { s.Empty, s.Position = where.empty, where.position })
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		a.alive()
		v := judge(a.vol.Memo(), where, a.peers(ctx))
		if a.barred != "" {
			v = verdict{block: a.barred}
		}
		if v.join {
			return a.joining(ctx, where.position, v.donors)
		}
		a.set(func(s *State) {
			s.Phase, s.Message = Down, a.failed
			if v.block != "" {
				s.Phase, s.Message = Blocked, v.block
			}
		})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case o := <-a.bootstraps:
			s, err := a.obey(ctx, o, where)
			if s != nil || err != nil {
				return s, err
			}
		case <-a.halts: // it is down already
		case <-tick.C:
		}
	}
}

// fits finds out which MariaDB the image has. One that is too old for the data does not get to see it: this returns
// when ctx ends, as only another image helps.
func (a *Agent) fits(ctx context.Context) (err error) {
	if a.version == "" {
		if a.version, err = a.cfg.version(ctx); err != nil {
			return err
		}
	}
	if why := unfit(a.version, a.vol.Memo()); why != "" {
		a.set(func(s *State) { s.Phase, s.Message = Blocked, why })
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

// obey turns an accepted order into a start, unless the world has changed since it was given.
func (a *Agent) obey(ctx context.Context, o Bootstrap, where standing) (*start, error) {
	if o.Position != where.position {
		slog.Warn("dropping an order to begin the cluster: it was decided on another position",
			"theirs", o.Position.String(), "ours", where.position.String())
		return nil, nil
	}
	for _, p := range a.peers(ctx) {
		if p.Serves() {
			slog.Warn("dropping an order to begin the cluster: a peer runs already", "peer", p.Pod)
			return nil, nil
		}
	}
	a.barred = ""
	return a.bootstrapping(ctx, where.position, where.empty)
}

// keepBeating tells the liveness probe that a long step goes on.
func (a *Agent) keepBeating(ctx context.Context) func() {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				a.alive()
			}
		}
	}()
	return cancel
}

// State returns a copy of the state.
func (a *Agent) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}

// set changes the state and wakes those who wait for a change. The last transaction alone is no change.
func (a *Agent) set(change func(*State)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.state
	change(&next)
	before, after := a.state, next
	before.Wsrep.Seqno, after.Wsrep.Seqno = 0, 0
	if reflect.DeepEqual(before, after) {
		return
	}
	if a.state.Phase != next.Phase {
		slog.Info("phase", "from", a.state.Phase, "to", next.Phase, "message", next.Message)
	}
	next.Version++
	a.state = next
	close(a.changed)
	a.changed = make(chan struct{})
}

// wait returns the state when it is newer than version, or at the end of ctx.
func (a *Agent) wait(ctx context.Context, version int64) State {
	for {
		a.mu.Lock()
		s, changed := a.state, a.changed
		a.mu.Unlock()
		if s.Version > version {
			return s
		}
		select {
		case <-ctx.Done():
			return s
		case <-changed:
		}
	}
}

// Ready is the readiness probe.
func (a *Agent) Ready() error {
	s := a.State()
	if s.Serves() {
		return nil
	}
	if s.Phase == Running {
		return fmt.Errorf("member is %s, primary %t", s.Wsrep.Local, s.Wsrep.Primary)
	}
	return fmt.Errorf("%s: %s", s.Phase, s.Message)
}

// liveTimeout is how long the agent's own loop may hang.
const liveTimeout = time.Minute

// Live is the liveness probe: the agent's loop turns. It does not depend on mariadbd, its peers or how long a copy
// takes.
func (a *Agent) Live() error {
	if time.Since(time.Unix(a.beat.Load(), 0)) > liveTimeout {
		return errors.New("the agent's loop hangs")
	}
	return nil
}
