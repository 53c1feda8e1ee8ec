package member

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

// Place is where a member is, and what it is called.
type Place struct {
	// Pod is the member's name, Domain the headless Service that resolves to all members, such as
	// rabbitmq-members.openstack.svc.
	Pod, Domain string
	// Root is the mounted volume, AgentDir has the agent's certificates.
	Root, AgentDir string
	// Word is what the daemon is, for messages, such as broker.
	Word string
	// Files are the names on the volume that belong to the daemon.
	Files []string
}

// Host is the DNS name of a member.
func (p Place) Host(pod string) string { return pod + "." + p.Domain }

// Peers are the names of all other members there may be.
func (p Place) Peers() []string {
	base := p.Pod[:strings.LastIndexByte(p.Pod, '-')+1]
	var out []string
	for i := range 3 {
		if peer := base + strconv.Itoa(i); peer != p.Pod {
			out = append(out, peer)
		}
	}
	return out
}

// Daemon is what the members of different clusters differ in.
type Daemon interface {
	// Fit tells what keeps the image from running on data, and what a person can do; empty when nothing does.
	Fit(m Memo) string
	// Begin starts the daemon. A nil order is a plain start on the data of a member.
	Begin(ctx context.Context, o *Start) (Term, error)
}

// Term is one run of a daemon.
type Term interface {
	// Process is the daemon's.
	Process() *agent.Process
	// Look asks the daemon how it is, once a second, and finishes what the run began with. An error ends the run; ErrLeft
	// says that it should.
	Look(ctx context.Context) error
	// Yield hands over what clients use before the daemon is stopped.
	Yield()
	// Ended tells, from its last lines, why a daemon ended by itself; ErrLeft when that is as it should be.
	Ended(log []string) error
}

// ErrLeft ends the run of a member that has left its cluster.
var ErrLeft = errors.New("the member has left its cluster")

// Keeper runs one member.
type Keeper struct {
	Place
	Vol *Volume

	daemon Daemon
	starts chan Start
	beat   atomic.Int64
	// answered is when the daemon last answered its agent.
	answered atomic.Int64

	mu    sync.Mutex
	state State
}

// New opens the volume of a member. Give the keeper its daemon before it runs.
func New(p Place) (*Keeper, error) {
	vol, err := OpenVolume(p.Root)
	if err != nil {
		return nil, err
	}
	k := &Keeper{Place: p, Vol: vol, starts: make(chan Start, 1), state: State{Pod: p.Pod}}
	k.Recall(Down, "the agent has just started")
	k.Alive()
	return k, nil
}

// Keep says which daemon is kept.
func (k *Keeper) Keep(d Daemon) { k.daemon = d }

// Run keeps the member going until ctx ends, and then stops the daemon in good order.
func (k *Keeper) Run(ctx context.Context) error {
	pause := time.Second
	for ctx.Err() == nil {
		o, err := k.idle(ctx)
		if err == nil {
			err = k.serve(ctx, o)
		}
		switch {
		case ctx.Err() != nil:
			continue
		case err == nil:
			pause = time.Second
			continue
		}
		slog.Error("the "+k.Word+" is down", "error", err)
		k.Recall(Down, err.Error())
		k.Wait(ctx, pause)
		pause = min(2*pause, 30*time.Second)
	}
	return nil
}

