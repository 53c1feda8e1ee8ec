package mirror

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// history is a source that takes a while, can list changes, and remembers what it was asked.
type history struct {
	source
	takes time.Duration
	since []time.Time
}

func (h *history) List(ctx context.Context, since time.Time, why Reason) (Listed, error) {
	<-time.After(h.takes)
	h.mu.Lock()
	h.since = append(h.since, since)
	h.mu.Unlock()
	l, err := h.source.List(ctx, since, why)
	l.All = since.IsZero()
	return l, err
}

func follow(t *testing.T, h *history) *Mirror {
	t.Helper()
	m := New(h, options)
	if err := m.Fresh(t.Context(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	m.Follow("a", "1", "", Steady, func() {})
	go m.Run(t.Context())
	synctest.Wait()
	return m
}

// Hints are answered by one list of changes after a moment, or one of everything where that is asked for.
func TestHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &history{}
		m := follow(t, h)
		for _, all := range []bool{false, true} {
			before := h.listed()
			for range 5 {
				m.Hint(all)
			}
			<-time.After(1100 * time.Millisecond)
			synctest.Wait()
			if n := h.listed() - before; n != 1 {
				t.Errorf("%d lists after hints, want 1", n)
			}
			if last := h.since[len(h.since)-1]; last.IsZero() != all {
				t.Errorf("the list began at %v although all is %t", last, all)
			}
		}
	})
}

// A slow list is not asked for all the time, however many hints there are; a period goes on as ever.
func TestHintsAreFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &history{takes: 2 * time.Second}
		m := follow(t, h)
		before := h.listed()
		for range 600 {
			m.Hint(false)
			<-time.After(time.Second)
			synctest.Wait()
		}
		if n := h.listed() - before; n < 20 || n > 32 {
			t.Errorf("%d lists of two seconds in ten minutes full of hints, want about 27", n)
		}
	})
}

// The first list, of a service that has just begun, takes long: that says nothing about the next ones.
func TestHintAfterASlowBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &history{takes: 4 * time.Second}
		m := follow(t, h)
		h.takes = 50 * time.Millisecond
		for range 2 {
			before := h.listed()
			m.Hint(true)
			<-time.After(1100 * time.Millisecond)
			synctest.Wait()
			if n := h.listed() - before; n != 1 {
				t.Errorf("%d lists after a hint, want 1", n)
			}
		}
	})
}

// A mirror that nobody follows lists nothing for a hint, and does not run hot either; the first who follows gets it.
func TestHintWithoutFollowers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &history{}
		m := follow(t, h)
		m.Unfollow("a")
		before := h.listed()
		m.Hint(true)
		<-time.After(time.Hour)
		synctest.Wait()
		if n := h.listed() - before; n != 0 {
			t.Errorf("%d lists for nobody", n)
		}
		m.Follow("b", "1", "", Steady, func() {})
		<-time.After(1100 * time.Millisecond)
		synctest.Wait()
		if n := h.listed() - before; n != 1 {
			t.Errorf("%d lists for somebody, want 1", n)
		}
	})
}

// A list of everything that failed is asked for again.
func TestHintOutlivesFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &history{}
		m := follow(t, h)
		h.mu.Lock()
		h.err = errors.New("down")
		h.mu.Unlock()
		m.Hint(true)
		<-time.After(1100 * time.Millisecond)
		synctest.Wait()
		h.mu.Lock()
		h.err = nil
		h.mu.Unlock()
		<-time.After(10 * time.Second)
		synctest.Wait()
		if last := h.since[len(h.since)-1]; !last.IsZero() || len(h.since) < 3 {
			t.Errorf("the lists began at %v", h.since)
		}
	})
}
