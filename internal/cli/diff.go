package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/stackwright/internal/rehearse"
)

// change is what would become of one object.
type change struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Change is create or update.
	Change string `json:"change"`
	// Lines that go begin with a minus, lines that come with a plus.
	Lines []string `json:"lines,omitempty"`
}

func (a *app) diff() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "diff -f FILE",
		Short: "Show what would change in the cluster if the objects in a file were applied",
		Long: `Show what would change in the cluster if the objects in a file were applied: an object itself, and what the
operators would make of it. A file has one object of which others are made, and what it refers to; or objects that
stand for a resource of OpenStack each, of which "stackwright resources drift" tells in what OpenStack differs.
Nothing is changed: the API server is asked by dry runs. Content of Secrets is not shown. Fields that would be taken
away from an object are not shown. The exit code is 3 when there are differences.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			changes, err := a.changes(cmd.Context(), file)
			if err != nil {
				return err
			}
			if err := a.print(changes, func() { a.showChanges(changes) }); err != nil {
				return err
			}
			if len(changes) > 0 {
				return no()
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the object")
	a.outputFlag(cmd)
	return cmd
}

func (a *app) changes(ctx context.Context, file string) ([]change, error) {
	c, err := a.client()
	if err != nil {
		return nil, err
	}
	results, err := a.rehearse(ctx, file, c)
	if err != nil {
		return nil, err
	}
	var made []rehearse.Made
	for _, r := range results {
		made = append(append(made, rehearse.Made{Object: r.Played}), r.Made...)
	}
	changes := []change{}
	for _, m := range made {
		ch, err := compare(ctx, c, m.Object)
		if err != nil {
			return nil, err
		}
		if ch != nil {
			changes = append(changes, *ch)
		}
	}
	return changes, nil
}

// compare asks the API server what applying an object would make of the one it has. nil is no change.
func compare(ctx context.Context, c client.Client, o client.Object) (*change, error) {
	want, err := intent(o)
	if err != nil {
		return nil, err
	}
	ch := &change{Kind: want.GetKind(), Namespace: want.GetNamespace(), Name: want.GetName(), Change: "update"}
	have := &unstructured.Unstructured{}
	have.SetGroupVersionKind(want.GroupVersionKind())
	err = c.Get(ctx, client.ObjectKeyFromObject(want), have)
	if apierrors.IsNotFound(err) {
		ch.Change = "create"
		return ch, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", want.GetKind(), want.GetName(), err)
	}
	after := want.DeepCopy()
	if err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(after), client.DryRunAll,
		client.FieldOwner("stackwright-diff"), client.ForceOwnership); err != nil {
		return nil, fmt.Errorf("asking what applying %s %s would do: %w", want.GetKind(), want.GetName(), err)
	}
	before, err := lines(have)
	if err != nil {
		return nil, err
	}
	then, err := lines(after)
	if err != nil {
		return nil, err
	}
	if ch.Lines = difference(before, then); len(ch.Lines) == 0 {
		return nil, nil
	}
	return ch, nil
}

// intent is an object as it is applied: without status and without what is empty.
func intent(o client.Object) (*unstructured.Unstructured, error) {
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", o.GetName(), err)
	}
	delete(m, "status")
	prune(m)
	return &unstructured.Unstructured{Object: m}, nil
}

// prune removes nulls, and the empty structs that Go types leave behind.
func prune(m map[string]any) {
	for k, v := range m {
		switch v := v.(type) {
		case nil:
			delete(m, k)
		case map[string]any:
			prune(v)
			if len(v) == 0 && slices.Contains([]string{"strategy", "resources", "metadata", "updateStrategy"}, k) {
				delete(m, k)
			}
		case []any:
			for _, e := range v {
				if e, ok := e.(map[string]any); ok {
					prune(e)
				}
			}
		}
	}
}

// lines is what of an object can be compared: its intent, with content of Secrets hidden.
func lines(u *unstructured.Unstructured) ([]string, error) {
	m := u.DeepCopy().Object
	delete(m, "status")
	for _, f := range []string{"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"} {
		unstructured.RemoveNestedField(m, "metadata", f)
	}
	if u.GetKind() == "Secret" && u.GroupVersionKind().Group == corev1.GroupName {
		delete(m, "data")
	}
	text, err := yaml.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", u.GetName(), err)
	}
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n"), nil
}

// difference lists the lines that go and come, in order, by the longest common part.
func difference(a, b []string) []string {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, v := range slices.Backward(a) {
		for j := len(b) - 1; j >= 0; j-- {
			if v == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []string
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	return out
}

func (a *app) showChanges(changes []change) {
	if len(changes) == 0 {
		fmt.Fprintln(a.out, "Nothing would change.")
	}
	for _, ch := range changes {
		fmt.Fprintf(a.out, "%s %s %s\n", ch.Change, ch.Kind, ch.Name)
		for _, l := range ch.Lines {
			fmt.Fprintln(a.out, "  "+l)
		}
	}
}
