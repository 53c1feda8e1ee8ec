package member

import (
	"context"
	"fmt"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/pki"
)

// pollEvery is how often members are asked while one of them does not serve.
const pollEvery = 2 * time.Second

// maxReplicas is how many members there may be.
const maxReplicas = 3

// Raft brings the pods of a StatefulSet into one cluster, of members that keep a Raft log.
type Raft[T owner.Object] struct {
	// Dial makes callers of agents, RefAgent is the reference to the Secret by which they are called.
	Dial     Dial
	RefAgent string
	// Set is the StatefulSet, StepSet the step that makes it.
	Set     func(o T) string
	StepSet string
	// Domain is the one in which the pods have their names.
	Domain func(o T) string
	// Replicas asked for, and a person's decision.
	Replicas func(o T) int32
	Recovery func(o T) *infrav1.Recovery
	// Content is what a lost member may take with it, Moves what is moved off a member before it leaves; see Members.
	Content, Moves string
}

// Pods are the members' pods of a StatefulSet.
func Pods(set string, replicas int32) []string {
	var out []string
	for i := range replicas {
		out = append(out, fmt.Sprintf("%s-%d", set, i))
	}
	return out
}

// Connect returns orders to the members. Close it.
func (r Raft[T]) Connect(s *step.Scope[T]) (*Members, error) {
	c := agent.Credentials{CA: []byte(s.Value(r.RefAgent, pki.CAKey)),
		Cert: []byte(s.Value(r.RefAgent, pki.AgentClientCert)), Key: []byte(s.Value(r.RefAgent, pki.AgentClientKey))}
	if err := s.Err(); err != nil {
		return nil, err
	}
	caller, err := r.Dial(c)
	if err != nil {
		return nil, err
	}
	return &Members{Caller: caller, Domain: r.Domain(s.Owner()), Moves: r.Moves}, nil
}

func unavailable(err error) *outcome.Outcome {
	return outcome.Fail(outcome.Unavailable, fmt.Errorf("%w; see that the members' pods run", err))
}

// Shrink takes members out of the cluster before the StatefulSet takes their pods away. The count of pods that it has
// let through is in its cell, because the StatefulSet's own count is not to be trusted while it changes.
func (r Raft[T]) Shrink(ctx context.Context, s *step.Scope[T]) *outcome.Outcome {
	want := int(r.Replicas(s.Owner()))
	have, _ := strconv.Atoi(s.Cell().ID)
	if have > want {
		m, err := r.Connect(s)
		if err != nil {
			return outcome.FromError(err)
		}
		defer m.Close()
		why, err := m.Shrink(ctx, Pods(r.Set(s.Owner()), int32(min(have, maxReplicas))), want)
		if err != nil {
			return unavailable(err)
		}
		if why != "" {
			return outcome.Poll(pollEvery, "StatefulSet "+r.Set(s.Owner()), "Going from %d to %d replicas: %s; wait, "+
				"bring back pods that do not run, or set spec.replicas to %d again.", have, want, why, have)
		}
	}
	if have == want {
		return outcome.Done()
	}
	s.Cell().ID = strconv.Itoa(want)
	return outcome.FromError(s.Save())
}

// Members brings the pods into one cluster. While all of them serve it asks nobody.
func (r Raft[T]) Members(ctx context.Context, s *step.Scope[T]) *outcome.Outcome {
	o := s.Owner()
	record, err := ParseRecord(s.Cell().ID)
	if err != nil {
		return outcome.FromError(err)
	}
	set, ok := s.Child(r.StepSet, "StatefulSet", r.Set(o)).(*appsv1.StatefulSet)
	switch {
	case ok && record.Epoch > 0 && serve(set, r.Replicas(o)):
		return outcome.Done()
	case !ok && record.Epoch == 0:
		return Unmade(r.StepSet)
	}
	m, err := r.Connect(s)
	if err != nil {
		return outcome.FromError(err)
	}
	defer m.Close()
	pods := Pods(r.Set(o), r.Replicas(o))
	w := World{Pods: pods, Reports: m.Observe(ctx, pods), Record: record, Recovery: r.Recovery(o), Content: r.Content}
	d, err := m.Drive(ctx, w, func(next Record) error {
		s.Cell().ID = next.String()
		return s.Save()
	})
	return conclude(r.Set(o), d, err)
}

// serve tells whether all pods of a StatefulSet are ready, of whatever revision.
func serve(set *appsv1.StatefulSet, replicas int32) bool {
	return set.Status.ObservedGeneration >= set.Generation &&
		set.Status.ReadyReplicas == replicas && set.Status.Replicas == replicas
}

func conclude(set string, d Decision, err error) *outcome.Outcome {
	if err != nil {
		return unavailable(err)
	}
	pace := pollEvery
	if d.Serving || d.Stopped {
		pace = 5 * time.Second
	}
	// When members serve, their pods' readiness is what is waited for, and that wakes the owner.
	if d.Message == "" {
		d.Reason, d.Message = "MembersStarting", "All members serve; wait until the pods of StatefulSet "+set+" are ready."
	}
	o := outcome.Poll(pace, "StatefulSet "+set, "%s", d.Message)
	o.Reason = d.Reason
	return o
}

// Upgraded tells one member, once per image, that all members run the image: what the new version brings may be used
// from then on.
func (r Raft[T]) Upgraded(image func(o T) string) func(context.Context, *step.Scope[T]) *outcome.Outcome {
	return func(ctx context.Context, s *step.Scope[T]) *outcome.Outcome {
		o := s.Owner()
		if s.Cell().ID == image(o) {
			return outcome.Done()
		}
		m, err := r.Connect(s)
		if err != nil {
			return outcome.FromError(err)
		}
		defer m.Close()
		if err := m.upgraded(ctx, Pods(r.Set(o), r.Replicas(o))); err != nil {
			return unavailable(err)
		}
		s.Cell().ID = image(o)
		return outcome.Done()
	}
}

// Cell returns what a step has noted in the object's status.
func Cell(status *owner.Status, step string) string {
	for _, e := range status.Externals {
		if e.Step == step {
			return e.ID
		}
	}
	return ""
}
