//go:build e2e

package rabbitmq_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent/rabbitmq"
	infra "stackwright.dev/stackwright/internal/infra/member"
	operator "stackwright.dev/stackwright/internal/infra/rabbitmq"
)

// driver drives the cluster once a second, as the RabbitMQ controller does while a member does not serve.
type driver struct {
	l       *lab
	t       *testing.T
	members *infra.Members
	stop    context.CancelFunc
	done    chan struct{}

	mu       sync.Mutex
	world    infra.World
	decision infra.Decision
}

func newDriver(t *testing.T, l *lab) *driver {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	d := &driver{l: l, t: t, stop: cancel, done: make(chan struct{})}
	d.members = &infra.Members{Domain: domain, Caller: l.Agents()}
	d.world.Pods, d.world.Content = operator.Pods(broker, 3), "messages"
	go d.run(ctx)
	t.Cleanup(func() { cancel(); <-d.done })
	return d
}

func (d *driver) run(ctx context.Context) {
	defer close(d.done)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		d.mu.Lock()
		w := d.world
		d.mu.Unlock()
		w.Reports = d.members.Observe(ctx, w.Pods)
		decision, err := d.members.Drive(ctx, w, func(r infra.Record) error {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.world.Record = r
			return nil
		})
		if err != nil && ctx.Err() == nil {
			d.t.Logf("an order failed: %v", err)
		}
		d.mu.Lock()
		if d.decision.Message != decision.Message {
			d.t.Logf("%s %s: %s", time.Now().Format("15:04:05.0"), decision.Reason, decision.Message)
		}
		d.world.Reports, d.decision = w.Reports, decision
		d.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// see returns the last world and decision.
func (d *driver) see() (infra.World, infra.Decision) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.world, d.decision
}

func (d *driver) change(f func(*infra.World)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(&d.world)
}

// serving tells whether these members, and all of them in one cluster, serve.
func (d *driver) serving(pods ...string) bool {
	w, _ := d.see()
	for _, p := range pods {
		s, ok := w.Reports[p]
		if !ok || !s.Serves() || !slices.Equal(s.Service.Running, pods) {
			return false
		}
	}
	return true
}

func (d *driver) awaitAll(limit time.Duration) time.Duration {
	d.t.Helper()
	return d.l.Until("one cluster of all members", limit, func() bool { return d.serving(operator.Pods(broker, 3)...) })
}

func (d *driver) order(pod, what string, in, out any) error {
	ctx, cancel := context.WithTimeout(d.t.Context(), 30*time.Second)
	defer cancel()
	return d.members.Call(ctx, pod+"."+domain, what, in, out)
}

var testBus = rabbitmq.Bus{Owner: "test/nova", VHost: "nova", User: "nova", Password: "a password of the test"}

func recovery(pod string, epoch int64) *infrav1.Recovery {
	return &infrav1.Recovery{ForceBoot: pod, Epoch: epoch}
}
