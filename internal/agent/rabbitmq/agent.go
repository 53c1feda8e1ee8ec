package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// Agent runs one member.
type Agent struct {
	cfg    Config
	vol    *Volume
	door   *door
	starts chan Start
	beat   atomic.Int64
	// answered is when the broker last answered its agent.
	answered atomic.Int64

	mu    sync.Mutex
	state State
}

// New opens the volume of a member.
func New(c Config) (*Agent, error) {
	vol, err := OpenVolume(c.Root)
	if err != nil {
		return nil, err
	}
	cookie, err := c.cookie()
	if err != nil {
		return nil, err
	}
	a := &Agent{cfg: c, vol: vol, door: newDoor(c.adminPassword(cookie)),
		starts: make(chan Start, 1), state: State{Pod: c.Pod}}
	a.recall(Down, "the agent has just started")
	a.alive()
	return a, nil
}

// Run keeps the member going until ctx ends, and then stops the broker in good order.
func (a *Agent) Run(ctx context.Context) error {
	pause := time.Second
	for ctx.Err() == nil {
		o, err := a.idle(ctx)
		if err == nil {
			err = a.serve(ctx, o)
		}
		switch {
		case ctx.Err() != nil:
			continue
		case err == nil:
			pause = time.Second
			continue
		}
		slog.Error("the broker is down", "error", err)
		a.recall(Down, err.Error())
		a.wait(ctx, pause)
		pause = min(2*pause, 30*time.Second)
	}
	return nil
}

// idle waits, with the broker down, until it is known how to start it. Data of a member is started at once, unless
// peers have formed a cluster anew in the meantime; an empty volume waits for the operator's order. A nil order is a
// plain start.
//
// A join that was cut off goes on with what is there: the cluster may count this member already, and then needs its
// vote.
func (a *Agent) idle(ctx context.Context) (*Start, error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		a.alive()
		m := a.vol.Memo()
		if m.Data && a.fit(ctx, m) {
			return nil, nil
		}
		if m.Order != nil && m.Order.Mode == Join {
			return m.Order, nil
		}
		if !m.Data {
			if err := a.vol.Wipe(); err != nil {
				return nil, err
			}
			a.recall(blankOrLeft(m), "the volume is empty; the operator orders how to start")
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case o := <-a.starts:
			if s, err := a.obey(o); s != nil || err != nil {
				return s, err
			}
		case <-tick.C:
		}
	}
}

func blankOrLeft(m Memo) Phase {
	if m.Left {
		return Left
	}
	return Blank
}

// fit tells whether the data may be started as it is.
func (a *Agent) fit(ctx context.Context, m Memo) bool {
	image, err := a.cfg.version()
	if err != nil {
		a.recall(Blocked, err.Error())
		return false
	}
	if older(image, m.Version) {
		a.recall(Blocked, fmt.Sprintf("RabbitMQ %s has run on this volume and the image has %s, which cannot read its data; "+
			"set an image with %s or newer", m.Version, image, m.Version))
		return false
	}
	for _, p := range a.askPeers(ctx) {
		if p.Epoch > m.Epoch && p.Data {
			a.recall(Outdated, fmt.Sprintf("%s belongs to formation %d and this volume to formation %d; the operator "+
				"orders this member to join with an empty volume", p.Pod, p.Epoch, m.Epoch))
			return false
		}
	}
	return true
}

// older compares the first two numbers of two versions.
func older(x, y string) bool {
	a, b := series(x), series(y)
	return a[0] < b[0] || a[0] == b[0] && a[1] < b[1]
}

func series(v string) [2]int {
	var out [2]int
	for i, s := range strings.SplitN(v, ".", 3) {
		if i < 2 {
			out[i], _ = strconv.Atoi(s)
		}
	}
	return out
}

