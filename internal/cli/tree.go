package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"
)

// branch is an object and the objects that its operator made for it.
type branch struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	State string `json:"state,omitempty"`
	// Message says what the object waits for.
	Message  string   `json:"message,omitempty"`
	Children []branch `json:"children,omitempty"`
}

func (a *app) tree() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tree [KIND/NAME | NAME]",
		Short: "Show the objects of the control plane, and theirs, with their states",
		Long: `Show the objects of the control plane, and theirs, with their states. Blocks of hosts are below their cell.
Where there is no control plane it shows the objects that stand alone in the namespace.

NAME alone is one of the control plane's services, such as keystone. KIND/NAME is any object of the namespace that an
operator makes others for, such as buildingblock/first or projectbundle/web.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			root, err := a.grown(cmd.Context(), c, strings.Join(args, ""))
			if err != nil {
				return err
			}
			return a.print(root, func() { a.showTree(root, "", "") })
		},
	}
	a.outputFlag(cmd)
	return cmd
}

// grown is the tree of an object, of the control plane when none is named, and without one of what stands alone.
func (a *app) grown(ctx context.Context, c client.Client, object string) (branch, error) {
	gvk, key, err := a.subject(ctx, c, object)
	if object == "" && a.unled(err) {
		return a.growRoots(ctx, c, err)
	}
	if err != nil {
		return branch{}, err
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	if err := c.Get(ctx, key, u); client.IgnoreNotFound(err) != nil {
		return branch{}, fmt.Errorf("reading %s %s: %w", gvk.Kind, key.Name, err)
	} else if err != nil {
		return branch{}, lacking(c, u, key)
	}
	return grow(ctx, c, owner.Item{Group: gvk.Group, Kind: gvk.Kind, Namespace: key.Namespace, Name: key.Name})
}

// lacking says that there is no object of that name, of the kind that u has.
func lacking(c client.Client, u *unstructured.Unstructured, key client.ObjectKey) error {
	kind := strings.ToLower(u.GetKind())
	if namespaced, err := c.IsObjectNamespaced(u); err == nil && !namespaced {
		return fmt.Errorf("the cluster has no %s %s; see kubectl get %s", u.GetKind(), key.Name, kind)
	}
	return fmt.Errorf("namespace %s has no %s %s; see kubectl get %s -n %s", key.Namespace, u.GetKind(), key.Name, kind,
		key.Namespace)
}

// stateGone is the state of an object that an inventory has and the cluster has not.
const stateGone = "gone"

// grow follows the inventories. Objects that are no owners are leaves.
func grow(ctx context.Context, c client.Reader, item owner.Item) (branch, error) {
	b := branch{Kind: item.Kind, Name: item.Name}
	if !ours(item.Group) {
		s := &serviceState{}
		there, err := s.count(ctx, c, item)
		switch {
		case err == nil && !there:
			b.State = stateGone
		case runsPods(item):
			b.State = fmt.Sprintf("%d/%d pods", s.PodsReady, s.Pods)
		}
		return b, err
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: item.Group, Version: versionOf, Kind: item.Kind})
	if err := c.Get(ctx, client.ObjectKey{Namespace: item.Namespace, Name: item.Name}, u); err != nil {
		b.State = stateGone
		return b, absent(err, item)
	}
	if !reconciled(u.GroupVersionKind()) {
		return b, nil
	}
	st := kitStatus(u)
	b.State = "ready"
	if v := verdict(st, u.GetGeneration()); !v.Ready {
		b.State, b.Message = v.Reason, firstLine(v.Message)
	}
	for _, child := range st.Inventory {
		kid, err := grow(ctx, c, child)
		if err != nil {
			return b, err
		}
		b.Children = append(b.Children, kid)
	}
	if item.Kind != "NovaCell" {
		return b, nil
	}
	hosts, err := hostsIn(ctx, c, item.Namespace, item.Name)
	b.Children = append(b.Children, hosts...)
	return b, err
}

func (a *app) showTree(b branch, lead, next string) {
	line := lead + b.Kind + " " + b.Name
	if b.State != "" {
		line += "  [" + b.State + "]"
	}
	if b.Message != "" {
		line += "  " + b.Message
	}
	fmt.Fprintln(a.out, strings.TrimRight(line, " "))
	for i, child := range b.Children {
		if i == len(b.Children)-1 {
			a.showTree(child, next+"└─ ", next+"   ")
		} else {
			a.showTree(child, next+"├─ ", next+"│  ")
		}
	}
}
