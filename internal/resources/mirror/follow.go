package mirror

import (
	"context"
	"time"
)

// Follow wakes who when the resource with that id, or one with that marker, changes, appears or vanishes. While it is
// pending the mirror lists quickly. A second call for the same who replaces the first. On a mirror that is closed it
// wakes who at once.
func (m *Mirror) Follow(who, id, marker string, pending Pending, wake func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		// It was closed between the moment in which the caller got it and this one. The caller gets another one when it
		// looks again.
		wake()
		return
	}
	f := &follower{id: id, marker: marker, pending: pending, since: time.Now(), wake: wake}
	old := m.followers[who]
	waits := old != nil && old.pending == pending && old.id == id
	if waits {
		f.since = old.since
	}
	m.unfollow(who)
	first := old == nil && len(m.followers) == 0
	m.followers[who] = f
	if id != "" {
		add(m.byID, id, who)
	}
	if marker != "" {
		add(m.byMarker, marker, who)
	}
	if pending != Steady && !waits {
		m.hurry()
	}
	if first {
		ring(m.first)
	}
}

// Unfollow forgets who, and tells whether anybody is left.
func (m *Mirror) Unfollow(who string) (left bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unfollow(who)
	return len(m.followers) > 0
}

// Close says that nobody will get the mirror any more, unless somebody follows: then it tells that it stays open.
func (m *Mirror) Close() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = len(m.followers) == 0
	return m.closed
}

func (m *Mirror) unfollow(who string) {
	f := m.followers[who]
	if f == nil {
		return
	}
	drop(m.byID, f.id, who)
	drop(m.byMarker, f.marker, who)
	delete(m.followers, who)
}

// hurry wakes Run; it is enough that one wake-up is on its way.
func (m *Mirror) hurry() { ring(m.nudge) }

func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}

