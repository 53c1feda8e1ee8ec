package step

import (
	"cmp"
	"context"
	"crypto/sha1" // UUID version 5 is defined on SHA-1; nothing secret hangs on it
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/external"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
)

// opDelete is the operation in flight while an external resource is deleted.
const opDelete = "Delete"

// pendingPoll is how often a resource that is not ready yet is looked at.
const pendingPoll = 2 * time.Second

// Externals describes an External step.
type Externals[T owner.Object, D, O any] struct {
	// Dial makes the client from the owner and its references. It is also called to delete the resource.
	Dial func(*Scope[T]) (external.Client[D, O], error)
	// Want renders the desired state; pure.
	Want func(*Scope[T]) (D, error)
	// Policy of the owner; nil allows everything.
	Policy func(T) external.Policy
}

// External is a step that owns one resource outside of Kubernetes. The resource carries a marker that follows from
// owner and step, so that after a crash at any request it is found again rather than made twice.
func External[T owner.Object, D, O any](name string, e Externals[T, D, O], o ...Option[T]) Step[T] {
	s := Step[T]{Name: name, Kind: KindExternal}
	s.Act = func(ctx context.Context, sc *Scope[T]) *outcome.Outcome { return e.act(ctx, sc) }
	s.Release = func(ctx context.Context, sc *Scope[T]) *outcome.Outcome { return e.release(ctx, sc) }
	return build(s, o)
}

// MarkerOf returns the marker of a step's resource: a UUID version 5 of owner and step.
func MarkerOf(o owner.Object, step string) external.Marker {
	h := sha1.Sum([]byte("stackwright.dev/kit/" + string(o.GetUID()) + "/" + step))
	u := h[:16]
	u[6], u[8] = u[6]&0x0f|0x50, u[8]&0x3f|0x80
	return external.Marker(fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]))
}

func (e Externals[T, D, O]) policy(o T) external.Policy {
	if e.Policy == nil {
		return external.Policy{}
	}
	return e.Policy(o)
}

func (e Externals[T, D, O]) act(ctx context.Context, sc *Scope[T]) *outcome.Outcome {
	c, err := e.Dial(sc)
	if err = cmp.Or(err, sc.Err()); err != nil {
		return outcome.FromError(fmt.Errorf("connecting: %w", err))
	}
	want, err := e.Want(sc)
	if err = cmp.Or(err, sc.Err()); err != nil {
		return outcome.FromError(fmt.Errorf("rendering: %w", err))
	}
	cell := sc.Cell()
	cell.Marker = string(MarkerOf(sc.Owner(), sc.step.Name))
	if cell.ID == "" {
		if out := e.obtain(ctx, sc, c, want); out != nil {
			return out
		}
	}
	return e.keep(ctx, sc, c, want)
}

// obtain finds the resource by its marker or creates it.
func (e Externals[T, D, O]) obtain(ctx context.Context, sc *Scope[T], c external.Client[D, O],
	want D) *outcome.Outcome {
	cell := sc.Cell()
	ids, err := c.Find(ctx, external.Marker(cell.Marker), want)
	if err != nil {
		return outcome.FromError(fmt.Errorf("looking for the resource: %w", err))
	}
	switch {
	case len(ids) > 1:
		return outcome.Fail(outcome.Conflict, fmt.Errorf(
			"%d resources carry our marker: %s; delete all but one", len(ids), strings.Join(ids, ", ")))
	case len(ids) == 1:
		cell.ID = ids[0]
	default:
		if p := e.policy(sc.Owner()); p.ObserveOnly || p.NoCreate {
			return outcome.Poll(time.Minute, "the resource",
				"The resource of step %s does not exist and may not be created; create it or change the policy.", sc.step.Name)
		}
		if out := e.create(ctx, sc, c, want); out != nil {
			return out
		}
	}
	cell.Operation, cell.Since = "", metav1.NewTime(sc.Now().Truncate(time.Second))
	return nil
}

