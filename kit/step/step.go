// Package step has the kinds of steps that a controller's graph is made of. A step is data plus a pure function; the
// loop in package reconcile fetches, orders, applies, prunes, waits and writes status.
package step

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
)

// Immutable says what to do when the API server refuses a change of an immutable field.
type Immutable string

// The policies for immutable fields.
const (
	// Refuse fails the step with the path of the field.
	Refuse Immutable = ""
	// Recreate deletes the object with its dependents, waits until it is gone and makes it again.
	Recreate Immutable = "Recreate"
	// Orphan is Recreate with the deletion policy that Kubernetes calls so: the dependents, such as the pods of a
	// StatefulSet, stay and work on, and the new object takes those over that its selector selects.
	Orphan Immutable = "Orphan"
)

// Adoption says what to do when an object that a step wants exists and is not ours.
type Adoption string

// The adoption policies.
const (
	// IfUnowned takes objects that no other controller owns, nor another owner of this one: that is a Conflict.
	IfUnowned Adoption = ""
	// Never fails with Conflict when the object exists without our labels.
	Never Adoption = "Never"
)

// Kind tells the loop how to run a step.
type Kind string

// The kinds of steps.
const (
	KindObjects  Kind = "Objects"
	KindJob      Kind = "Job"
	KindSecret   Kind = "Secret"
	KindExternal Kind = "External"
	KindCheck    Kind = "Check"
)

// Step is one node of a controller's graph. Make it with a constructor and options.
type Step[T owner.Object] struct {
	Name string
	Kind Kind
	// After lists the steps that must be done first.
	After []string
	// Outlives lists steps that do not come after this one, whose objects go before its own all the same.
	Outlives []string
	// Reads lists the references (package ref) whose content the step uses.
	Reads []string
	// Sees lists the steps whose objects the step looks at with Child. It runs behind them, and waits for those in After.
	Sees []string
	// Makes has a prototype of each Kubernetes kind that the step may make.
	Makes []client.Object
	// Uses returns the part of the owner that the step reads; nil means all of its spec.
	Uses func(T) any
	// When switches the step off when it returns false; its objects are then removed.
	When func(T) bool
	// Condition is the condition type that tells this step's state, such as DBSyncReady; empty for none.
	Condition string
	// Advises tells that the condition is for people to know: the owner is Ready without it. It is for Check steps after
	// which no step comes.
	Advises bool
	// Component that runs the step when an operator runs components apart; empty for the main one.
	Component string
	// Gates override the gate of the kinds in Makes, by Kind name.
	Gates map[string]gate.Gate
	// Every looks at the step again after that time at the latest.
	Every time.Duration
	// EachRun runs an External step whenever the owner is looked at: its client answers from memory, and wakes the owner
	// when something outside has changed. A Secret step with content from outside reads its Secret each time.
	EachRun bool
	// Keeps decides for each owner whether the step's objects stay in place when it is deleted, or the step is switched
	// off, with their labels, by which an owner of the same name finds them again. Otherwise they go, after those of
	// later steps; nil keeps none.
	Keeps     func(T) bool
	Immutable Immutable
	Adoption  Adoption
	// Forsake tells, when the owner is deleted, whether what the step's objects stand for is gone for good: objects of kit
	// controllers then let go of it. So they do when a person names the step in AnnotationAbandon. It may be nil.
	Forsake func(*Scope[T]) bool

	// Render of an Objects step: pure, from scope only.
	Render func(*Scope[T]) ([]client.Object, error)
	// Job of a Job step.
	Job func(*Scope[T]) (*batchv1.Job, error)
	// Generate of a Secret step.
	Generate func(*Scope[T], map[string][]byte) (*Generated, error)
	// Act of a Check step or an External step; it may talk to the outside within its context's deadline.
	Act func(context.Context, *Scope[T]) *outcome.Outcome
	// Release of an External step removes or releases the resource, knowing its id only.
	Release func(context.Context, *Scope[T]) *outcome.Outcome
}

// Retains tells whether the step's objects outlive o.
func (s *Step[T]) Retains(o T) bool { return s.Keeps != nil && s.Keeps(o) }

// Option changes a step.
type Option[T owner.Object] func(*Step[T])

func build[T owner.Object](s Step[T], o []Option[T]) Step[T] {
	for _, f := range o {
		f(&s)
	}
	return s
}

// Objects is a step that applies the objects that render returns and is done when the gate of each is true.
// render must be pure: it sees the owner, declared references and declared steps through the scope only.
func Objects[T owner.Object](name string, render func(*Scope[T]) ([]client.Object, error), o ...Option[T]) Step[T] {
	return build(Step[T]{Name: name, Kind: KindObjects, Render: render}, o)
}

// Job is a step that runs a Job once for each distinct pod template. The name of the rendered Job is a prefix: the loop
// appends a hash of the template. A changed template waits for the running Job. A failed Job stays, its last log lines
// in the condition, until its inputs change or the owner gets the annotation kit.stackwright.dev/retry: <step>.
func Job[T owner.Object](name string, render func(*Scope[T]) (*batchv1.Job, error), o ...Option[T]) Step[T] {
	s := Step[T]{Name: name, Kind: KindJob, Job: render, Makes: []client.Object{&batchv1.Job{}}}
	return build(s, o)
}

// CompleteJob sets what all Jobs of steps have, unless they say otherwise.
func CompleteJob(j *batchv1.Job) {
	pod := &j.Spec.Template.Spec
	if pod.RestartPolicy == "" {
		pod.RestartPolicy = corev1.RestartPolicyNever
	}
	for n := range pod.Containers {
		if pod.Containers[n].TerminationMessagePolicy == "" {
			// The last log lines then reach the pod's status, and the condition, without a right to read logs.
			pod.Containers[n].TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
		}
	}
}

