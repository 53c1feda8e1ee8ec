package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/why"

	"stackwright.dev/stackwright/internal/operator"
)

func (a *app) why() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "why [KIND/NAME | NAME]",
		Short: "Walk from what is not ready down to the first cause",
		Long: `Walk from what is not ready down to the first cause: which object, since when, and what to do.

Without an argument it explains the control plane, and when that is ready what stands beside it in the namespace, such
as blocks of hosts; for resources in OpenStack there is stackwright resources list. NAME alone is one of the control
plane's services, such as keystone. KIND/NAME is any object of the namespace, such as galera/openstack-galera or
pod/openstack-galera-0. Where Kubernetes has a kind of that name, too, give the group:
service.openstack.stackwright.dev/openstack-glance.
The exit code is 3 when something is not ready.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := a.explain(cmd.Context(), strings.Join(args, ""))
			if err != nil {
				return err
			}
			if err := a.print(f, func() {
				a.showWhy(f, all)
				if f == nil && len(args) == 0 {
					fmt.Fprintln(a.out, "Not looked at: resources in OpenStack; see them with stackwright resources list.")
				}
			}); err != nil {
				return err
			}
			if f != nil {
				return no()
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "A", false, "show every cause, and what to do about it, not only the likeliest")
	a.outputFlag(cmd)
	return cmd
}

func (a *app) explain(ctx context.Context, object string) (*why.Finding, error) {
	c, err := a.client()
	if err != nil {
		return nil, err
	}
	gvk, f, err := a.walk(ctx, c, object)
	if err != nil || object != "" && !reconciled(gvk) {
		return f, err
	}
	return blamed(f, unattended(ctx, c)), nil
}

// walk explains what the argument names, and returns its kind.
func (a *app) walk(ctx context.Context, c client.Client, object string) (schema.GroupVersionKind, *why.Finding, error) {
	gvk, key, err := a.subject(ctx, c, object)
	var f *why.Finding
	if err == nil {
		f, err = explainer(c).Explain(ctx, gvk, key)
	}
	if object == "" && f == nil && (err == nil || a.unled(err)) {
		f, err = a.explainRoots(ctx, c, err)
	}
	return gvk, f, err
}

func explainer(c client.Client) why.Explainer {
	return why.Explainer{Reader: c, Kinds: ownKinds(),
		Operator: client.MatchingLabels{"app.kubernetes.io/name": operatorRelease},
		Lacks: func(ctx context.Context, pod *corev1.Pod, gvk schema.GroupVersionKind) string {
			return operator.Lacks(ctx, c, pod, gvk)
		}}
}

// subject finds the object that the argument names.
func (a *app) subject(ctx context.Context, c client.Client,
	object string) (schema.GroupVersionKind, client.ObjectKey, error) {
	kind, name, ok := strings.Cut(object, "/")
	if ok {
		gvk, err := kindNamed(c, kind)
		return gvk, client.ObjectKey{Namespace: a.ns(), Name: name}, err
	}
	o, err := a.find(ctx, c)
	if err != nil {
		return schema.GroupVersionKind{}, client.ObjectKey{}, err
	}
	if object == "" || object == o.Name {
		return o.GroupVersionKind(), client.ObjectKeyFromObject(o), nil
	}
	var names []string
	for _, item := range o.Status.Inventory {
		if !ours(item.Group) {
			continue
		}
		short := strings.TrimPrefix(item.Name, o.Name+"-")
		if object == short || object == item.Name {
			return schema.GroupVersionKind{Group: item.Group, Version: versionOf, Kind: item.Kind},
				client.ObjectKey{Namespace: item.Namespace, Name: item.Name}, nil
		}
		names = append(names, short)
	}
	return schema.GroupVersionKind{}, client.ObjectKey{}, usage(fmt.Errorf(
		"control plane %s has no service %s; it has %s; name another object as KIND/NAME", o.Name, object, strings.Join(names,
			", ")))
}

// kindNamed finds a kind by the words that kubectl takes: kind, plural or singular, in any case, and with a dot and its
// group. Of two kinds of one name, such as Service, it is that of Kubernetes unless the group says otherwise.
func kindNamed(c client.Client, word string) (schema.GroupVersionKind, error) {
	word = strings.ToLower(word)
	name, group, grouped := strings.Cut(word, ".")
	var found []schema.GroupVersionKind
	for gvk := range operator.Scheme().AllKnownTypes() {
		if strings.ToLower(gvk.Kind) == name && (ours(gvk.Group) || builtin(gvk)) && (!grouped || gvk.Group == group) {
			found = append(found, gvk)
		}
	}
	if len(found) > 0 {
		return slices.MinFunc(found, func(a, b schema.GroupVersionKind) int { return cmp.Compare(a.Group, b.Group) }), nil
	}
	gvk, err := c.RESTMapper().KindFor(schema.GroupVersionResource{Group: group, Resource: name})
	if err != nil {
		return gvk, usage(errors.New("kind " + word + " is not known; see kubectl api-resources"))
	}
	return gvk, nil
}

// builtin are the kinds of Kubernetes itself. A RESTMapper that was not asked before knows those of the core only by
// their name alone.
func builtin(gvk schema.GroupVersionKind) bool {
	return gvk.Version == "v1" && (!strings.Contains(gvk.Group, ".") || strings.HasSuffix(gvk.Group, ".k8s.io"))
}

// ownKinds lists the kinds that kit controllers reconcile.
func ownKinds() []schema.GroupVersionKind {
	var out []schema.GroupVersionKind
	for gvk := range operator.Scheme().AllKnownTypes() {
		if reconciled(gvk) {
			out = append(out, gvk)
		}
	}
	return out
}

// reconciled tells whether a kit controller reconciles a kind. Objects of other kinds of ours are data without a state.
func reconciled(gvk schema.GroupVersionKind) bool {
	if !ours(gvk.Group) {
		return false
	}
	o, err := operator.Scheme().New(gvk)
	_, ok := o.(owner.Object)
	return err == nil && ok
}

func (a *app) showWhy(f *why.Finding, all bool) {
	if f == nil {
		fmt.Fprintln(a.out, "Everything is ready.")
		return
	}
	a.showFinding(f, 0, all)
	for i, c := range causes(f, "") {
		if i == 0 {
			a.showCause("First cause", c)
		} else if all {
			a.showCause("Another cause", c)
		}
	}
}

// cause is a finding that has no other behind it. Do is what it advises, or the nearest finding above it that has an
// advice.
type cause struct {
	*why.Finding

	do string
}

// causes lists each cause once, the likeliest first.
func causes(f *why.Finding, do string) []cause {
	do = cmp.Or(f.Do, do)
	if len(f.Because) == 0 {
		return []cause{{f, do}}
	}
	var out []cause
	for _, b := range f.Because {
		for _, c := range causes(b, do) {
			if !slices.ContainsFunc(out, func(o cause) bool { return o.Object == c.Object && o.Reason == c.Reason }) {
				out = append(out, c)
			}
		}
	}
	return out
}

func (a *app) showCause(title string, c cause) {
	fmt.Fprintf(a.out, "\n%s: %s", title, c.Object)
	if c.Part != "" {
		fmt.Fprintf(a.out, ", %s", c.Part)
	}
	fmt.Fprintf(a.out, ": %s", c.Reason)
	if !c.Since.IsZero() {
		fmt.Fprintf(a.out, " since %s (%s ago)", c.Since.Format("2006-01-02 15:04:05 MST"), age(c.Since.Time))
	}
	fmt.Fprintln(a.out)
	if c.Message != "" {
		fmt.Fprintf(a.out, "  %s\n", strings.ReplaceAll(c.Message, "\n", "\n  "))
	}
	if c.do != "" {
		fmt.Fprintf(a.out, "What to do: %s\n", c.do)
	}
}

func (a *app) showFinding(f *why.Finding, depth int, all bool) {
	lead := strings.Repeat("  ", depth)
	if depth > 0 {
		lead += "because "
	}
	line := lead + f.Object.String()
	if f.Part != "" {
		line += " (" + f.Part + ")"
	}
	line += ": " + f.Reason
	if !f.Since.IsZero() {
		line += ", " + age(f.Since.Time)
	}
	if f.Message != "" {
		line += ": " + firstLine(f.Message)
	}
	fmt.Fprintln(a.out, line)
	for i, b := range f.Because {
		if i == 0 || all {
			a.showFinding(b, depth+1, all)
		}
	}
	if n := len(f.Because); n > 1 && !all {
		fmt.Fprintf(a.out, "%s  (and %d more; see them with -A)\n", strings.Repeat("  ", depth), n-1)
	}
}
