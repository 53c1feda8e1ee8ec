package member

import (
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// LooksAt lets a step look at what other steps made without waiting for them, as step.Sees does: it only runs behind
// them. Who leads members has to go on while a field of the spec, a Secret or a volume keeps their StatefulSet from
// being applied.
func LooksAt[T owner.Object](steps ...string) step.Option[T] {
	return func(s *step.Step[T]) { s.Sees = append(s.Sees, steps...) }
}

// Unmade waits for the step that makes the pods of a cluster: nobody is there yet to be asked.
func Unmade(stepSet string) *outcome.Outcome {
	return outcome.Wait("step "+stepSet, "Waits for step %s.", stepSet)
}
