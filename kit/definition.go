// Package kit is a library for Kubernetes operators: a controller is a Definition, a graph of steps with declared
// inputs and outputs. The loop applies, waits, prunes, deletes in reverse order, tells why, and does nothing at rest.
package kit

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"
)

// Definition is a controller for owners of type T. It is data: no client, no context, no requeue.
type Definition[T owner.Object] struct {
	// Name of the controller: its finalizer, field manager, label value and metric label. Lower case, such as keystone.
	Name string
	// New returns an empty owner.
	New func() T
	// Refs declares what steps read besides the owner.
	Refs []ref.Ref[T]
	// Steps are the nodes of the graph, in any order that reads well.
	Steps []step.Step[T]
	// Report fills the owner's own status fields, from the cache only; o is a copy. It may be nil.
	Report func(v step.View, o T)
	// Guard refuses a deletion: while it returns a message the object keeps running and Ready tells the message. It sees
	// children and references, but not what is in Secrets and ConfigMaps. It may be nil.
	Guard func(v step.View, o T) string
	// Inherits tells whether what owners below o have kept goes with o, as far as it is in o's namespace and of kinds that
	// steps make or that Estate names: those owners may be long gone. It may be nil.
	Inherits func(o T) bool
	// Estate has a prototype of each kind that o inherits and that none of its own steps makes.
	Estate []client.Object
	// Turn is asked before each run of an owner that exists, so that what many owners share, and what answers slowly, does
	// not keep all workers busy. It returns what is called at the end of the run, or nil when it is not the owner's turn:
	// then Wake has to wake it when it is. It may be nil.
	Turn func(o T) (done func())
	// Notice is told of each owner as the cache learns of it, and again when its spec changes or it is gone. Of the owners
	// that are there when the manager starts all controllers' Notices are told before any owner is run. It must neither
	// block nor change o. It may be nil.
	Notice func(o T, gone bool)
	// Wake runs beside the controller, and calls wake for the owners that an event outside of Kubernetes concerns, such as
	// a change that a long-held request has brought. Report is asked again, too. It ends with ctx. It may be nil.
	Wake func(ctx context.Context, wake func(types.NamespacedName))
	// Retry is Wake for owners whose failed steps are worth trying at once, such as those of a service that answers
	// again: their pauses are over. It may be nil.
	Retry func(ctx context.Context, retry func(types.NamespacedName))
	// Options tune the loop.
	Options Options
}

// Options tune the loop. The zero value is good for most controllers.
type Options struct {
	// Workers is the number of owners reconciled at a time; 4 when zero.
	Workers int
	// Parallel is the number of steps of one owner that run at a time; 4 when zero.
	Parallel int
	// Deadline is how long a step may wait before its condition says Stalled; 10 min when zero.
	Deadline time.Duration
	// Components restricts this process to the steps of these components; nil runs all.
	Components []string
	// Pods selects the pods of the workloads that the steps make, by labels that those of strangers do not have: such pods
	// are watched, and the condition that waits for a workload tells why one of them does not start. With nil nobody looks
	// at pods, and the condition tells how many are available.
	Pods labels.Selector
}
