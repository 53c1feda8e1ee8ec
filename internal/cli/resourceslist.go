package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
)

// resourceState is what is known of one object that stands for a resource.
type resourceState struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Cloud that the object names; default is the one of that name in the namespace, or else in the cluster.
	Cloud   string      `json:"cloud,omitempty"`
	Ready   bool        `json:"ready"`
	Reason  string      `json:"reason,omitempty"`
	Message string      `json:"message,omitempty"`
	State   string      `json:"state,omitempty"`
	ID      string      `json:"id,omitempty"`
	Created metav1.Time `json:"created,omitzero"`
	// Drift is in what the resource differs from what is declared.
	Drift []openstackv1.Difference `json:"drift,omitempty"`
}

func (s resourceState) object() string { return s.Kind + "/" + s.Name }

func (a *app) resourcesList() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the objects that stand for OpenStack resources, with cloud, state, id and what they wait for",
		Args:  cobra.NoArgs,
	}
	all := everywhere(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		states, err := a.states(cmd.Context(), *all)
		if err != nil {
			return err
		}
		return a.print(states, func() { a.showStates(states, *all) })
	}
	a.outputFlag(cmd)
	return cmd
}

func (a *app) resourcesDrift() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "drift",
		Short: "Show in what OpenStack resources differ from what their objects declare",
		Long: `Show in what OpenStack resources differ from what their objects declare, as the operators saw it last: what
they are told to report (spec.drift: Report, spec.policy: observe) and what cannot be changed. The exit code is 3 when
there is any.`,
		Args: cobra.NoArgs,
	}
	all := everywhere(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		states, err := a.states(cmd.Context(), *all)
		if err != nil {
			return err
		}
		states = slices.DeleteFunc(states, func(s resourceState) bool { return len(s.Drift) == 0 })
		if err := a.print(states, func() { a.showDrift(states, *all) }); err != nil {
			return err
		}
		if len(states) > 0 {
			return no()
		}
		return nil
	}
	a.outputFlag(cmd)
	return cmd
}

func (a *app) states(ctx context.Context, all bool) ([]resourceState, error) {
	c, err := a.client()
	if err != nil {
		return nil, err
	}
	list, err := a.standing(ctx, c, a.within(all))
	if err != nil {
		return nil, err
	}
	out := make([]resourceState, 0, len(list))
	for _, u := range list {
		out = append(out, stateOf(&u))
	}
	slices.SortFunc(out, func(a, b resourceState) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

func stateOf(u *unstructured.Unstructured) resourceState {
	s := resourceState{Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName(),
		Created: u.GetCreationTimestamp()}
	v := verdict(kitStatus(u), u.GetGeneration())
	s.Ready, s.Reason = v.Ready, v.Reason
	if !v.Ready {
		s.Message = v.Message
	}
	var o struct {
		Spec   openstackv1.ResourceSpec   `json:"spec"`
		Status openstackv1.ResourceStatus `json:"status"`
	}
	// What is no resource, such as a Cloud, has other fields there; those that it shares are read.
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"spec": u.Object["spec"],
		"status": u.Object["status"]}, &o)
	switch r := o.Spec.CloudRef; {
	case r != nil:
		s.Cloud = cmp.Or(r.Kind, kindCloud) + "/" + r.Name
	case s.Kind != kindCloud && s.Kind != kindClusterCloud:
		s.Cloud = "default"
	}
	s.State, s.ID, s.Drift = o.Status.State, o.Status.ID, o.Status.Drift
	return s
}

func (a *app) showStates(states []resourceState, all bool) {
	if len(states) == 0 {
		fmt.Fprintln(a.out, "There are no objects of OpenStack resources here.")
		return
	}
	rows := [][]string{{"OBJECT", "READY", "STATE", "ID", "CLOUD", "AGE", "MESSAGE"}}
	for _, s := range states {
		rows = append(rows, []string{s.object(), yesNo(s.Ready), orDash(s.State), orDash(s.ID), orDash(s.Cloud),
			age(s.Created.Time), firstLine(s.Message)})
	}
	a.table(withNamespaces(rows, states, all))
}

func (a *app) showDrift(states []resourceState, all bool) {
	if len(states) == 0 {
		fmt.Fprintln(a.out, "There is no drift.")
		return
	}
	rows := [][]string{{"OBJECT", "FIELD", "DECLARED", "ACTUAL"}}
	var whose []resourceState
	for _, s := range states {
		for _, x := range s.Drift {
			rows = append(rows, []string{s.object(), x.Path, orDash(x.Desired), orDash(x.Actual)})
			whose = append(whose, s)
		}
	}
	a.table(withNamespaces(rows, whose, all))
}

// withNamespaces puts the namespace of each row's object in front when several are shown.
func withNamespaces(rows [][]string, states []resourceState, all bool) [][]string {
	if !all {
		return rows
	}
	rows[0] = append([]string{"NAMESPACE"}, rows[0]...)
	for i, s := range states {
		rows[i+1] = append([]string{orDash(s.Namespace)}, rows[i+1]...)
	}
	return rows
}
