package openstack

import "slices"

// Lane says how urgent a request is. Requests of a lane go before all those of the next, even if these never come to
// pass: a cloud that cannot take what people do has no time for looking after drift.
type Lane int

// The lanes, most urgent first.
const (
	// Urgent is for what a person waits for: a deletion, a change of an object.
	Urgent Lane = iota
	// Wait is for looking whether something is done.
	Wait
	// Drift is for looking whether something has changed.
	Drift
	// Import is for reading what is there, in bulk.
	Import
	lanes
)

// String returns the name of the lane.
func (l Lane) String() string {
	return [...]string{"urgent", "wait", "drift", "import"}[l.clamp()]
}

func (l Lane) clamp() Lane { return min(max(l, Urgent), lanes-1) }

// waiter is a request that waits to be let in.
type waiter struct {
	lane  Lane
	owner string
	ready chan pass
}

// pass lets a request in, or turns it away.
type pass struct {
	ticket ticket
	err    error
}

// queue orders waiters by lane, and within a lane takes one of each owner in turn.
type queue struct {
	lanes [lanes]struct {
		turn   []string
		owners map[string][]*waiter
	}
	length int
}

func (q *queue) push(w *waiter) {
	l := &q.lanes[w.lane]
	if l.owners == nil {
		l.owners = map[string][]*waiter{}
	}
	if len(l.owners[w.owner]) == 0 {
		l.turn = append(l.turn, w.owner)
	}
	l.owners[w.owner] = append(l.owners[w.owner], w)
	q.length++
}

// pop takes the next waiter, nil when there is none.
func (q *queue) pop() *waiter {
	for i := range q.lanes {
		l := &q.lanes[i]
		if len(l.turn) == 0 {
			continue
		}
		owner := l.turn[0]
		w := l.owners[owner][0]
		q.remove(w)
		if len(l.owners[owner]) > 0 {
			l.turn = append(l.turn[1:], owner)
		}
		return w
	}
	return nil
}

// remove takes out a waiter that gave up; it does nothing when it is not there.
func (q *queue) remove(w *waiter) {
	l := &q.lanes[w.lane]
	i := slices.Index(l.owners[w.owner], w)
	if i < 0 {
		return
	}
	q.length--
	l.owners[w.owner] = slices.Delete(l.owners[w.owner], i, i+1)
	if len(l.owners[w.owner]) == 0 {
		delete(l.owners, w.owner)
		l.turn = slices.DeleteFunc(l.turn, func(o string) bool { return o == w.owner })
	}
}
