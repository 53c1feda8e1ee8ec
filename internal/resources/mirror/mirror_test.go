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
	err   error
	items []Item
}

func (s *source) List(context.Context, time.Time) (Listed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
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
		for range 1800 {
			<-time.After(2 * time.Second)
			m.Follow("a", "1", "", Leaving, func() {})
		}
		if n := s.listed(); n < 50 || n > 200 {
			t.Errorf("%d lists in an hour", n)
		} else {
			t.Logf("%d lists in an hour", n)
		}
		before := s.listed()
		m.Follow("b", "2", "", Changing, func() {})
		<-time.After(10 * time.Second)
		if n := s.listed() - before; n < 4 {
			t.Errorf("%d lists in the first ten seconds of the second", n)
		}
	})
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
