package reconcile

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// runs tells whether this process runs a step or reads its state from status only.
func (p *Plan[T]) runs(s *step.Step[T]) bool {
	return p.Components == nil || slices.Contains(p.Components, s.Component)
}

// adopt takes the state of a step that another process runs from status. Done counts while the step's inputs, as this
// process sees them, are those that the other has worked off: what was done for an older spec or Secret is not done.
func (r *run[T]) adopt(i int, prev *owner.Step) {
	s, res := &r.Steps[i], &r.results[i]
	component := componentOf(s.Component)
	if prev != nil {
		res.fp = prev.Fingerprint
	}
	switch {
	case s.When != nil && !s.When(r.o):
		res.state = owner.StepOff
	case prev == nil:
		res.state = owner.StepBlocked
		res.out = outcome.Wait(component, "Waits for the operator of %s; start it.", component)
	case prev.State != owner.StepDone && prev.State != owner.StepOff:
		res.state = prev.State
		res.out = outcome.Wait(prev.WaitingFor, "Waits for %s%s", component, r.told(i))
	case prev.State == owner.StepOff || !r.fingerprint(i).is(prev.Fingerprint):
		res.state = owner.StepBlocked
		res.out = outcome.Wait(component, "Waits for the operator of %s to follow a change; see that it runs.", component)
	default:
		res.state = owner.StepDone
	}
}

func componentOf(name string) string {
	if name == "" {
		return "the main component"
	}
	return "component " + name
}

// told is what the process that runs a step says of it.
func (r *run[T]) told(i int) string {
	c := meta.FindStatusCondition(r.o.KitStatus().Conditions, r.Steps[i].Condition)
	if c == nil || c.Message == "" || c.Status == condition.True {
		return "; see that its operator runs."
	}
	return ": " + c.Message
}

// explained tells whether the process that runs a step has said already, in Ready, that the owner waits for it, in a
// message that begins so. It knows more than this one.
func (r *run[T]) explained(i int, st *owner.Status, begins string) bool {
	c := meta.FindStatusCondition(st.Conditions, condition.Ready)
	return !r.runs(&r.Steps[i]) && c != nil && c.Status == condition.False &&
		c.ObservedGeneration == r.o.GetGeneration() && strings.HasPrefix(c.Message, begins+because(r.Steps[i].Name))
}

// because begins the message of Ready.
func because(step string) string { return "Step " + step + ": " }

// inventory is what step i has made: of a step that another process runs, what that has written.
func (r *run[T]) inventory(i int, old *owner.Status) []owner.Item {
	if r.runs(&r.Steps[i]) {
		return r.results[i].items
	}
	return slices.DeleteFunc(slices.Clone(old.Inventory), func(it owner.Item) bool { return it.Step != r.Steps[i].Name })
}

// externals are the records of resources outside of Kubernetes. That of a step which another process runs stays as that
// has written it, which may be later than this run began.
func (r *run[T]) externals(old *owner.Status) []owner.External {
	var out []owner.External
	for i := range r.results {
		cell := r.results[i].cell
		if !r.runs(&r.Steps[i]) {
			n := slices.IndexFunc(old.Externals, func(e owner.External) bool { return e.Step == r.Steps[i].Name })
			if cell = nil; n >= 0 {
				cell = &old.Externals[n]
			}
		}
		if cell != nil && (cell.ID != "" || cell.Marker != "" || cell.Operation != "" || cell.Intent != "") {
			out = append(out, *cell)
		}
	}
	return out
}

// awaitComponent tells whether nothing is left of what a step of another process made.
func (r *run[T]) awaitComponent(i int) bool {
	s, res := &r.Steps[i], &r.results[i]
	prev := r.o.KitStatus().Find(s.Name)
	if len(res.items) == 0 && res.cell == nil && (prev == nil || prev.State == owner.StepOff) {
		return true
	}
	component := componentOf(s.Component)
	res.state, res.out = owner.StepWaiting, outcome.Wait(component,
		"Waits for the operator of %s to remove what it made; start it.", component)
	if prev != nil && prev.State == owner.StepFailed {
		res.state = owner.StepFailed // all processes have to find the same step the worst
	}
	return false
}
