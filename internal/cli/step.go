package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/owner"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
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
	return stepState{Name: s.Name, State: s.State, WaitingFor: s.WaitingFor, Message: failure(st, s), Since: s.Since}
}

// failure is what an object says of a step that failed: Ready of the worst one, and of others the condition that is
// called after them. Empty when there is none, for steps do not name their conditions, and of other steps.
func failure(st *owner.Status, s *owner.Step) string {
	if s.State != owner.StepFailed {
		return ""
	}
	name, told := strings.ToLower(strings.ReplaceAll(s.Name, "-", "")), ""
	for _, c := range st.Conditions {
		if text, ok := strings.CutPrefix(c.Message, "Step "+s.Name+": "); ok {
			return text
		}
		switch of := strings.ToLower(c.Type); {
		case c.Status == condition.True || c.Type == condition.Ready:
		case of == name+"ready":
			told = c.Message
		case strings.HasPrefix(of, name):
			told = cmp.Or(told, c.Message)
		}
	}
	return told
}

// plan adds what a control plane has not done yet: services to come, which it makes only after others, and its own
// steps that are open. Those that wait for a service say what its line says. To one that goes no service comes.
func (s *survey) plan(o *controlplanev1.OpenStackControlPlane) {
	st := o.KitStatus()
	made, told := map[string]bool{}, map[string]bool{}
	for _, item := range st.Inventory {
		made[item.Step] = true
	}
	for i := range s.Services {
		if p := &s.Services[i]; !p.Ready {
			told[p.Kind+" "+p.Object] = true
		}
	}
	for i := range st.Steps {
		step := &st.Steps[i]
		switch {
		case step.State == owner.StepDone || step.State == owner.StepOff:
		case !made[step.Name] && slices.Contains(controlplanev1.ServiceNames(), step.Name):
			if o.DeletionTimestamp == nil {
				s.Services = append(s.Services, toCome(st, step))
			}
		case step.State != owner.StepBlocked && !told[step.WaitingFor]:
			s.Steps = append(s.Steps, stateOfStep(st, step))
		}
	}
}

// toCome is the state of a service whose object is not made yet.
func toCome(st *owner.Status, step *owner.Step) serviceState {
	why := cmp.Or(failure(st, step), "waits for "+cmp.Or(behind(st, step), "another try"))
	return serviceState{Name: step.Name, ToCome: true, Readiness: Readiness{Reason: string(step.State),
		Message: "not yet: " + why, Since: step.Since}}
}

// behind is what a step waits for: of one that is blocked by others the first of these that is not.
func behind(st *owner.Status, step *owner.Step) string {
	on := step.WaitingFor
	for range st.Steps {
		name, ok := strings.CutPrefix(on, "step ")
		next := st.Find(name)
		if !ok || next == nil || next.State != owner.StepBlocked {
			break
		}
		on = next.WaitingFor
	}
	return on
}

// openBelow are the open steps of the objects that an object made and that are not ready. One that is ready itself may
// have such: a cell that breaks does not take Nova with it. Below what is ready nothing more is read, so that at rest
// it is a request for each object of ours that a service made. What stands for something in the cloud has no steps of
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
