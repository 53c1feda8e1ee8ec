package openstack

import (
	"math/rand/v2"
	"time"
)

const (
	// breakAfter failures in a row open a breaker.
	breakAfter = 5
	firstPause = 2 * time.Second
	lastPause  = time.Minute
)

// breaker stops requests to a service that does not answer. While it is open, requests fail at once; after a pause
// one request is let through, and its failure makes the next pause twice as long.
type breaker struct {
	failures int
	pause    time.Duration
	until    time.Time
	probing  bool
	// reason is what the last failure said.
	reason string
}

// refuses tells how long no request is let through, zero when one may go.
func (b *breaker) refuses(now time.Time) time.Duration {
	switch {
	case b.failures < breakAfter:
		return 0
	case now.Before(b.until):
		return b.until.Sub(now)
	case b.probing:
		return firstPause
	}
	return 0
}

// admit notes that a request goes through and tells whether it is the one that finds out.
func (b *breaker) admit() (probe bool) {
	b.probing = b.failures >= breakAfter
	return b.probing
}

func (b *breaker) succeed() { *b = breaker{} }

// fail counts. Requests that were under way when the breaker opened do not make its pause longer.
func (b *breaker) fail(now time.Time, probe bool, reason string) {
	b.failures++
	b.reason = reason
	if b.failures < breakAfter || (b.pause > 0 && !probe) {
		return
	}
	b.probing = false
	b.pause = min(max(2*b.pause, firstPause), lastPause)
	b.until = now.Add(jitter(b.pause))
}

// undo forgets a probe that found out nothing, so that the next request is one.
func (b *breaker) undo() { b.probing = false }

// jitter makes a pause up to a fifth longer, so that what failed together does not come back together.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration(rand.Float64()*float64(d)/5)
}
