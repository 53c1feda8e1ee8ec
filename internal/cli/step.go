package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/owner"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
)

// stepState is a step that is not done yet.
type stepState struct {
	Name       string          `json:"name"`
	State      owner.StepState `json:"state"`
	WaitingFor string          `json:"waitingFor,omitempty"`
	// Message is what a step says that failed.
	Message string      `json:"message,omitempty"`
	Since   metav1.Time `json:"since,omitzero"`
}

// open are the steps that failed, or wait for something other than a step before them.
func open(st *owner.Status) []stepState {
	var out []stepState
	for i := range st.Steps {
		if s := &st.Steps[i]; s.State == owner.StepWaiting || s.State == owner.StepFailed {
			out = append(out, stateOfStep(st, s))
		}
	}
	return out
}

func stateOfStep(st *owner.Status, s *owner.Step) stepState {
	out := stepState{Name: s.Name, State: s.State, WaitingFor: s.WaitingFor, Since: s.Since}
	if s.State == owner.StepFailed {
		out.Message = failure(st, s.Name)
	}
	return out
}

// failure is what an object says of a step that failed: Ready of the worst one, and of others the condition that is
// called after them. Empty when there is none, for steps do not name their conditions.
func failure(st *owner.Status, step string) string {
	name := strings.ToLower(strings.ReplaceAll(step, "-", ""))
	told := ""
	for _, c := range st.Conditions {
		if text, ok := strings.CutPrefix(c.Message, "Step "+step+": "); ok {
			return text
		}
		if c.Status != condition.True && c.Type != condition.Ready && strings.HasPrefix(strings.ToLower(c.Type), name) {
			told = cmp.Or(told, c.Message)
		}
	}
	return told
}

// openBelow are the open steps of the objects that an object made and that are not ready. One that is ready itself may
// have such: a cell that breaks does not take Nova with it. Below what is ready nothing more is read, so that at rest it
// is a request for each object of ours that a service made. What stands for something in the cloud has no steps of
// interest.
func openBelow(ctx context.Context, c client.Reader, st *owner.Status) (out []stepState, err error) {
	for _, item := range st.Inventory {
		if !ours(item.Group) || item.Group == openstackv1.GroupVersion.Group {
			continue
		}
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(schema.GroupVersionKind{Group: item.Group, Version: versionOf, Kind: item.Kind})
		if err := c.Get(ctx, client.ObjectKey{Namespace: item.Namespace, Name: item.Name}, u); err != nil {
			if err = absent(err, item); err != nil && !apierrors.IsForbidden(err) {
				return nil, err
			}
			continue
		}
		st := kitStatus(u)
		steps := openOf(item, st, u.GetGeneration())
		if len(steps) == 0 {
			continue
		}
		below, err := openBelow(ctx, c, st)
		if err != nil {
			return nil, err
		}
		out = append(append(out, steps...), below...)
	}
	return out, nil
}

// openOf are the open steps of an object below another one, with its kind and name in front. Of one that is not ready
// and has none, such as one that is paused, it is what the object says itself.
func openOf(item owner.Item, st *owner.Status, generation int64) []stepState {
	v := verdict(st, generation)
	if v.Ready {
		return nil
	}
	steps := open(st)
	if len(steps) == 0 || v.Reason == condition.Paused {
		steps = []stepState{{State: owner.StepWaiting, Message: v.Message, Since: v.Since}}
	}
	for i := range steps {
		steps[i].Name = strings.TrimSpace(strings.ToLower(item.Kind) + "/" + item.Name + " " + steps[i].Name)
	}
	return steps
}

// mostSteps is how many open steps are listed of an object.
const mostSteps = 8

// stepRows are the lines of open steps in a table that has columns between state and age: of many the first.
func stepRows(steps []stepState, lead string, between int) (rows [][]string) {
	row := func(name, state, since, message string) {
		line := append([]string{lead + name, state}, make([]string, between)...)
		rows = append(rows, append(line, since, message))
	}
	for i := range steps[:min(len(steps), mostSteps)] {
		s := &steps[i]
		row("step "+s.Name, strings.ToLower(string(s.State)), age(s.Since.Time), firstLine(cmp.Or(s.Message, s.WaitingFor)))
	}
	if more := len(steps) - mostSteps; more > 0 {
		row("", "", "", fmt.Sprintf("and %d more steps", more))
	}
	return rows
}
