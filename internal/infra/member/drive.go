package member

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"stackwright.dev/stackwright/internal/agent"
	wire "stackwright.dev/stackwright/internal/agent/member"
)

// Caller calls agents; *agent.Client is one.
type Caller interface {
	Call(ctx context.Context, host, what string, in, out any) error
	Close()
}

// Dial makes a caller.
type Dial func(agent.Credentials) (Caller, error)

// Direct calls agents over the network.
func Direct(c agent.Credentials) (Caller, error) {
	conf, err := c.Config()
	if err != nil {
		return nil, err
	}
	return agent.NewClient(conf), nil
}

// How long an agent may take to tell its state, and to obey.
const (
	askWithin  = 2 * time.Second
	obeyWithin = 30 * time.Second
)

// Members gives orders to the agents of one cluster.
type Members struct {
	Caller
	// Domain in which the pods have their names.
	Domain string
	// Moves names what has to be moved off a member before it leaves, such as queues; empty when nothing has.
	Moves string
}

// Order gives an order such as "POST /v1/leave" to the agent of a pod.
func (m *Members) Order(ctx context.Context, pod, what string, in any) error {
	ctx, cancel := context.WithTimeout(ctx, obeyWithin)
	defer cancel()
	return m.Call(ctx, pod+"."+m.Domain, what, in, nil)
}

// Observe asks all members at once. Those that do not answer are missing in the result.
func (m *Members) Observe(ctx context.Context, pods []string) map[string]wire.State {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	var mu sync.Mutex
	out := map[string]wire.State{}
	var wg sync.WaitGroup
	for _, p := range pods {
		wg.Go(func() {
			var s wire.State
			if err := m.Call(ctx, p+"."+m.Domain, "GET /v1/state", nil, &s); err != nil || s.Pod != p {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			out[p] = s
		})
	}
	wg.Wait()
	return out
}

// Drive decides on a world and gives the orders that follow. The record is saved before. It returns the decision, and
// an error when an order failed; both are safe to come back to.
func (m *Members) Drive(ctx context.Context, w World, save func(Record) error) (Decision, error) {
	d := Decide(w)
	if d.Record != w.Record {
		if err := save(d.Record); err != nil {
			return d, fmt.Errorf("recording the intent to form the cluster: %w", err)
		}
	}
	return d, m.obey(ctx, d)
}

// obey gives the orders of a decision.
func (m *Members) obey(ctx context.Context, d Decision) error {
	for _, p := range d.Forget {
		if err := m.Order(ctx, d.By, "POST /v1/forget", wire.Member{Pod: p}); err != nil {
			return fmt.Errorf("ordering %s to forget %s: %w", d.By, p, err)
		}
	}
	var errs []error
	for _, p := range slices.Sorted(maps.Keys(d.Orders)) {
		if err := m.Order(ctx, p, "POST /v1/start", d.Orders[p]); err != nil && !conflict(err) {
			errs = append(errs, fmt.Errorf("ordering %s how to start: %w", p, err))
		}
	}
	return errors.Join(errs...)
}

// conflict tells that an agent knows better: what was decided on has changed in the meantime.
func conflict(err error) bool {
	r, ok := errors.AsType[*agent.Refusal](err)
	return ok && r.Code == http.StatusConflict
}

// upgraded gives the order to the first member that takes it.
func (m *Members) upgraded(ctx context.Context, pods []string) error {
	var errs []error
	for _, p := range pods {
		err := m.Order(ctx, p, "POST /v1/upgraded", nil)
		if err == nil {
			return nil
		}
		errs = append(errs, fmt.Errorf("enabling the features of the new version on %s: %w", p, err))
	}
	return errors.Join(errs...)
}
