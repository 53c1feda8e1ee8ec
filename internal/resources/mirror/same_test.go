package mirror

import (
	"context"
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
	if !s.same.IsZero() {
		return Listed{Same: s.same}, err
	}
	l.News = func(news bool) { s.news = append(s.news, news) }
	return l, err
}

// A list that nothing has changed since keeps all there is, as of the time that it was true for, and a list tells
// whether it brought something that was not known.
func TestSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &teller{source: source{items: []Item{{ID: "1", Hash: 1}, {ID: "2", Hash: 2}}}}
		m := New(s, options)
		woken := 0
		m.Follow("a", "1", "", Steady, func() { woken++ })
		go m.Run(t.Context())
		if err := m.Fresh(t.Context(), time.Now().Add(-time.Second)); err != nil {
			t.Fatal(err)
		}
		<-time.After(options.Period - time.Minute)
		s.same = time.Now()
		<-time.After(time.Minute + time.Second)
		if _, there := m.Get("1"); !there || !m.Full().Equal(s.same) || woken != 1 || s.why != Due {
			t.Errorf("it is there: %t, as of %s, want %s; the follower was woken %d times, the reason is %d", there, m.Full(),
				s.same, woken, s.why)
		}
		s.same = time.Time{}
		m.Hint(true)
		<-time.After(2 * time.Second)
		if s.why != Told {
			t.Errorf("the reason for a list after a hint is %d, want %d", s.why, Told)
		}
		s.show(Item{ID: "2", Hash: 2})
		<-time.After(options.Period + time.Second)
		if n := len(s.news); n != 3 || !s.news[0] || s.news[1] || !s.news[2] {
			t.Errorf("lists told that they bring news: %v", s.news)
		}
	})
}
