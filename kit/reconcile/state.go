package reconcile

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/obs"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// State adds up what the records of all owners say. It sends no request.
func (l *Loop[T]) State() obs.State {
	st := obs.State{Objects: map[string]int{}, Steps: map[string]obs.StepState{}}
	l.Store.All(l.Kind.GroupKind(), func(rec client.Object) {
		o, ok := rec.(T)
		if !ok {
			return
		}
		ready := "Unknown"
		if c := meta.FindStatusCondition(o.KitStatus().Conditions, condition.Ready); c != nil {
			ready = string(c.Status)
		}
		st.Objects[ready]++
		l.addSteps(st.Steps, o)
	})
	return st
}

// addSteps adds the steps of one owner that this process runs.
func (l *Loop[T]) addSteps(sum map[string]obs.StepState, o T) {
	st, ends := o.KitStatus(), map[int]time.Time{}
	l.memories.note(client.ObjectKeyFromObject(o), func(m *memory) {
		for i, mem := range m.steps {
			ends[i] = mem.ends
		}
	})
	for n := range st.Steps {
		i := l.indexOf(st.Steps[n].Name)
		if i < 0 || !l.runs(&l.Steps[i]) {
			continue
		}
		s := sum[l.Steps[i].Name]
		switch st.Steps[n].State {
		case owner.StepOff:
			continue
		case owner.StepWaiting:
			s.Waiting++
			s.Since = earlier(s.Since, st.Steps[n].Since.Time)
		case owner.StepFailed:
			s.Failed++
			s.Since = earlier(s.Since, st.Steps[n].Since.Time)
		}
		s.Due = earlier(s.Due, ends[i])
		sum[l.Steps[i].Name] = s
	}
	for n := range st.Inventory {
		it := &st.Inventory[n]
		if i := l.indexOf(it.Step); i >= 0 && l.Steps[i].Kind == step.KindSecret && l.runs(&l.Steps[i]) {
			s := sum[it.Step]
			l.addSecret(&s, it)
			sum[it.Step] = s
		}
	}
}

func (l *Loop[T]) addSecret(s *obs.StepState, it *owner.Item) {
	rec := l.Store.Get(schema.GroupKind{Group: it.Group, Kind: it.Kind},
		types.NamespacedName{Namespace: it.Namespace, Name: it.Name})
	if rec == nil {
		return
	}
	if due, err := time.Parse(time.RFC3339, rec.GetAnnotations()[apply.AnnotationDue]); err == nil {
		s.Due = earlier(s.Due, due)
		return
	}
	since, err := time.Parse(time.RFC3339, rec.GetAnnotations()[apply.AnnotationChanged])
	if err != nil {
		since = rec.GetCreationTimestamp().Time
	}
	s.Oldest = earlier(s.Oldest, since)
}

// earlier is the earlier of two times, of which zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}
