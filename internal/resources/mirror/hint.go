package mirror

import "time"

// hints are what something outside has told of changes that no list has shown yet.
type hints struct {
	poke chan struct{}
	// first is when the first hint since the last list came; all says that a list of changes would not show it.
	first time.Time
	all   bool
	// ended is when the last list ended, took how long it took, but of the first: a service that has just begun is slow
	// once.
	ended time.Time
	took  time.Duration
}

// share is the part of the time, one in so many, that lists may take which hints ask for, or what is pending: a cloud
// in which much happens would be listed all the time otherwise.
const share = 10

// Hint says that something outside told of a change: the mirror lists soon rather than at the end of its period. With
// all it lists everything, for changes that a list of changes does not show.
func (m *Mirror) Hint(all bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hints.all = m.hints.all || all
	if !m.hints.first.IsZero() {
		return
	}
	m.hints.first = time.Now()
	select {
	case m.hints.poke <- struct{}{}:
	default:
	}
}

// hinted is when the list is due that hints ask for; zero when none does.
func (m *Mirror) hinted() time.Time {
	if m.hints.first.IsZero() {
		return time.Time{}
	}
	soon, fair := m.hints.first.Add(m.options.Debounce), m.hints.ended.Add(share*m.hints.took)
	if fair.After(soon) {
		return fair
	}
	return soon
}

// heed forgets the hints, because a list begins that answers them, and tells whether it has to show everything.
func (m *Mirror) heed() (all bool) {
	all = m.hints.all
	m.hints.first, m.hints.all = time.Time{}, false
	return all
}
