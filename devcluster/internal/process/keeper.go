package process

import (
	"context"
	"sync"
	"time"
)

const (
	firstDelay   = 100 * time.Millisecond
	longestDelay = 10 * time.Second
	steady       = 30 * time.Second // running this long, a program is held for healthy again
	patience     = 10 * time.Second
)

// Unit is a program and what it needs to start.
type Unit struct {
	Spec
	Wait func(context.Context) error // returns when what the program needs is there
}

// State is what can be told about a kept program.
type State struct {
	Name     string    `json:"name"`
	PID      int       `json:"pid"`
	Started  time.Time `json:"started"`
	Restarts int       `json:"restarts"`
	Error    string    `json:"error,omitempty"`
}

// Keeper keeps one program running.
type Keeper struct {
	unit   Unit
	group  string
	cancel context.CancelFunc
	ended  chan struct{}

	mu    sync.Mutex
	state State
}

// Keep starts the program, or adopts it if it runs in the control group, and starts it anew whenever it ends.
func Keep(ctx context.Context, unit Unit, group string) *Keeper {
	ctx, cancel := context.WithCancel(ctx)
	keeper := &Keeper{
		unit: unit, group: group, cancel: cancel, ended: make(chan struct{}), state: State{Name: unit.Name},
	}
	go keeper.run(ctx)
	return keeper
}

// State tells how the program does.
func (k *Keeper) State() State {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state
}

// Stop ends the program and returns when it is gone.
func (k *Keeper) Stop() {
	k.cancel()
	<-k.ended
}

func (k *Keeper) run(ctx context.Context) {
	defer close(k.ended)
	delay := firstDelay
	for ctx.Err() == nil {
		begin := time.Now()
		if err := k.once(ctx); err != nil {
			k.set(func(s *State) { s.Error = err.Error() })
		}
		if time.Since(begin) > steady {
			delay = firstDelay
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(delay):
		}
		delay = min(2*delay, longestDelay)
		k.set(func(s *State) { s.Restarts++ })
	}
}

// once runs the program to its end, or ends it when ctx is done.
func (k *Keeper) once(ctx context.Context) error {
	process, err := Adopt(k.unit.Spec, k.group)
	if err != nil {
		return err
	}
	if process == nil {
		if err := k.unit.Wait(ctx); err != nil {
			return err
		}
		if process, err = Start(k.unit.Spec); err != nil {
			return err
		}
	}
	k.set(func(s *State) { s.PID, s.Started, s.Error = process.PID, process.Started, "" })
	select {
	case <-process.Done():
	case <-ctx.Done():
		process.Stop(patience)
	}
	k.set(func(s *State) { s.PID = 0 })
	return nil
}

func (k *Keeper) set(change func(*State)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change(&k.state)
}