func (e Externals[T, D, O]) create(ctx context.Context, sc *Scope[T], c external.Client[D, O],
	want D) *outcome.Outcome {
	cell := sc.Cell()
	// An owner that is deleted before the next process starts is not asked for what is not on the books.
	if !sc.noted(cell.Marker) {
		if err := sc.Save(); err != nil {
			return outcome.FromError(fmt.Errorf("recording the marker of the resource: %w", err))
		}
		cell = sc.Cell()
	}
	id, err := c.Create(ctx, external.Marker(cell.Marker), want)
	if err != nil {
		return outcome.FromError(fmt.Errorf("creating the resource: %w", err))
	}
	cell.ID = id
	return nil
}

// noted tells whether the marker of the step's resource is on the books.
func (s *Scope[T]) noted(marker string) bool {
	return slices.ContainsFunc(s.owner.KitStatus().Externals, func(e owner.External) bool {
		return e.Step == s.step.Name && e.Marker == marker
	})
}

// keep observes the resource and brings it up to date.
func (e Externals[T, D, O]) keep(ctx context.Context, sc *Scope[T], c external.Client[D, O], want D) *outcome.Outcome {
	cell := sc.Cell()
	seen, err := c.Observe(ctx, cell.ID, want)
	if err != nil {
		return outcome.FromError(fmt.Errorf("observing %s: %w", cell.ID, err))
	}
	what := "resource " + cell.ID
	switch {
	case seen.State == external.Absent && sc.Now().Sub(cell.Since.Time) < grace:
		return outcome.Poll(pendingPoll, what, "Waits until %s shows up at its API; see the log of the API if not.", what)
	case seen.State == external.Absent:
		cell.ID = ""
		return outcome.Poll(pendingPoll, what, "The %s is gone; it is made again.", what)
	case seen.State == external.Broken:
		return outcome.Fail(outcome.Unknown, fmt.Errorf("%s is broken: %s; repair or delete it", what, seen.Detail))
	case seen.State == external.Pending:
		return outcome.Poll(pendingPoll, what, "Waits until %s is ready: %s; see the log of its API if that lasts.", what,
			seen.Detail)
	case len(seen.Diff) == 0:
		return nil
	}
	if p := e.policy(sc.Owner()); p.ObserveOnly || p.NoUpdate {
		return outcome.Poll(time.Minute, what, "The %s differs in %s and may not be updated; change it or the policy.", what,
			strings.Join(seen.Diff, ", "))
	}
	if err := c.Update(ctx, cell.ID, want, seen.Diff); err != nil {
		return outcome.FromError(fmt.Errorf("updating %s: %w", what, err))
	}
	return nil
}

// grace is how long an id that was just learnt may be missing from the API's answers.
const grace = 10 * time.Second

// release deletes the resource, known by its id or else by its marker.
func (e Externals[T, D, O]) release(ctx context.Context, sc *Scope[T]) *outcome.Outcome {
	if p := e.policy(sc.Owner()); p.ObserveOnly || p.NoDelete {
		return nil
	}
	c, err := e.Dial(sc)
	if err = cmp.Or(err, sc.Err()); err != nil {
		return outcome.Fail(outcome.Unavailable, fmt.Errorf("connecting to delete the resource: %w", err))
	}
	cell := sc.Cell()
	cell.Marker = string(MarkerOf(sc.Owner(), sc.step.Name))
	var zero D
	ids := []string{cell.ID}
	if cell.ID == "" {
		if ids, err = c.Find(ctx, external.Marker(cell.Marker), zero); err != nil {
			return outcome.FromError(fmt.Errorf("looking for the resource to delete: %w", err))
		}
	}
	for _, id := range ids {
		cell.ID, cell.Operation = id, opDelete
		if err := c.Delete(ctx, id); err != nil {
			return outcome.FromError(fmt.Errorf("deleting %s: %w", id, err))
		}
		seen, err := c.Observe(ctx, id, zero)
		if err != nil {
			return outcome.FromError(fmt.Errorf("observing the deletion of %s: %w", id, err))
		}
		if seen.State != external.Absent {
			return outcome.Poll(pendingPoll, "resource "+id,
				"Waits until resource %s is deleted; see the log of its API if it stays.", id)
		}
	}
	return nil
}
