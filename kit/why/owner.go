package why

import (
	"cmp"
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stackwright.dev/kit/owner"
)

// owner explains an object that a kit controller reconciles, and one of another kind by the gate of that: many are data
// without a state, which only have to be there.
func (w *walk) owner(ctx context.Context, gvk schema.GroupVersionKind, o Object) *Finding {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	if f := w.read(ctx, o, u); f != nil {
		return f
	}
	if !slices.Contains(w.Kinds, gvk) {
		return gated(o, u)
	}
	st := statusOf(u)
	ready := find(st.Conditions, "Ready")
	switch {
	case paused(st) != nil:
		return pausedFinding(o, paused(st))
	case ready == nil || st.ObservedGeneration < u.GetGeneration():
		return w.unobserved(ctx, o, u, ready)
	case ready.Status == metav1.ConditionTrue && u.GetDeletionTimestamp() == nil:
		return nil
	}
	if steps := w.steps(ctx, o, st, ready); len(steps) > 0 {
		// The worst step stands for the object; what Ready says is the same.
		f := steps[0]
		f.Because = append(f.Because, steps[1:]...)
		return f
	}
	f := conditionFinding(o, ready)
	if d := held(o, u); d != nil {
		f.Because = append(f.Because, d)
	}
	return f
}

// unobserved is the finding about an object that its controller has not looked at.
func (w *walk) unobserved(ctx context.Context, o Object, u *unstructured.Unstructured,
	ready *metav1.Condition) *Finding {
	f := &Finding{Object: o, Part: "Ready", Reason: "NotObserved", Since: u.GetCreationTimestamp(),
		Message: "no operator has looked at " + o.Kind + " " + o.Name + " yet",
		Do:      "see that the operator runs, that its --controllers cover this kind, and what it logs"}
	if ready != nil {
		f.Message = "no operator has looked at the last change of " + o.Kind + " " + o.Name + " yet"
		f.Since = metav1.Time{}
	}
	f.Because = w.operators(ctx, u.GroupVersionKind())
	return f
}

// steps explains the steps that fail and those that wait; steps that are blocked by these say nothing new. The one that
// Ready names comes first: of several it is the first in the order of the graph, which status does not tell.
func (w *walk) steps(ctx context.Context, o Object, st *owner.Status, ready *metav1.Condition) []*Finding {
	var out []*Finding
	for _, state := range []owner.StepState{owner.StepFailed, owner.StepWaiting} {
		for i := range st.Steps {
			s := &st.Steps[i]
			if s.State != state {
				continue
			}
			at := len(out)
			if strings.HasPrefix(ready.Message, "Step "+s.Name+": ") {
				at = 0
			}
			out = slices.Insert(out, at, w.step(ctx, o, st, s))
		}
	}
	return out
}

func (w *walk) step(ctx context.Context, o Object, st *owner.Status, s *owner.Step) *Finding {
	f := &Finding{Object: o, Part: "step " + s.Name, Reason: string(s.State), Since: s.Since}
	if c := conditionOf(st, s); c != nil {
		f.Part = c.Type
		f.tell(c.Reason, c.Message)
	} else if c := find(st.Conditions, "Ready"); c != nil {
		if text, ok := strings.CutPrefix(c.Message, "Step "+s.Name+": "); ok {
			f.tell(c.Reason, text)
		}
	}
	f.Because = w.behind(ctx, o, st, s)
	return f
}

// behind looks at the object that a step waits for, or else at everything that the step made.
func (w *walk) behind(ctx context.Context, o Object, st *owner.Status, s *owner.Step) []*Finding {
	if gvk, key, ok := w.target(o, st, s); ok {
		if f := w.explain(ctx, gvk, key); f != nil {
			return []*Finding{f}
		}
	}
	var out []*Finding
	for _, m := range w.made(st, s.Name) {
		if f := w.explain(ctx, m.gvk, m.key); f != nil {
			out = append(out, f)
		}
	}
	return ranked(out)
}

// conditionOf finds the condition of a step: the one whose message tells of what the step waits for. Steps do not name
// their condition in status; Ready repeats the message of the worst step and serves where the step has none of its own.
func conditionOf(st *owner.Status, s *owner.Step) *metav1.Condition {
	name := strings.ToLower(strings.ReplaceAll(s.Name, "-", ""))
	var best *metav1.Condition
	for i := range st.Conditions {
		c := &st.Conditions[i]
		if c.Status == metav1.ConditionTrue || general(c.Type) {
			continue
		}
		if strings.HasPrefix(strings.ToLower(c.Type), name) {
			return c
		}
		if s.WaitingFor != "" && strings.Contains(c.Message, s.WaitingFor) {
			best = cmp.Or(best, c)
		}
	}
	return best
}

// general conditions tell about the object as a whole.
func general(t string) bool {
	return slices.Contains([]string{"Ready", "Reconciling", "Stalled", "Paused"}, t)
}

func conditionFinding(o Object, c *metav1.Condition) *Finding {
	f := &Finding{Object: o, Part: c.Type, Since: c.LastTransitionTime}
	f.tell(c.Reason, c.Message)
	return f
}

func paused(st *owner.Status) *metav1.Condition {
	if c := find(st.Conditions, "Paused"); c != nil && c.Status == metav1.ConditionTrue {
		return c
	}
	return nil
}

func pausedFinding(o Object, c *metav1.Condition) *Finding {
	f := conditionFinding(o, c)
	f.Do = cmp.Or(f.Do, "unpause it when it may change again")
	return f
}

func find(list []metav1.Condition, t string) *metav1.Condition {
	for i := range list {
		if list[i].Type == t {
			return &list[i]
		}
	}
	return nil
}

// statusOf reads the kit's part of a status; a status of another shape is an empty one.
func statusOf(u *unstructured.Unstructured) *owner.Status {
	st := &owner.Status{}
	if m, ok, err := unstructured.NestedMap(u.Object, "status"); ok && err == nil {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(m, st); err != nil {
			return &owner.Status{}
		}
	}
	return st
}