// Run lists at every period while somebody follows, and quickly while something is pending, until ctx ends or it is
// idle.
func (m *Mirror) Run(ctx context.Context) {
	for {
		wait := m.pause()
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-m.first:
			timer.Stop()
			continue // with the pause of a mirror that somebody follows
		case <-m.nudge:
			timer.Stop()
			// What comes within a moment of each other is answered by one list.
			if !sleep(ctx, min(wait, m.options.Quick)) {
				return
			}
		case <-m.hints.poke:
			timer.Stop()
			continue
		case <-timer.C:
		}
		switch {
		case m.followed():
			m.again(ctx)
		case m.options.Idle != nil && m.options.Idle():
			return
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// pause is how long to wait until the next list.
func (m *Mirror) pause() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed > 0 {
		return min(m.options.Quick<<min(m.failed, 10), m.options.Period)
	}
	if at := m.hinted(); !at.IsZero() && len(m.followers) > 0 {
		return max(0, min(m.unhinted(), time.Until(at)))
	}
	return m.unhinted()
}

func (m *Mirror) unhinted() time.Duration {
	if m.waiting(Changing) {
		return min(max(m.options.Quick, m.patience()), m.options.Period)
	}
	if m.waiting(Lacking) {
		return min(max(calm, time.Since(m.latest(Lacking))/calmness), m.options.Period)
	}
	if m.full.IsZero() || len(m.followers) == 0 {
		return m.options.Period
	}
	return max(0, time.Until(m.full.Add(m.options.Period)))
}

func (m *Mirror) waiting(least Pending) bool {
	for _, f := range m.followers {
		if f.pending >= least {
			return true
		}
	}
	return false
}

// slowness is how many times longer something has been pending than the time between two looks at it.
const slowness = 30

// Of what has been pending for less than soon it is seen within prompt that it came to another state, unless lists
// take long.
const (
	soon   = time.Hour
	prompt = 3 * time.Second
)

// Between two looks at what somebody is to give something is calm, and a part of the time that has gone by, one in so
// many.
const (
	calm     = 15 * time.Second
	calmness = 10
)

// latest is when the last began to be pending of those that are at least so.
func (m *Mirror) latest(least Pending) (last time.Time) {
	for _, f := range m.followers {
		if f.pending >= least && f.since.After(last) {
			last = f.since
		}
	}
	return last
}

// patience is the time between two lists for what has been pending for the shortest time.
func (m *Mirror) patience() time.Duration {
	pending := time.Since(m.latest(Changing))
	first := min(pending/slowness, max(prompt, share*m.hints.took))
	return first + max(0, pending-soon)/slowness
}

func (m *Mirror) again(ctx context.Context) {
	if m.turn(ctx) != nil {
		return
	}
	defer func() { <-m.listing }()
	m.mu.Lock()
	told := !m.hints.first.IsZero()
	all := m.heed()
	changes := !all && !m.full.IsZero() && time.Since(m.full) < m.options.Period &&
		(m.options.TellsGone || !m.waiting(Leaving))
	why := Due
	switch {
	case m.waiting(Changing):
		why = Awaited
	case told:
		why = Told
	}
	m.mu.Unlock()
	// An error is told by whoever needs the list; the next round tries again.
	if err := m.list(ctx, changes, why); err != nil && all {
		m.mu.Lock()
		m.hints.all = true
		m.mu.Unlock()
	}
}

// list reads the resources and wakes the followers of those that changed.
func (m *Mirror) list(ctx context.Context, changes bool, why Reason) error {
	begin, since := time.Now(), time.Time{}
	m.mu.Lock()
	if changes {
		since = m.asOf.Add(-m.options.Overlap)
	}
	m.mu.Unlock()
	listed, err := m.source.List(ctx, since, why)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.hints.ended.IsZero() {
		m.hints.took = time.Since(begin)
	}
	m.hints.ended = time.Now()
	if err != nil {
		m.failed, m.trouble = m.failed+1, err
		return err
	}
	m.failed = 0
	if !listed.Same.IsZero() {
		m.full, m.asOf = listed.Same, listed.Same
		return nil
	}
	m.show(listed, begin)
	return nil
}

// show takes over a list and wakes the followers of what changed.
func (m *Mirror) show(listed Listed, begin time.Time) {
	woken, changed, news := m.take(listed, begin)
	if listed.All {
		swept, some := m.sweep(listed.Found, begin)
		woken, news = append(woken, swept...), news || some
		m.full = begin
	}
	m.asOf = begin
	for _, f := range woken {
		f.wake()
	}
	if changed && m.options.Changed != nil {
		m.options.Changed()
	}
	if listed.News != nil {
		listed.News(news)
	}
}

// take stores a list and returns the followers of what changed, and whether anything did that is there, or at all.
func (m *Mirror) take(l Listed, at time.Time) (woken []*follower, changed, news bool) {
	for _, i := range l.Found {
		if m.store(i, at) {
			changed, news = true, true
			woken = append(woken, m.interested(i.ID, i.Marker)...)
		}
	}
	for _, id := range l.Gone {
		marker := m.items[id].Marker
		if m.remove(id, at) {
			news = true
			woken = append(woken, m.interested(id, marker)...)
		}
	}
	return woken, changed, news
}

// sweep removes what a list of everything did not show, and tells whether there was some; it forgets what is gone for
// long.
func (m *Mirror) sweep(found []Item, at time.Time) (woken []*follower, some bool) {
	shown := make(map[string]bool, len(found))
	for _, i := range found {
		shown[i.ID] = true
	}
	for id, e := range m.items {
		switch {
		case shown[id] || e.seen.After(at):
		case e.gone:
			delete(m.items, id)
		case m.remove(id, at):
			some = true
			woken = append(woken, m.interested(id, e.Marker)...)
		}
	}
	return woken, some
}

func (m *Mirror) interested(id, marker string) (out []*follower) {
	for who := range m.byID[id] {
		out = append(out, m.followers[who])
	}
	for who := range m.byMarker[marker] {
		if f := m.followers[who]; f.id == "" {
			out = append(out, f)
		}
	}
	return out
}
