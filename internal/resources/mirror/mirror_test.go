package mirror

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// source is a cloud with one kind of resource.
type source struct {
	mu    sync.Mutex
	lists int
	why   Reason
	err   error
	items []Item
}

func (s *source) List(_ context.Context, _ time.Time, why Reason) (Listed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	s.why = why
	return Listed{Found: s.items, All: true}, s.err
}

func (s *source) show(items ...Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = items
}

func (s *source) listed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists
}

var options = Options{Period: 5 * time.Minute, Quick: 2 * time.Second, Overlap: time.Minute, Debounce: time.Second}

// A service that is down is asked less and less, and not all the time.
func TestFailedListsArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{err: errors.New("down")}
		m := New(s, options)
		m.Follow("a", "1", "", Changing, func() {})
		go m.Run(t.Context())
		<-time.After(time.Hour)
		if n := s.listed(); n < 10 || n > 30 {
			t.Errorf("%d lists in an hour of failures", n)
		}
	})
}

// What is pending for long, such as a deletion that never ends, is looked at less and less often, also when its object
// is reconciled meanwhile, and what begins to be pending beside it is looked at soon.
func TestLongWaitsArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{items: []Item{{ID: "1"}, {ID: "2"}}}
		m := New(s, options)
		m.Follow("a", "1", "", Leaving, func() {})
		go m.Run(t.Context())
		<-time.After(10 * time.Second)
		if n := s.listed(); n < 4 {
			t.Errorf("%d lists in the first ten seconds", n)
		}
		for hour, most := range []int{1300, 150, 60} {
			before := s.listed()
			for range 1800 {
				<-time.After(2 * time.Second)
				m.Follow("a", "1", "", Leaving, func() {})
			}
			if n := s.listed() - before; n < 10 || n > most {
				t.Errorf("%d lists in hour %d", n, hour)
			} else {
				t.Logf("%d lists in hour %d", n, hour)
			}
		}
		before := s.listed()
		m.Follow("b", "2", "", Changing, func() {})
		<-time.After(10 * time.Second)
		if n := s.listed() - before; n < 4 {
			t.Errorf("%d lists in the first ten seconds of the second", n)
		}
	})
}

// What somebody is to give something is seen soon after that was asked for, and later and later; what others wait for
// is not held up by it.
func TestGiftsAreSeenSoon(t *testing.T) {
	for after, most := range map[time.Duration]time.Duration{
		20 * time.Second: 16 * time.Second, 10 * time.Minute: 67 * time.Second, time.Hour: options.Period} {
		synctest.Test(t, func(t *testing.T) {
			s := &source{items: []Item{{ID: "1", Hash: 1}, {ID: "2"}}}
			m := New(s, options)
			if err := m.Fresh(t.Context(), time.Time{}); err != nil {
				t.Fatal(err)
			}
			seen := make(chan time.Time, 1)
			m.Follow("c", "2", "", Steady, func() {})
			go m.Run(t.Context())
			<-time.After(time.Second)
			m.Follow("a", "1", "", Lacking, func() { seen <- time.Now() })
			<-time.After(after)
			if n := s.listed(); n > 50 {
				t.Errorf("%d lists in %s", n, after)
			}
			s.show(Item{ID: "1", Hash: 2}, Item{ID: "2"})
			changed := time.Now()
			if d := (<-seen).Sub(changed); d > most {
				t.Errorf("given after %s it was seen %s later, want at most %s", after, d, most)
			}
			before := s.listed()
			m.Follow("b", "2", "", Changing, func() {})
			<-time.After(10 * time.Second)
			if n := s.listed() - before; n < 4 {
				t.Errorf("%d lists in the first ten seconds of the second", n)
			}
		})
	}
}

// Of what takes half an hour it is seen within five seconds that it is done. Lists that take long are asked for less
// often: they never take more than a tenth of the time.
func TestLongBuildsAreSeenSoon(t *testing.T) {
	for takes, most := range map[time.Duration]time.Duration{
		10 * time.Millisecond: 5 * time.Second, 3 * time.Second: 40 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := &history{source: source{items: []Item{{ID: "1", Hash: 1}}}, takes: takes}
			m := New(s, options)
			if err := m.Fresh(t.Context(), time.Time{}); err != nil {
				t.Fatal(err)
			}
			seen := make(chan time.Time, 1)
			m.Follow("a", "1", "", Changing, func() { seen <- time.Now() })
			go m.Run(t.Context())
			<-time.After(30 * time.Minute)
			before := s.listed()
			<-time.After(10 * time.Minute)
			if n := s.listed() - before; n > 200 || time.Duration(n)*takes > time.Minute+takes {
				t.Errorf("%d lists of %s in ten minutes", n, takes)
			}
			s.show(Item{ID: "1", Hash: 2})
			changed := time.Now()
			if d := (<-seen).Sub(changed); d > most {
				t.Errorf("with lists of %s it was seen after %s", takes, d)
			}
		})
	}
}

// What changes wakes those who follow it; while something is pending that takes two seconds, and a period otherwise.
func TestChangesWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{items: []Item{{ID: "1", Hash: 1}}}
		m := New(s, options)
		if err := m.Fresh(t.Context(), time.Time{}); err != nil {
			t.Fatal(err)
		}
		var woken atomic.Int32
		m.Follow("a", "1", "", Changing, func() { woken.Add(1) })
		go m.Run(t.Context())
		s.show(Item{ID: "1", Hash: 2})
		<-time.After(5 * time.Second)
		if n := woken.Load(); n != 1 {
			t.Errorf("woken %d times by one change", n)
		}
		m.Follow("a", "1", "", Steady, func() { woken.Add(1) })
		before := s.listed()
		s.show()
		<-time.After(time.Hour)
		if n := s.listed() - before; woken.Load() != 2 || n > 14 {
			t.Errorf("woken %d times, want 2, with %d lists in an hour", woken.Load(), n)
		}
	})
}

// A list that began before a request of ours does not overrule what its answer showed.
func TestOldListsDoNotOverrule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(&source{}, options)
		begin := time.Now()
		<-time.After(time.Second)
		m.Put(Item{ID: "1", Hash: 1, Marker: "mine"}, time.Now())
		m.sweep(nil, begin)
		if _, ok := m.Get("1"); !ok || len(m.Marked("mine")) != 1 {
			t.Error("a list that began before the creation has removed what was created")
		}
		<-time.After(time.Second)
		m.Drop("1", time.Now())
		m.take(Listed{Found: []Item{{ID: "1", Hash: 1, Marker: "mine"}}}, begin)
		if _, ok := m.Get("1"); ok || len(m.Marked("mine")) != 0 {
			t.Error("a list that began before the deletion has brought back what was deleted")
		}
	})
}

// A list says who needs it, so that it waits for its turn no longer than they should.
func TestListsTellWhoNeedsThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{items: []Item{{ID: "1"}}}
		m := New(s, options)
		last := func() Reason { s.mu.Lock(); defer s.mu.Unlock(); return s.why }
		if err := m.Fresh(t.Context(), time.Time{}); err != nil || last() != Asked {
			t.Errorf("the reason of the first list is %d, its error %v", last(), err)
		}
		m.Follow("a", "1", "", Steady, func() {})
		go m.Run(t.Context())
		<-time.After(6 * time.Minute)
		if last() != Due {
			t.Errorf("the reason of the list of a period is %d", last())
		}
		m.Follow("a", "1", "", Changing, func() {})
		<-time.After(5 * time.Second)
		if last() != Awaited {
			t.Errorf("the reason of a list for something pending is %d", last())
		}
	})
}
