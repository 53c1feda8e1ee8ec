// Package external is the contract for resources outside of Kubernetes: observe, find, create, update, delete.
package external

import "context"

// Marker identifies a resource as ours for ever: it follows from the owner's uid and the step.
type Marker string

// State of an external resource as its API tells it.
type State int

// The states of an observed resource.
const (
	// Absent: the API does not know the id.
	Absent State = iota
	// Pending: it exists and is not usable yet.
	Pending
	// Ready: it exists and is usable.
	Ready
	// Broken: it exists and will not become usable by itself.
	Broken
)

// Observation is what Observe saw.
type Observation[O any] struct {
	State State
	// Diff lists the fields in which the resource differs from what is wanted; empty means up to date.
	Diff []string
	// Detail is a sentence for people when the state is Pending or Broken.
	Detail string
	// Output is what later steps may read.
	Output O
}

// Client is the door to one kind of external resource. D is the desired state, O what is observed.
// Every method may be called again after a crash at any point.
type Client[D, O any] interface {
	// Observe looks at the resource with that id.
	Observe(ctx context.Context, id string, want D) (Observation[O], error)
	// Find lists the ids of all resources that carry the marker; the answer must be complete.
	Find(ctx context.Context, m Marker, want D) ([]string, error)
	// Create makes the resource with the marker on it and returns its id.
	Create(ctx context.Context, m Marker, want D) (string, error)
	// Update changes the fields that diff names.
	Update(ctx context.Context, id string, want D, diff []string) error
	// Delete removes the resource; not found is success.
	Delete(ctx context.Context, id string) error
}

// Policy says what may be done to a resource. The zero value allows all.
type Policy struct {
	// ObserveOnly forbids create, update and delete.
	ObserveOnly bool
	// NoCreate, NoUpdate and NoDelete forbid one thing each. NoDelete leaves the resource when the owner goes.
	NoCreate, NoUpdate, NoDelete bool
}
