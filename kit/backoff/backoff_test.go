package backoff

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/kit/outcome"
)

type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newTable(rnd float64) (*Table, *clock) {
	c := &clock{t: time.Unix(1_700_000_000, 0)}
	return New(c.now, func() float64 { return rnd }), c
}

func TestPauses(t *testing.T) {
	s, ms, m, h := time.Second, time.Millisecond, time.Minute, time.Hour
	for name, c := range map[string]struct {
		class outcome.Class
		want  []time.Duration
	}{
		"invalid waits for a change": {outcome.Invalid, []time.Duration{h, h}},
		"conflict": {outcome.Conflict,
			[]time.Duration{200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 6400 * ms, 10 * s, 10 * s}},
		"quota":  {outcome.Quota, []time.Duration{m, 2 * m, 4 * m, 8 * m, 10 * m, 10 * m}},
		"denied": {outcome.Denied, []time.Duration{m, 2 * m, 4 * m, 8 * m, 10 * m, 10 * m}},
		"unavailable": {outcome.Unavailable,
			[]time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 64 * s, 2 * m, 2 * m}},
		"unknown": {outcome.Unknown, []time.Duration{s, 2 * s, 4 * s}},
		"panic":   {outcome.Panicked, []time.Duration{s, 2 * s, 4 * s}},
	} {
		t.Run(name, func(t *testing.T) {
			table, _ := newTable(0.5)
			var got []time.Duration
			for range c.want {
				got = append(got, table.Next("k", c.class, 0))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("pauses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJitterStaysWithinAFifth(t *testing.T) {
	for name, c := range map[string]struct {
		rnd        float64
		retryAfter time.Duration
		want       time.Duration
	}{
		"shortest":                  {0, 0, 800 * time.Millisecond},
		"longest":                   {1, 0, 1200 * time.Millisecond},
		"never before retry after":  {0, 30 * time.Second, 30 * time.Second},
		"retry after just below":    {0, 900 * time.Millisecond, 900 * time.Millisecond},
		"after retry after, spread": {1, 30 * time.Second, 36 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			table, _ := newTable(c.rnd)
			if got := table.Next("k", outcome.Unavailable, c.retryAfter); got != c.want {
				t.Errorf("pause is %s, want %s", got, c.want)
			}
		})
	}
}

func TestRetryAfterReplacesThePauseOfARateLimit(t *testing.T) {
	table, _ := newTable(0)
	for range 10 {
		table.Next("k", outcome.RateLimited, 0)
	}
	if got := table.Next("k", outcome.RateLimited, 3*time.Second); got != 3*time.Second {
		t.Errorf("pause is %s, want the 3s that were asked for", got)
	}
}

func TestStartsAgain(t *testing.T) {
	table, _ := newTable(0.5)
	for range 4 {
		table.Next("k", outcome.Unavailable, 0)
	}
	if got := table.Next("other", outcome.Unavailable, 0); got != time.Second {
		t.Errorf("another key waits %s, want 1s", got)
	}
	if got := table.Next("k", outcome.Denied, 0); got != time.Minute {
		t.Errorf("another class waits %s, want its first pause 1m", got)
	}
	table.Reset("k")
	if got := table.Next("k", outcome.Denied, 0); got != time.Minute {
		t.Errorf("after a reset the pause is %s, want 1m", got)
	}
}

func TestForgetsKeysThatNeverComeBack(t *testing.T) {
	table, c := newTable(0.5)
	table.Next("gone", outcome.Unavailable, 0)
	c.t = c.t.Add(forget + time.Minute)
	table.Next("new", outcome.Unavailable, 0)
	if n := table.Len(); n != 1 {
		t.Errorf("%d keys are remembered, want 1", n)
	}
}
