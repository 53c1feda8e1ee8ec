package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/intake"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// importer owns the fields of the objects that an import makes.
const importer = client.FieldOwner("stackwright-import")

// intakeFlags are the flags of an import.
type intakeFlags struct {
	cloud, project, policy *string
	kinds, filter          *[]string
	dryRun                 *bool
}

func (a *app) resourcesImport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Make objects for what exists in a cloud",
		Long: `Make objects for what exists in a cloud.

Each resource that no object stands for gets one in the namespace, with its fields as they are, by spec.import.id. By
default the objects only observe: nothing in the cloud is changed, whatever becomes of them. A second run makes objects
for what is new and leaves the others alone.

Passwords and other secrets cannot be read and are not declared. With -o the objects are printed too; with --dry-run
none is made.`,
		Example: `  stackwright resources import --dry-run -o yaml > cloud.yaml
  stackwright resources import -n shop --cloud ClusterCloud/north --project shop
  stackwright resources import --kind Project,User --filter domainID=default --policy managed`,
		Args: cobra.NoArgs,
	}
	f := intakeFlags{cloud: cloudFlag(cmd), kinds: kindFlag(cmd)}
	f.project = cmd.Flags().String("project", "", "id or name of a project: only it and what belongs to it")
	f.filter = cmd.Flags().StringArray("filter", nil, "field=value that resources have, such as domainID=default")
	f.policy = cmd.Flags().String("policy", "observe", "spec.policy of the objects: observe, adopt, managed or detach")
	f.dryRun = cmd.Flags().Bool("dry-run", false, "make nothing, tell what would be made")
	_ = cmd.RegisterFlagCompletionFunc("policy",
		cobra.FixedCompletions(policies(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.takeIn(cmd.Context(), f) }
	a.outputFlag(cmd)
	return cmd
}

// policies are those of spec.policy.
func policies() []string { return []string{"observe", "adopt", "managed", "detach"} }

func (a *app) takeIn(ctx context.Context, f intakeFlags) error {
	want, err := f.request()
	if err != nil {
		return err
	}
	c, err := a.client()
	if err != nil {
		return err
	}
	plan, err := a.planIntake(ctx, c, f, want)
	if err != nil {
		return err
	}
	if a.output != "" {
		list := map[string]any{"apiVersion": "v1", "kind": "List", "items": plan.Objects}
		if err := a.print(list, nil); err != nil {
			return err
		}
	}
	refused := map[string]error{}
	if !*f.dryRun {
		if refused, err = a.applyAll(ctx, c, plan.Objects); err != nil {
			return err
		}
	}
	a.showIntake(plan, *f.dryRun, refused)
	if len(refused) > 0 {
		return fmt.Errorf("%d objects were refused", len(refused))
	}
	return nil
}

// request is what the flags ask for.
func (f intakeFlags) request() (intake.Request, error) {
	list, err := kindsNamed(*f.kinds)
	if err != nil {
		return intake.Request{}, err
	}
	want := intake.Request{Kinds: list, Asked: len(*f.kinds) > 0, Policy: *f.policy, Filter: map[string]string{}}
	if !slices.Contains(policies(), want.Policy) {
		return want, usage(fmt.Errorf("there is no policy %q; use one of %s", want.Policy, strings.Join(policies(), ", ")))
	}
	for _, pair := range *f.filter {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return want, usage(fmt.Errorf("--filter %s is no field=value", pair))
		}
		want.Filter[name] = value
	}
	return want, nil
}

// planIntake looks at the cloud first and at the objects after it: what the operators make in between has an object
// then.
func (a *app) planIntake(ctx context.Context, c client.Reader, f intakeFlags,
	want intake.Request) (*intake.Plan, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cl, err := a.openCloud(ctx, c, *f.cloud)
	if err != nil {
		return nil, err
	}
	defer cl.pool.Close()
	want.Cloud, want.Namespace = cl.ref, a.ns()
	if want.Kinds, err = cl.allowed(want.Kinds, want.Asked); err != nil {
		return nil, err
	}
	scope := resources.Scope{AllProjects: cl.spec.AllProjects}
	if *f.project != "" {
		all := resources.NewCensus(ctx, kinds.Served(), cl.door, scope)
		if scope.Project, err = intake.Project(ctx, all, *f.project); err != nil {
			return nil, ofCloud("reading the cloud", err)
		}
		a.hintAtProjects(cl, scope.Project)
	}
	census := resources.NewCensus(ctx, kinds.Served(), cl.door, scope)
	for _, k := range want.Kinds {
		// The census keeps what it has read, errors too.
		_, _ = census.Of(ctx, k.Name)
	}
	standing, err := a.visible(ctx, c)
	if err != nil {
		return nil, err
	}
	known, err := cluster(standing, cl)
	if err != nil {
		return nil, err
	}
	plan, err := intake.New(ctx, census, known, want)
	if _, wrong := errors.AsType[*intake.FilterError](err); wrong {
		return nil, usage(err)
	}
	if err != nil {
		return nil, ofCloud("reading the cloud", err)
	}
	return plan, nil
}