// idle waits, with the daemon down, until it is known how to start it. Data of a member is started at once, unless
// peers have formed a cluster anew in the meantime; an empty volume waits for the operator's order. A nil order is a
// plain start.
//
// A join that was cut off goes on with what is there: the cluster may count this member already, and then needs its
// vote.
func (k *Keeper) idle(ctx context.Context) (*Start, error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		k.Alive()
		m := k.Vol.Memo()
		if m.Data && k.fit(ctx, m) {
			return nil, nil
		}
		if m.Order != nil && m.Order.Mode == Join {
			return m.Order, nil
		}
		if !m.Data {
			if err := k.Vol.Wipe(k.Files...); err != nil {
				return nil, err
			}
			k.Recall(blankOrLeft(m), "the volume is empty; the operator orders how to start")
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case o := <-k.starts:
			if s, err := k.obey(o); s != nil || err != nil {
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
func (k *Keeper) fit(ctx context.Context, m Memo) bool {
	if why := k.daemon.Fit(m); why != "" {
		k.Recall(Blocked, why)
		return false
	}
	for _, p := range k.askPeers(ctx) {
		if p.Epoch > m.Epoch && p.Data {
			k.Recall(Outdated, fmt.Sprintf("%s belongs to formation %d and this volume to formation %d; the operator "+
				"orders this member to join with an empty volume", p.Pod, p.Epoch, m.Epoch))
			return false
		}
	}
	return true
}

// obey notes an accepted order on the volume and turns it into a start, unless the world has changed since it was
// given.
func (k *Keeper) obey(o Start) (*Start, error) {
	m, s := k.Vol.Memo(), k.State()
	switch o.Mode {
	case Alone:
		return nil, k.Vol.Remember(func(m *Memo) { m.Epoch, m.Alone = o.Epoch, true })
	case Seed, Join:
		if m.Data && s.Phase != Outdated {
			slog.Warn("dropping an order to begin on an empty volume: it has data")
			return nil, nil
		}
		err := k.Vol.Remember(func(m *Memo) { *m = Memo{Volume: m.Volume, Epoch: o.Epoch} })
		if err = errors.Join(err, k.Vol.Wipe(k.Files...)); err != nil {
			return nil, err
		}
		return &o, k.Vol.Remember(func(m *Memo) { m.Order = &o })
	}
	return nil, nil
}

// askPeers returns what the agents of other members answer within a second.
func (k *Keeper) askPeers(ctx context.Context) []State {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conf, err := (&agent.Certificates{Dir: k.AgentDir}).Client()
	if err != nil {
		slog.Error("asking peers", "error", err)
		return nil
	}
	c := agent.NewClient(conf)
	defer c.Close()
	var mu sync.Mutex
	var out []State
	var wg sync.WaitGroup
	for _, p := range k.Peers() {
		wg.Go(func() {
			var s State
			if err := c.Call(ctx, k.Host(p), "GET /v1/state", nil, &s); err == nil && s.Pod == p {
				mu.Lock()
				out = append(out, s)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return out
}

// resolves tells whether a member's own name is known; daemons cannot start before it is.
func (k *Keeper) resolves(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := net.DefaultResolver.LookupHost(ctx, k.Host(k.Pod))
	return err
}

// Wait pauses without seeming dead.
func (k *Keeper) Wait(ctx context.Context, d time.Duration) {
	end := time.After(d)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		k.Alive()
		select {
		case <-ctx.Done():
			return
		case <-end:
			return
		case <-tick.C:
		}
	}
}

// Alive tells the liveness probe that the loop turns.
func (k *Keeper) Alive() { k.beat.Store(time.Now().Unix()) }

// Answered tells the liveness probe that the daemon answers.
func (k *Keeper) Answered() { k.answered.Store(time.Now().Unix()) }

// State returns a copy of the state.
func (k *Keeper) State() State {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state
}

// Set changes the state.
func (k *Keeper) Set(change func(*State)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := k.state
	change(&next)
	if reflect.DeepEqual(k.state, next) {
		return
	}
	if k.state.Phase != next.Phase || k.state.Service.Why != next.Service.Why {
		slog.Info("phase", "from", k.state.Phase, "to", next.Phase, "message", next.Message, "why", next.Service.Why)
	}
	k.state = next
}

// Recall sets a phase together with what is remembered on the volume.
func (k *Keeper) Recall(p Phase, message string) {
	m := k.Vol.Memo()
	k.Set(func(s *State) {
		s.Phase, s.Message, s.Volume, s.Epoch, s.Data, s.Members = p, message, m.Volume, m.Epoch, m.Data, m.Members
		if p != Running {
			s.Service = Service{}
		}
	})
}
