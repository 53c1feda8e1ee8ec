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
		Use:   "tree",
		Short: "Show the objects of the control plane, and theirs, with their states",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			root, err := a.grown(cmd.Context(), c)
			if err != nil {
				return err
			}
			return a.print(root, func() { a.showTree(root, "", "") })
		},
	}
	a.outputFlag(cmd)
	return cmd
}

// grown is the tree of the control plane.
func (a *app) grown(ctx context.Context, c client.Reader) (branch, error) {
	o, err := a.find(ctx, c)
	if err != nil {
		return branch{}, err
	}
	return grow(ctx, c, owner.Item{Group: "controlplane.stackwright.dev", Kind: "OpenStackControlPlane",
		Namespace: o.Namespace, Name: o.Name})
}

// grow follows the inventories. Objects that are no owners are leaves.
func grow(ctx context.Context, c client.Reader, item owner.Item) (branch, error) {
	b := branch{Kind: item.Kind, Name: item.Name}
	if !ours(item.Group) {
		s, ok, err := lookAt(ctx, c, item)
		if ok {
			b.State = fmt.Sprintf("%d/%d pods", s.PodsReady, s.Pods)
		}
		return b, err
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: item.Group, Version: versionOf, Kind: item.Kind})
	if err := c.Get(ctx, client.ObjectKey{Namespace: item.Namespace, Name: item.Name}, u); err != nil {
		b.State = "gone"
		return b, absent(err, item)
	}
	st := kitStatus(u)
	ready, reason, message, _ := verdict(st, u.GetGeneration())
	b.State = "ready"
	if !ready {
		b.State, b.Message = reason, firstLine(message)
	}
	for _, child := range st.Inventory {
		kid, err := grow(ctx, c, child)
		if err != nil {
			return b, err
		}
		b.Children = append(b.Children, kid)
	}
	return b, nil
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
