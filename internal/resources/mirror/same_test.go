package mirror

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// teller is a cloud that can tell that nothing has changed.
type teller struct {
	source
	same time.Time
	news []bool
}

func (s *teller) List(ctx context.Context, since time.Time, why Reason) (Listed, error) {
	l, err := s.source.List(ctx, since, why)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.same.IsZero() {
		return Listed{Same: s.same}, err
	}
	l.News = func(news bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.news = append(s.news, news)
	}
	return l, err
}

// unchanged makes the cloud tell from now on that all is as it was at a time; of zero, it tells all again.
func (s *teller) unchanged(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.same = at
}

// told returns the reason for the last list, and which lists brought news.
func (s *teller) told() (Reason, []bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why, s.news
}

// A list that nothing has changed since keeps all there is, as of the time that it was true for, and a list tells
// whether it brought something that was not known.
func TestSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &teller{source: source{items: []Item{{ID: "1", Hash: 1}, {ID: "2", Hash: 2}}}}
		m := New(s, options)
		var woken atomic.Int32
		m.Follow("a", "1", "", Steady, func() { woken.Add(1) })
		go m.Run(t.Context())
		if err := m.Fresh(t.Context(), time.Now().Add(-time.Second)); err != nil {
			t.Fatal(err)
		}
		<-time.After(options.Period - time.Minute)
		then := time.Now()
		s.unchanged(then)
		<-time.After(time.Minute + time.Second)
		why, _ := s.told()
		if _, there := m.Get("1"); !there || !m.Full().Equal(then) || woken.Load() != 1 || why != Due {
			t.Errorf("it is there: %t, as of %s, want %s; the follower was woken %d times, the reason is %d", there, m.Full(),
				then, woken.Load(), why)
		}
		s.unchanged(time.Time{})
		m.Hint(true)
		<-time.After(2 * time.Second)
		if why, _ := s.told(); why != Told {
			t.Errorf("the reason for a list after a hint is %d, want %d", why, Told)
		}
		s.show(Item{ID: "2", Hash: 2})
		<-time.After(options.Period + time.Second)
		if _, news := s.told(); !slices.Equal(news, []bool{true, false, true}) {
			t.Errorf("lists told that they bring news: %v", news)
		}
	})
}
