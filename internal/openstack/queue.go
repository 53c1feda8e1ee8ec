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

// Queue orders what waits by lane, and within a lane takes one of each owner in turn. The zero value is empty.
type Queue[T comparable] struct {
	lanes [lanes]struct {
		turn   []string
		owners map[string][]T
	}
	length int
}

// Len is how many wait.
func (q *Queue[T]) Len() int { return q.length }

// Push adds one behind the others of its lane and owner.
func (q *Queue[T]) Push(lane Lane, owner string, one T) {
	l := &q.lanes[lane.clamp()]
	if l.owners == nil {
		l.owners = map[string][]T{}
	}
	if len(l.owners[owner]) == 0 {
		l.turn = append(l.turn, owner)
	}
	l.owners[owner] = append(l.owners[owner], one)
	q.length++
}

// Pop takes the next one; none is there when the queue is empty.
func (q *Queue[T]) Pop() (next T, there bool) {
	for i := range q.lanes {
		l := &q.lanes[i]
		if len(l.turn) == 0 {
			continue
		}
		owner := l.turn[0]
		next = l.owners[owner][0]
		q.Remove(Lane(i), owner, next)
		if len(l.owners[owner]) > 0 {
			l.turn = append(l.turn[1:], owner)
		}
		return next, true
	}
	return next, false
}

// Remove takes out one that gave up; it does nothing when it is not there.
func (q *Queue[T]) Remove(lane Lane, owner string, one T) {
	l := &q.lanes[lane.clamp()]
	i := slices.Index(l.owners[owner], one)
	if i < 0 {
		return
	}
	q.length--
	l.owners[owner] = slices.Delete(l.owners[owner], i, i+1)
	if len(l.owners[owner]) == 0 {
		delete(l.owners, owner)
		l.turn = slices.DeleteFunc(l.turn, func(o string) bool { return o == owner })
	}
}
