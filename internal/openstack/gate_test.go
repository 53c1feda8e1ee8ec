package openstack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func gateWith(l Limit) *gate { return newGate("compute", Limits{"": l}.of("compute")) }

// pass goes through a gate and fails the test when it is turned away.
func through(t *testing.T, g *gate, v verdict) {
	t.Helper()
	k, err := g.enter(t.Context(), Urgent, "")
	if err != nil {
		t.Fatal(err)
	}
	g.leave(k, v)
}

func TestLanesAndOwnersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateWith(Limit{Parallel: 1, Burst: 100})
		hold, err := g.enter(t.Context(), Urgent, "")
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, w := range []struct {
			lane  Lane
			owner string
		}{
			{Import, "a"}, {Drift, "a"}, {Drift, "a"}, {Drift, "a"}, {Drift, "b"}, {Drift, "c"}, {Wait, "a"}, {Urgent, "b"},
			{99, "z"},
		} {
			go func() {
				k, err := g.enter(t.Context(), w.lane, w.owner)
				if err != nil {
					t.Error(err)
				}
				order = append(order, fmt.Sprintf("%s-%s", w.lane, w.owner))
				g.leave(k, verdict{kind: answered})
			}()
			synctest.Wait()
		}
		g.leave(hold, verdict{kind: answered})
		synctest.Wait()
		want := "urgent-b wait-a drift-a drift-b drift-c drift-a drift-a import-a import-z"
		if got := strings.Join(order, " "); got != want {
			t.Errorf("order is\n%s, want\n%s", got, want)
		}
	})
}

func TestTokenBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateWith(Limit{Rate: 10, Burst: 5})
		start := time.Now()
		for range 25 {
			through(t, g, verdict{kind: answered})
		}
		if took := time.Since(start).Round(time.Millisecond); took != 2*time.Second {
			t.Errorf("25 requests at 10 a second after a burst of 5 took %s, want 2s", took)
		}
	})
}

func TestWindowShrinksOnceForOneWaveAndGrowsSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateWith(Limit{Rate: 1000, Burst: 1000, Parallel: 8})
		var wave []ticket
		for range 8 {
			wave = append(wave, must(g.enter(t.Context(), Urgent, "")))
		}
		<-time.After(time.Second)
		for _, k := range wave {
			g.leave(k, verdict{kind: pushed})
		}
		if g.window != 4 {
			t.Errorf("after a wave of 429 the window is %d, want 4", g.window)
		}
		for want := 5; want <= 9; want++ {
			for range min(want, 8) - 1 {
				through(t, g, verdict{kind: answered})
			}
			if g.window > 8 {
				t.Errorf("the window is %d, more than allowed", g.window)
			}
		}
		for g.window > 1 {
			<-time.After(time.Second)
			through(t, g, verdict{kind: pushed})
		}
		<-time.After(time.Second)
		through(t, g, verdict{kind: pushed})
		if g.window != 1 {
			t.Errorf("the window is %d, want 1 however often it shrinks", g.window)
		}
	})
}

func TestNothingIsSentInAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateWith(Limit{})
		through(t, g, verdict{kind: pushed, pause: time.Second})
		start := time.Now()
		through(t, g, verdict{kind: pushed, pause: 30 * time.Second})
		if took := time.Since(start); took != time.Second {
			t.Errorf("a short pause was waited for %s, want 1s", took)
		}
		<-time.After(10 * time.Second)
		_, err := g.enter(t.Context(), Urgent, "")
		wants(t, err, RateLimited, "asked for a pause")
		if d := pauseOf(err); d != 20*time.Second {
			t.Errorf("retry after %s, want 20s", d)
		}
		<-time.After(20 * time.Second)
		through(t, g, verdict{kind: answered})
	})
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateWith(Limit{Rate: 1000, Burst: 1000})
		down := verdict{kind: failed, reason: "connection refused"}
		for range breakAfter - 1 {
			through(t, g, down)
		}
		through(t, g, verdict{kind: answered})
		for range breakAfter {
			through(t, g, down)
		}
		for round, seconds := range []float64{2, 4, 8, 16, 32, 60, 60} {
			_, err := g.enter(t.Context(), Urgent, "")
			wants(t, err, Unavailable, "service compute", "connection refused")
			if d := pauseOf(err).Seconds(); d < seconds || d > 1.2*seconds {
				t.Errorf("round %d: retry after %f s, want %f and up to a fifth more", round, d, seconds)
			}
			<-time.After(pauseOf(err))
			probe := must(g.enter(t.Context(), Urgent, ""))
			_, err = g.enter(t.Context(), Urgent, "")
			wants(t, err, Unavailable)
			g.leave(probe, down)
		}
		<-time.After(2 * lastPause)
		// A probe whose caller gave up tells nothing, so the next request is one.
		through(t, g, verdict{kind: silent})
		through(t, g, verdict{kind: answered})
		through(t, g, verdict{kind: answered})
		if !g.closed() {
			t.Error("the breaker is open after good answers")
		}
	})
}

func TestOpeningBreakerTurnsAwayWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateWith(Limit{Parallel: breakAfter})
		var flying []ticket
		for range breakAfter {
			k, err := g.enter(t.Context(), Urgent, "")
			if err != nil {
				t.Fatal(err)
			}
			flying = append(flying, k)
		}
		turned := make(chan error, 3)
		for range cap(turned) {
			go func() {
				_, err := g.enter(t.Context(), Drift, "")
				turned <- err
			}()
		}
		synctest.Wait()
		for _, k := range flying {
			// The first leaver lets one in unless the window has shrunk, which it has.
			g.leave(k, verdict{kind: failed, reason: "timeout"})
		}
		synctest.Wait()
		for range 3 {
			if err := <-turned; err != nil {
				wants(t, err, Unavailable, "timeout")
			}
		}
	})
}

func TestWhoGivesUpLeavesNoTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateWith(Limit{Parallel: 1})
		hold, err := g.enter(t.Context(), Urgent, "")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = g.enter(ctx, Urgent, "x")
		wants(t, err, Unavailable, "time ran out")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v does not say why", err)
		}
		if g.queue.Len() != 0 || len(g.queue.lanes[Urgent].turn) != 0 {
			t.Error("the queue still has who gave up")
		}
		g.leave(hold, verdict{kind: answered})
		through(t, g, verdict{kind: answered})
		if g.flying != 0 {
			t.Errorf("%d are under way, want none", g.flying)
		}
	})
}
