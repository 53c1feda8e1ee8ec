//go:build e2e

package mariadb_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/mariadb"
	"stackwright.dev/stackwright/internal/infra/galera"
	"stackwright.dev/stackwright/test/e2e/story"
)

// agents asks the members' agents what the Galera controller asks.
type agents struct{ *story.Agents }

func (a agents) State(ctx context.Context, pod string) (s mariadb.State, err error) {
	err = a.Call(ctx, pod+"."+domain, "GET /v1/state", nil, &s)
	return s, err
}

func (a agents) Bootstrap(ctx context.Context, pod string, o mariadb.Bootstrap) error {
	return a.Call(ctx, pod+"."+domain, "POST /v1/bootstrap", o, nil)
}

func (a agents) Halt(ctx context.Context, pod string) error {
	return a.Call(ctx, pod+"."+domain, "POST /v1/halt", agent.Nothing{}, nil)
}

func (a agents) Assign(ctx context.Context, pod string, r mariadb.Role) (s mariadb.State, err error) {
	err = a.Call(ctx, pod+"."+domain, "PUT /v1/role", r, &s)
	return s, err
}

func (a agents) Ensure(ctx context.Context, pod string, d mariadb.Database) error {
	return a.Call(ctx, pod+"."+domain, "PUT /v1/database", d, nil)
}

// operator drives the cluster once a second, as the Galera controller does.
type operator struct {
	t      *testing.T
	agents agents
	pods   []string

	mu       sync.Mutex
	record   string
	writer   string
	reports  map[string]mariadb.State
	decision galera.Decision
	override string
	epoch    int64
}

func newOperator(t *testing.T, l *story.Lab) *operator {
	t.Helper()
	o := &operator{t: t, agents: agents{l.Agents()}}
	for i := range members {
		o.pods = append(o.pods, l.Pod(i))
	}
	return o
}

// run drives until ctx ends.
func (o *operator) run(ctx context.Context) {
	since, last := time.Now(), galera.Wait
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		d := o.drive(ctx, time.Since(since))
		if d.Action == galera.Serve && last != galera.Serve || d.Action != galera.Serve && last == galera.Serve {
			since = time.Now()
		}
		last = d.Action
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (o *operator) drive(ctx context.Context, still time.Duration) galera.Decision {
	reports := galera.Observe(ctx, o.agents, o.pods)
	o.mu.Lock()
	r, err := galera.ParseRecord(o.record)
	w := galera.World{Pods: o.pods, Reports: reports, Record: *r, Still: still, Override: o.override,
		OverrideEpoch: o.epoch}
	o.mu.Unlock()
	if err != nil {
		o.t.Error(err)
	}
	d, err := galera.Drive(ctx, o.agents, w, func(r galera.Record) error {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.record, o.writer = r.String(), r.Writer()
		o.t.Log("record:", o.record)
		return nil
	})
	if err != nil && ctx.Err() == nil {
		o.t.Log("order:", err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if d.Text != o.decision.Text {
		o.t.Log("decision:", d.Reason, d.Text)
	}
	o.reports, o.decision = reports, d
	return d
}

// serving counts the members that serve, and tells whether one of them takes writes.
func (o *operator) serving() (n int, writable bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.reports {
		if s.Serves() {
			n++
		}
		writable = writable || s.Writable
	}
	return n, writable
}

// whole tells whether all members serve and one takes writes.
func (o *operator) whole() bool {
	n, writable := o.serving()
	return n == members && writable
}

func (o *operator) writerIs() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.writer
}