// Generated is a Secret whose content is made once and then kept, such as a password, a key or a certificate.
type Generated struct {
	// Secret with name, labels, type and complete Data. Data equal to what the cluster has is not written.
	Secret *corev1.Secret
	// Next asks to call Generate again after that time, for rotation; zero means never.
	Next time.Duration
}

// Secret is a step that generates a Secret. generate gets what the cluster holds under the name that nameOf returns
// (nil when there is none) and returns what it should hold; it keeps what is still good. Two writers cannot overwrite
// each other: the write is bound to the version that generate saw.
func Secret[T owner.Object](name string, generate func(s *Scope[T], have map[string][]byte) (*Generated, error),
	nameOf func(T) string, o ...Option[T]) Step[T] {
	s := Step[T]{Name: name, Kind: KindSecret, Generate: generate, Makes: []client.Object{&corev1.Secret{}}}
	s.Render = func(sc *Scope[T]) ([]client.Object, error) {
		sec := &corev1.Secret{}
		sec.Name, sec.Namespace = nameOf(sc.Owner()), sc.Owner().GetNamespace()
		return []client.Object{sec}, nil
	}
	return build(s, o)
}

// Copied keeps a second Secret, named with -copy behind, from which that of a Secret step comes back with its content
// when somebody has deleted or emptied it: for keys without which data is lost.
func Copied[T owner.Object]() Option[T] {
	return func(s *Step[T]) {
		render := s.Render
		s.Render = func(sc *Scope[T]) ([]client.Object, error) {
			objs, err := render(sc)
			if err != nil {
				return nil, err
			}
			second := objs[0].DeepCopyObject().(*corev1.Secret)
			second.Name += "-copy"
			return append(objs, second), nil
		}
	}
}

// Check is a step without objects: it looks at something and says whether later steps may go on. It runs in each
// reconcile, so it is cheap, or it declares Every and asks the outside within its context's deadline.
func Check[T owner.Object](name string, act func(context.Context, *Scope[T]) *outcome.Outcome, o ...Option[T]) Step[T] {
	return build(Step[T]{Name: name, Kind: KindCheck, Act: act}, o)
}

// After names steps that must be done first.
func After[T owner.Object](steps ...string) Option[T] {
	return func(s *Step[T]) { s.After = append(s.After, steps...) }
}

// Outlives names steps whose objects go before those of the step, although they do not wait until it is done: who uses
// it only at times, and still needs it to go.
func Outlives[T owner.Object](steps ...string) Option[T] {
	return func(s *Step[T]) { s.Outlives = append(s.Outlives, steps...) }
}

// Reads names references that the step uses. It waits until they exist and pass their gates.
func Reads[T owner.Object](refs ...string) Option[T] {
	return func(s *Step[T]) { s.Reads = append(s.Reads, refs...) }
}

// Sees names steps whose objects the step looks at with Child; it comes after them.
func Sees[T owner.Object](steps ...string) Option[T] {
	return func(s *Step[T]) { s.Sees, s.After = append(s.Sees, steps...), append(s.After, steps...) }
}

// Makes declares the kinds of an Objects step, by prototype.
func Makes[T owner.Object](kinds ...client.Object) Option[T] {
	return func(s *Step[T]) { s.Makes = append(s.Makes, kinds...) }
}

// Uses narrows what of the owner makes the step render again, from the whole spec to what f returns, which is hashed as
// JSON. The step must not look at anything else of the owner's spec.
func Uses[T owner.Object](f func(T) any) Option[T] { return func(s *Step[T]) { s.Uses = f } }

// When switches the step off, and removes its objects, while f is false.
func When[T owner.Object](f func(T) bool) Option[T] { return func(s *Step[T]) { s.When = f } }

// Condition names the condition that tells the step's state.
func Condition[T owner.Object](t string) Option[T] { return func(s *Step[T]) { s.Condition = t } }

// Advises names a condition that people should know of and that does not count for Ready.
func Advises[T owner.Object](t string) Option[T] {
	return func(s *Step[T]) { s.Condition, s.Advises = t, true }
}

// Component names the component that runs the step when an operator runs components apart.
func Component[T owner.Object](c string) Option[T] { return func(s *Step[T]) { s.Component = c } }

// Ready sets the gate for objects of that kind in this step.
func Ready[T owner.Object](kind string, g gate.Gate) Option[T] {
	return func(s *Step[T]) {
		if s.Gates == nil {
			s.Gates = map[string]gate.Gate{}
		}
		s.Gates[kind] = g
	}
}

// Every looks at the step again after d at the latest. A Job that failed is run again after d.
func Every[T owner.Object](d time.Duration) Option[T] { return func(s *Step[T]) { s.Every = d } }

// KeepWhen retains the objects of owners for which f is true, and deletes those of others.
func KeepWhen[T owner.Object](f func(T) bool) Option[T] { return func(s *Step[T]) { s.Keeps = f } }

// ForsakeWhen lets objects of kit controllers go without what they stand for, when the owner is deleted and f is true,
// or a person says so.
func ForsakeWhen[T owner.Object](f func(*Scope[T]) bool) Option[T] {
	return func(s *Step[T]) { s.Forsake = f }
}

// OnImmutable sets the policy for immutable fields.
func OnImmutable[T owner.Object](i Immutable) Option[T] { return func(s *Step[T]) { s.Immutable = i } }

// Adopt sets the adoption policy.
func Adopt[T owner.Object](a Adoption) Option[T] { return func(s *Step[T]) { s.Adoption = a } }