// obey notes an accepted order on the volume and turns it into a start, unless the world has changed since it was
// given.
func (a *Agent) obey(o Start) (*Start, error) {
	m, s := a.vol.Memo(), a.State()
	switch o.Mode {
	case Alone:
		return nil, a.vol.Remember(func(m *Memo) { m.Epoch, m.Alone = o.Epoch, true })
	case Seed, Join:
		if m.Data && s.Phase != Outdated {
			slog.Warn("dropping an order to begin on an empty volume: it has data")
			return nil, nil
		}
		err := a.vol.Remember(func(m *Memo) { *m = Memo{Volume: m.Volume, Epoch: o.Epoch} })
		if err = errors.Join(err, a.vol.Wipe()); err != nil {
			return nil, err
		}
		return &o, a.vol.Remember(func(m *Memo) { m.Order = &o })
	}
	return nil, nil
}

// askPeers returns what the agents of other members answer within a second.
func (a *Agent) askPeers(ctx context.Context) []State {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conf, err := (&agent.Certificates{Dir: a.cfg.AgentDir}).Client()
	if err != nil {
		slog.Error("asking peers", "error", err)
		return nil
	}
	c := agent.NewClient(conf)
	defer c.Close()
	var mu sync.Mutex
	var out []State
	var wg sync.WaitGroup
	for _, p := range a.cfg.peers() {
		wg.Go(func() {
			var s State
			if err := c.Call(ctx, p+"."+a.cfg.Domain, "GET /v1/state", nil, &s); err == nil && s.Pod == p {
				mu.Lock()
				out = append(out, s)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return out
}

// resolves tells whether a member's own name is known; RabbitMQ cannot start before it is.
func (a *Agent) resolves(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := net.DefaultResolver.LookupHost(ctx, a.cfg.Pod+"."+a.cfg.Domain)
	return err
}

// wait pauses without seeming dead.
func (a *Agent) wait(ctx context.Context, d time.Duration) {
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

// keepBeating tells the liveness probe that a long step goes on.
func (a *Agent) keepBeating(ctx context.Context) context.CancelFunc {
	ctx, cancel := context.WithCancel(ctx)
	go a.wait(ctx, leaveWithin)
	return cancel
}

func (a *Agent) alive() { a.beat.Store(time.Now().Unix()) }

// State returns a copy of the state.
func (a *Agent) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}

// set changes the state.
func (a *Agent) set(change func(*State)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.state
	change(&next)
	if reflect.DeepEqual(a.state, next) {
		return
	}
	if a.state.Phase != next.Phase || a.state.Broker.Why != next.Broker.Why {
		slog.Info("phase", "from", a.state.Phase, "to", next.Phase, "message", next.Message, "why", next.Broker.Why)
	}
	a.state = next
}

// recall sets a phase together with what is remembered on the volume.
func (a *Agent) recall(p Phase, message string) {
	m := a.vol.Memo()
	a.set(func(s *State) {
		s.Phase, s.Message, s.Volume, s.Epoch, s.Data, s.Members = p, message, m.Volume, m.Epoch, m.Data, m.Members
		if p != Running {
			s.Broker = Broker{}
		}
	})
}

// Ready is the readiness probe: the broker runs in a cluster with a majority, its listener is open, no alarm stops
// publishers here, and it is not being emptied.
func (a *Agent) Ready() error {
	s := a.State()
	switch {
	case s.Serves():
		return nil
	case s.Phase == Running:
		return errors.New(s.Broker.Why)
	}
	return fmt.Errorf("%s: %s", s.Phase, s.Message)
}

// How long the agent's own loop, and a broker that has been serving, may hang.
const (
	liveTimeout   = time.Minute
	brokerTimeout = 3 * time.Minute
)

// Live is the liveness probe: the agent's loop turns, and a broker that runs answers something. It does not depend on
// other members, on alarms or on how long a start takes. A broker that ended is started again by the agent.
func (a *Agent) Live() error {
	if time.Since(time.Unix(a.beat.Load(), 0)) > liveTimeout {
		return errors.New("the agent's loop hangs")
	}
	if a.State().Phase == Running && time.Since(time.Unix(a.answered.Load(), 0)) > brokerTimeout {
		return errors.New("the broker has not answered for 3 minutes")
	}
	return nil
}
