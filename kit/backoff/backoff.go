// Package backoff says when a step that failed is tried again, by what kind of failure it was. Pauses double up to a
// limit for each step of each object, so one broken step slows down neither its neighbours nor other objects.
package backoff

import (
	"sync"
	"time"

	"stackwright.dev/kit/outcome"
)

// jitter spreads pauses by a fifth, so that many owners which failed together do not come back together.
const jitter = 0.2

// forget is how long after its pause a key that was not reset is remembered: owners that vanish leave nothing behind.
const forget = 2 * time.Hour

// policy is the first and the longest pause of a class.
type policy struct{ first, limit time.Duration }

func policyOf(c outcome.Class) policy {
	switch c {
	case outcome.Invalid:
		// Woken by a change of the spec or of a reference; the timer is only a net below that.
		return policy{time.Hour, time.Hour}
	case outcome.Conflict:
		return policy{200 * time.Millisecond, 10 * time.Second}
	case outcome.Quota, outcome.Denied:
		return policy{time.Minute, 10 * time.Minute}
	default:
		return policy{time.Second, 2 * time.Minute}
	}
}

// Table remembers the failures in a row of each key. It is safe for concurrent use.
type Table struct {
	now   func() time.Time
	rnd   func() float64
	mu    sync.Mutex
	rows  map[string]row
	sweep time.Time
}

type row struct {
	class outcome.Class
	fails int
	until time.Time
}

// New returns an empty table. rnd returns numbers in [0, 1).
func New(now func() time.Time, rnd func() float64) *Table {
	return &Table{now: now, rnd: rnd, rows: map[string]row{}, sweep: now().Add(forget)}
}

// Next counts one more failure of key and returns the pause before the next try, never shorter than retryAfter, which
// is what the other side asked for (zero when it did not). A failure of another class than the last starts from the
// first pause. Events may wake the step earlier.
func (t *Table) Next(key string, class outcome.Class, retryAfter time.Duration) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.clean(now)
	r := t.rows[key]
	if r.class != class {
		r = row{class: class}
	}
	pause := t.spread(class, retryAfter, doubled(policyOf(class), r.fails))
	r.fails++
	r.until = now.Add(pause)
	t.rows[key] = r
	return pause
}

// Reset forgets key, after a success or when its inputs changed.
func (t *Table) Reset(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.rows, key)
}

// Len returns the number of keys that are remembered.
func (t *Table) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.rows)
}

// spread applies jitter. A pause that was asked for is only ever made longer.
func (t *Table) spread(class outcome.Class, retryAfter, pause time.Duration) time.Duration {
	if retryAfter > 0 && (class == outcome.RateLimited || retryAfter > pause) {
		return time.Duration(float64(retryAfter) * (1 + jitter*t.rnd()))
	}
	return max(retryAfter, time.Duration(float64(pause)*(1-jitter+2*jitter*t.rnd())))
}

func (t *Table) clean(now time.Time) {
	if now.Before(t.sweep) {
		return
	}
	t.sweep = now.Add(forget)
	for k, r := range t.rows {
		if now.Sub(r.until) > forget {
			delete(t.rows, k)
		}
	}
}

func doubled(p policy, times int) time.Duration {
	d := p.first
	for range times {
		if d >= p.limit {
			return p.limit
		}
		d *= 2
	}
	return min(d, p.limit)
}