// hintAtProjects tells what it takes that the operators see what the import sees.
func (a *app) hintAtProjects(cl *openedCloud, project string) {
	if project != cl.door.ProjectID() && !cl.spec.AllProjects {
		fmt.Fprintf(a.err, "The operators list the project of the credentials alone; set spec.allProjects of %s %s.\n",
			cl.ref.Kind, cl.ref.Name)
	}
}

// visible are the objects of all namespaces, or of the one namespace of whoever may see no other.
func (a *app) visible(ctx context.Context, c client.Reader) ([]unstructured.Unstructured, error) {
	list, err := a.standing(ctx, c, "")
	if !apierrors.IsForbidden(err) {
		return list, err
	}
	fmt.Fprintf(a.err, "Only the objects of namespace %s are looked at: %v\n", a.ns(), err)
	return a.standing(ctx, c, a.ns())
}

// appliers is how many objects are applied at a time.
const appliers = 8

// applyAll makes objects. What the API server finds wrong with one object is no reason to leave out the others.
func (a *app) applyAll(ctx context.Context, c client.Client,
	objects []*unstructured.Unstructured) (refused map[string]error, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan *unstructured.Unstructured)
	type outcome struct {
		object string
		err    error
	}
	done := make(chan outcome)
	for range appliers {
		go func() {
			for o := range work {
				err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), importer)
				done <- outcome{o.GetKind() + "/" + o.GetName(), err}
			}
		}()
	}
	go func() {
		defer close(work)
		for _, o := range objects {
			work <- o.DeepCopy()
		}
	}()
	refused, made := map[string]error{}, 0
	for range objects {
		switch x := <-done; {
		case x.err == nil:
			made++
		case apierrors.IsInvalid(x.err):
			refused[x.object] = x.err
		case context.Cause(ctx) == nil:
			cancel(fmt.Errorf("making %s: %w", x.object, x.err))
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("%d objects were made before this; run it again to go on: %w", made, err)
	}
	return refused, nil
}

// showIntake tells what came of an import; beside objects that are printed it goes to standard error.
func (a *app) showIntake(plan *intake.Plan, dry bool, refused map[string]error) {
	quiet := *a
	if a.output != "" {
		quiet.out = a.err
	}
	if dry && a.output == "" {
		quiet.showDrafts(plan.Objects)
	}
	kept, left, head := 0, 0, "NEW"
	if dry {
		head = "WOULD BE NEW"
	}
	rows := [][]string{{"KIND", head, "KEPT", "LEFT OUT"}}
	for _, t := range plan.Tallies {
		rows = append(rows, []string{t.Kind, fmt.Sprint(t.New), fmt.Sprint(t.Kept), fmt.Sprint(t.Left)})
		kept, left = kept+t.Kept, left+t.Left
	}
	if len(rows) > 1 {
		quiet.table(rows)
	}
	for _, o := range plan.Omissions {
		fmt.Fprintf(quiet.out, "%s\n", told(o))
	}
	for _, name := range sortedKeys(refused) {
		fmt.Fprintf(quiet.out, "%s was refused: %v\n", name, refused[name])
	}
	n := len(plan.Objects) - len(refused)
	switch {
	case n == 0 && kept == 0 && left == 0:
		fmt.Fprintln(quiet.out, "Nothing was found.")
	case n == 0:
		fmt.Fprintf(quiet.out, "Nothing was changed: %d resources have objects already, %d cannot have one.\n", kept, left)
	case dry:
		fmt.Fprintf(quiet.out, "%d objects would be made in namespace %s.\n", n, a.ns())
	default:
		fmt.Fprintf(quiet.out, "%d objects were made in namespace %s.\n", n, a.ns())
	}
}

func (a *app) showDrafts(objects []*unstructured.Unstructured) {
	if len(objects) == 0 {
		return
	}
	rows := [][]string{{"OBJECT", "ID"}}
	for _, o := range objects {
		id, _, _ := unstructured.NestedString(o.Object, "spec", "import", "id")
		rows = append(rows, []string{o.GetKind() + "/" + o.GetName(), orDash(id)})
	}
	a.table(rows)
	fmt.Fprintln(a.out)
}

// told is a line about what was left out.
func told(o intake.Omission) string {
	switch {
	case o.Count == 0:
		return o.Kind + ": " + o.Reason
	case o.Count == 1 && o.Example != "":
		return fmt.Sprintf("%s %s: %s", o.Kind, o.Example, o.Reason)
	case o.Example != "":
		return fmt.Sprintf("%d of kind %s, such as %s: %s", o.Count, o.Kind, o.Example, o.Reason)
	}
	return fmt.Sprintf("%s, %d places: %s", o.Kind, o.Count, o.Reason)
}

func sortedKeys(m map[string]error) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
