package memcached

import (
	"context"
	"strconv"
	"time"

	"stackwright.dev/kit/outcome"
)

// farewell is how long a cache goes on after it has left the list of servers. Its clients need that time to get pods
// with the new list, one after the other: those with the old one would wait for it at each request.
const farewell = 2 * time.Minute

// leaving is the operation that the step's record has from the time at which caches have left the list.
const leaving = "Leaving"

// shrink holds the StatefulSet until the clients of caches that go have done without them. The record has the number
// of caches that run, and what they become.
func shrink(_ context.Context, s *scope) *outcome.Outcome {
	want, cell := s.Owner().Spec.Replicas, s.Cell()
	have, err := strconv.Atoi(cell.ID)
	if err != nil || int(want) >= have {
		cell.ID, cell.Intent, cell.Operation = strconv.Itoa(int(want)), "", ""
		return nil
	}
	if goal := strconv.Itoa(int(want)); cell.Operation != leaving || cell.Intent != goal {
		cell.Operation, cell.Intent, cell.Since.Time = leaving, goal, s.Now()
	}
	if left := cell.Since.Add(farewell).Sub(s.Now()); left > 0 {
		return outcome.Poll(left, "clients of the caches that go", "Going from %d to %d caches at %s, when clients have "+
			"had two minutes to do without those that go; wait.", have, want,
			cell.Since.Add(farewell).UTC().Format(time.TimeOnly+" UTC"))
	}
	cell.ID, cell.Intent, cell.Operation = strconv.Itoa(int(want)), "", ""
	return nil
}
