package openstack

import (
	"context"
	"math"
	"sync"
	"time"
)

const (
	// patience is how long a request waits for a service that asked for a pause; for longer ones it is turned away with
	// the rest of the pause, because a worker that waits is a worker less for other clouds.
	patience = 2 * time.Second
	// longestPause is as much as a service may ask for.
	longestPause = time.Hour
)

// gate is in front of one service of one cloud and decides when a request may be sent.
type gate struct {
	service string
	limit   Limit

	mu     sync.Mutex
	queue  Queue[*waiter]
	tokens float64
	filled time.Time
	// window is how many requests may be under way, flying how many are, good how many in a row were answered well.
	window, flying, good int
	// cut is when the window was last halved.
	cut time.Time
	// until is when a pause ends that the service asked for.
	until   time.Time
	timer   *time.Timer
	breaker breaker
}

// ticket is held by a request that is under way.
type ticket struct {
	start time.Time
	probe bool
}

// verdict is what a request tells about its service.
type verdict struct {
	kind   verdictKind
	pause  time.Duration
	reason string
}

type verdictKind int

const (
	// silent tells nothing: the caller gave up, or does not trust the certificate.
	silent verdictKind = iota
	// answered is a service that works, whatever it said.
	answered
	// pushed is a service that works and wants less.
	pushed
	// failed is a service that does not.
	failed
)

func newGate(service string, l Limit) *gate {
	return &gate{service: service, limit: l, tokens: float64(l.Burst), filled: time.Now(), window: l.Parallel}
}

// enter waits until a request may be sent. Who entered has to leave.
func (g *gate) enter(ctx context.Context, lane Lane, owner string) (ticket, error) {
	w := &waiter{lane: lane, owner: owner, ready: make(chan pass, 1)}
	g.mu.Lock()
	g.queue.Push(w.lane, w.owner, w)
	g.pump()
	g.mu.Unlock()
	select {
	case p := <-w.ready:
		return p.ticket, p.err
	case <-ctx.Done():
		return ticket{}, g.abandon(ctx, w)
	}
}

func (g *gate) abandon(ctx context.Context, w *waiter) error {
	g.mu.Lock()
	g.queue.Remove(w.lane, w.owner, w)
	g.mu.Unlock()
	select {
	case p := <-w.ready:
		if p.err == nil {
			g.leave(p.ticket, verdict{kind: silent})
		}
	default:
	}
	return &Fault{Class: Unavailable, Service: g.service, cause: context.Cause(ctx),
		Message: "time ran out before service " + g.service + " could be asked"}
}

// leave returns a ticket with what was learnt.
func (g *gate) leave(t ticket, v verdict) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	g.flying--
	switch v.kind {
	case silent:
		if t.probe {
			g.breaker.undo()
		}
	case answered:
		g.breaker.succeed()
		g.grow()
	case pushed:
		g.breaker.succeed()
		g.shrink(t, now)
	case failed:
		g.breaker.fail(now, t.probe, v.reason)
		g.shrink(t, now)
	}
	if end := now.Add(min(v.pause, longestPause)); v.pause > 0 && end.After(g.until) {
		g.until = end
	}
	g.pump()
}

// grow widens the window by one after a whole window of good answers.
func (g *gate) grow() {
	if g.good++; g.good >= g.window {
		g.good = 0
		g.window = min(g.window+1, g.limit.Parallel)
	}
}

// shrink halves the window, once for all requests that were under way together.
func (g *gate) shrink(t ticket, now time.Time) {
	g.good = 0
	if !t.start.Before(g.cut) {
		g.cut = now
		g.window = max(1, g.window/2)
	}
}

// pump lets in whom it can. It is called with the lock held, whenever something has changed.
func (g *gate) pump() {
	for g.queue.Len() > 0 {
		now := time.Now()
		if err := g.turnedAway(now); err != nil {
			g.admit(pass{err: err})
			continue
		}
		if g.flying >= g.window {
			return // Who leaves pumps.
		}
		if d := g.wait(now); d > 0 {
			g.wake(d)
			return
		}
		g.tokens--
		g.flying++
		g.admit(pass{ticket: ticket{start: now, probe: g.breaker.admit()}})
	}
}

// admit answers to the next who waits.
func (g *gate) admit(p pass) {
	if w, ok := g.queue.Pop(); ok {
		w.ready <- p
	}
}

// turnedAway returns why nobody is let in for longer than anybody should wait.
func (g *gate) turnedAway(now time.Time) error {
	if d := g.breaker.refuses(now); d > 0 {
		return &Fault{Class: Unavailable, Service: g.service, RetryAfter: d,
			Message: "service " + g.service + " did not answer several times in a row and is left alone for a moment; " +
				"the last time: " + g.breaker.reason}
	}
	if d := g.until.Sub(now); d > patience {
		return &Fault{Class: RateLimited, Service: g.service, RetryAfter: d,
			Message: "service " + g.service + " asked for a pause, which is not over"}
	}
	return nil
}

// wait returns how long to wait for the end of a pause and for a token.
func (g *gate) wait(now time.Time) time.Duration {
	g.tokens = min(float64(g.limit.Burst), g.tokens+g.limit.Rate*now.Sub(g.filled).Seconds())
	g.filled = now
	d := g.until.Sub(now)
	if g.tokens < 1 {
		d = max(d, time.Duration(math.Ceil((1-g.tokens)/g.limit.Rate*float64(time.Second))))
	}
	return d
}

func (g *gate) wake(d time.Duration) {
	if g.timer != nil {
		return
	}
	g.timer = time.AfterFunc(d, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.timer = nil
		g.pump()
	})
}

// closed tells whether requests go through, for the metric.
func (g *gate) closed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.breaker.failures < breakAfter
}
