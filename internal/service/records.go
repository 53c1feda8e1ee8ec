package service

import (
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// StepRecords removes the records of programs that there are no more.
const StepRecords = "services"

// annotationChanges tells the Jobs apart that remove records.
const annotationChanges = "service.stackwright.dev/changes"

// Records are what a service keeps in its database of each program that ever ran: nobody but an operator removes them,
// and who lists the programs sees those that are gone as down.
type Records[T Object] struct {
	// Programs are arguments that tell which programs there shall be.
	Programs func(T) []string
	// Command removes the records of all others. It gets Programs.
	Command func(programs ...string) []string
	// Status is where the changes of Programs are counted.
	Status func(T) *servicev1.ProgramsStatus
}

// RecordStep removes records after each change of what programs there are, once the steps after have made it so: a
// program that starts writes its record anew, and one that runs misses it. It does so also when a change takes back
// what another one has brought, as a program may have run in between, and over a database that was kept.
func (s Service[T]) RecordStep(r Records[T], after ...string) step.Step[T] {
	return s.JobStep(StepRecords, func(sc *step.Scope[T]) (Pod[T], error) {
		o := sc.Owner()
		return Pod[T]{Component: StepRecords, Alone: true, Command: r.Command(r.Programs(o)...),
			Annotations: map[string]string{annotationChanges: strconv.FormatInt(r.changes(o).Changes, 10)}}, nil
	}, step.When(func(o T) bool { return r.changes(o).Changes > 0 }), step.After[T](after...),
		step.Condition[T]("ServicesReady"))
}

// Report counts the changes. That the programs are those of a database that was there before is the first one.
func (r Records[T]) Report(v step.View, o T) {
	now := r.changes(o)
	if r.Status(o).Hash == "" && kept(v, o) {
		now.Changes++
	}
	*r.Status(o) = now
}

// kept tells whether the database is older than the object.
func kept(v step.View, o Object) bool {
	born := o.GetCreationTimestamp()
	return slices.ContainsFunc(v.Referenced(RefDatabase), func(secret client.Object) bool {
		if secret == nil {
			return false
		}
		at := secret.GetCreationTimestamp()
		return at.Before(&born)
	})
}

// changes is the state of the programs with what is declared now.
func (r Records[T]) changes(o T) servicev1.ProgramsStatus {
	was, is := *r.Status(o), apply.Hash([]byte(strings.Join(r.Programs(o), " ")))
	if was.Hash == "" || was.Hash == is {
		return servicev1.ProgramsStatus{Hash: is, Changes: was.Changes}
	}
	return servicev1.ProgramsStatus{Hash: is, Changes: was.Changes + 1}
}
