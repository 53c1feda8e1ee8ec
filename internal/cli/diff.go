package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	kitapply "stackwright.dev/kit/apply"
	"stackwright.dev/kit/owner"

	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/rehearse"
)

// change is what would become of one object.
type change struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Change is create, update or delete.
	Change string `json:"change"`
	// Lines that go begin with a minus, lines that come with a plus.
	Lines []string `json:"lines,omitempty"`
}

func (a *app) diff() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "diff -f FILE",
		Short: "Show what would change in the cluster if the objects in a file were applied",
		Long: `Show what would change in the cluster if the objects in a file were applied: those of ours themselves, and what
the operators would make of them, or delete. Objects of Kubernetes, such as Secrets, are what ours refer to, and are not
compared. Of objects that stand for a resource of OpenStack "stackwright resources drift" tells in what OpenStack
differs.
Nothing is changed: the API server is asked by dry runs, as who applied the object last, so that fields go that the file
has no more. Content of Secrets is not shown. What only a running cluster can tell is noted on standard error. The exit
code is 3 when there are differences, or when the operators would refuse an object.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			changes, result, err := a.changes(cmd.Context(), file)
			if err != nil {
				return err
			}
			a.showNotes(result)
			if err := a.print(changes, func() { a.showChanges(changes) }); err != nil {
				return err
			}
			if len(changes) > 0 || len(result.Refused) > 0 {
				return no()
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the objects")
	a.outputFlag(cmd)
	return cmd
}

// changes are those of the objects of a file, and of what is made of them.
func (a *app) changes(ctx context.Context, file string) ([]change, *rehearse.Result, error) {
	c, err := a.client()
	if err != nil {
		return nil, nil, err
	}
	docs, err := a.readDocuments(file)
	if err != nil {
		return nil, nil, err
	}
	d := &differ{client: c, changes: []change{}}
	var others []string
	for i := range docs {
		if !docs[i].ours() {
			others = append(others, docs[i].name()+" is not of ours and was not compared; see kubectl diff")
			continue
		}
		if err := d.given(ctx, &docs[i], a.ns()); err != nil {
			return nil, nil, err
		}
	}
	result, err := a.rehearse(ctx, file, docs, c)
	if err != nil {
		return nil, nil, err
	}
	result.Notes = append(others, result.Notes...)
	for _, m := range result.Made {
		if err := d.made(ctx, m); err != nil {
			return nil, nil, err
		}
	}
	for _, g := range result.Gone {
		d.changes = append(d.changes, change{Kind: g.Kind, Namespace: g.Namespace, Name: g.Name, Change: "delete"})
	}
	return d.changes, result, nil
}

// differ gathers changes.
type differ struct {
	client  client.Client
	changes []change
}

// given compares an object of the file. From then on it is what the API server would make of it, as that is what
// operators see: what others have set in it stays.
func (d *differ) given(ctx context.Context, doc *document, namespace string) error {
	if err := place(doc.object, namespace); err != nil {
		return err
	}
	doc.raw.SetNamespace(doc.object.GetNamespace())
	delete(doc.raw.Object, "status")
	for _, f := range serverSet {
		unstructured.RemoveNestedField(doc.raw.Object, "metadata", f)
	}
	after, err := d.compare(ctx, doc.raw, "")
	if err != nil || after == nil {
		return err
	}
	empty, err := operator.Scheme().New(after.GroupVersionKind())
	if err != nil {
		return fmt.Errorf("making a %s: %w", after.GetKind(), err)
	}
	after.SetManagedFields(nil)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(after.Object, empty); err != nil {
		return fmt.Errorf("reading %s %s: %w", after.GetKind(), after.GetName(), err)
	}
	if o, ok := empty.(client.Object); ok {
		doc.object = o
	}
	return nil
}

// made compares what a controller would make. A Job is known by a hash of what it does, and is made once, even if it
// has been tidied away.
func (d *differ) made(ctx context.Context, m rehearse.Made) error {
	if job, ok := m.Object.(*batchv1.Job); ok {
		raw, err := json.Marshal(&job.Spec.Template)
		if err != nil {
			return fmt.Errorf("encoding Job %s: %w", job.Name, err)
		}
		job.Name += "-" + kitapply.Hash(raw)[:8]
		if o, ok := m.Owner.(owner.Object); ok && slices.ContainsFunc(o.KitStatus().Inventory, func(it owner.Item) bool {
			return it.Kind == "Job" && it.Name == job.Name
		}) {
			return nil
		}
	}
	want, err := intent(m.Object)
	if err == nil {
		_, err = d.compare(ctx, want, m.Controller)
	}
	return err
}

// compare asks the API server what applying an object would make of the one it has, as a field manager, or as who has
// applied that one. It returns that; nil of an object that is not there.
func (d *differ) compare(ctx context.Context, want *unstructured.Unstructured, manager string) (
	*unstructured.Unstructured, error) {
	ch := change{Kind: want.GetKind(), Namespace: want.GetNamespace(), Name: want.GetName(), Change: "update"}
	have := &unstructured.Unstructured{}
	have.SetGroupVersionKind(want.GroupVersionKind())
	err := d.client.Get(ctx, client.ObjectKeyFromObject(want), have)
	if apierrors.IsNotFound(err) {
		ch.Change = "create"
		d.changes = append(d.changes, ch)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", want.GetKind(), want.GetName(), err)
	}
	after, err := foresee(ctx, d.client, want, have, cmp.Or(manager, applier(have)))
	if err != nil {
		return nil, err
	}
	before, err := lines(have)
	if err != nil {
		return nil, err
	}
	then, err := lines(after)
	if err != nil {
		return nil, err
	}
	if ch.Lines = difference(before, then); len(ch.Lines) > 0 {
		d.changes = append(d.changes, ch)
	}
	return after, nil
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

// serverSet is what an API server sets in metadata.
var serverSet = []string{"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"}

// lines is what of an object can be compared: its intent, with content of Secrets hidden.
func lines(u *unstructured.Unstructured) ([]string, error) {
	m := u.DeepCopy().Object
	delete(m, "status")
	for _, f := range serverSet {
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
