package kittest

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/owner"
)

// Coherent returns in what an object tells different things to those who wait for it: kstatus, which tools that deploy
// follow, `kubectl wait --for=condition=Ready`, and the gate by which kit controllers wait for each other. An object
// that no operator has looked at yet has no conditions, which kstatus takes for current.
func Coherent(o owner.Object) error {
	st := o.KitStatus()
	if st.ObservedGeneration > o.GetGeneration() {
		return fmt.Errorf("status is of generation %d, the object of %d", st.ObservedGeneration, o.GetGeneration())
	}
	for _, c := range st.Conditions {
		if c.ObservedGeneration > o.GetGeneration() {
			return fmt.Errorf("condition %s is of generation %d, the object of %d", c.Type, c.ObservedGeneration,
				o.GetGeneration())
		}
	}
	ready := meta.FindStatusCondition(st.Conditions, condition.Ready)
	if ready == nil && len(st.Conditions) == 0 {
		return nil
	}
	waited := ready != nil && ready.Status == condition.True && ready.ObservedGeneration == o.GetGeneration()
	passes, _ := gate.For(o)(o)
	told := kstatus(o)
	alive := o.GetDeletionTimestamp() == nil
	if current := told == "Current"; current != (waited && alive) || current != passes {
		return fmt.Errorf("kstatus says %s, condition Ready is met: %t, the gate is open: %t", told, waited, passes)
	}
	if told == "Failed" != (alive && meta.IsStatusConditionTrue(st.Conditions, condition.Stalled)) &&
		st.ObservedGeneration == o.GetGeneration() {
		return fmt.Errorf("kstatus says %s of an object whose conditions are %v", told, st.Conditions)
	}
	return nil
}

// kstatus computes what sigs.k8s.io/cli-utils/pkg/kstatus does of a custom resource; the library would bring kubectl
// into the module.
func kstatus(o owner.Object) string {
	st := o.KitStatus()
	if o.GetDeletionTimestamp() != nil {
		return "Terminating"
	}
	if st.ObservedGeneration != 0 && st.ObservedGeneration != o.GetGeneration() {
		return "InProgress"
	}
	for _, c := range st.Conditions {
		switch {
		case c.Type == condition.Reconciling && c.Status == condition.True:
			return "InProgress"
		case c.Type == condition.Stalled && c.Status == condition.True:
			return "Failed"
		}
	}
	if c := meta.FindStatusCondition(st.Conditions, condition.Ready); c != nil && c.Status != condition.True {
		return "InProgress"
	}
	return "Current"
}

// coherent fails the play when an owner tells different things.
func (p *Play) coherent() {
	p.T.Helper()
	for _, u := range p.stored() {
		if !p.world.owned(u.GroupVersionKind()) {
			continue
		}
		obj, err := p.world.Scheme.New(u.GroupVersionKind())
		p.must("reading "+name(u), err)
		p.must("reading "+name(u), runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, obj))
		if o, ok := obj.(owner.Object); ok {
			if err := Coherent(o); err != nil {
				p.T.Errorf("%s: %v", name(u), err)
			}
		}
	}
}
