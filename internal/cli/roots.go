package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/why"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
)

// explainRoots explains those of the namespace's roots that are not ready: one alone, several together below the
// namespace. Where there are no roots it returns instead, which may be nil.
func (a *app) explainRoots(ctx context.Context, c client.Client, instead error) (*why.Finding, error) {
	list, err := roots(ctx, c, a.ns())
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, instead
	}
	together := &why.Finding{Object: why.Object{Kind: "Namespace", Name: a.ns()}, Reason: "NotReady"}
	for i := range list {
		u := &list[i]
		if verdict(kitStatus(u), u.GetGeneration()).Ready {
			continue
		}
		f, err := explainer(c).Explain(ctx, u.GroupVersionKind(), client.ObjectKeyFromObject(u))
		if err != nil {
			return nil, err
		}
		if f != nil {
			together.Because = append(together.Because, f)
		}
	}
	switch n := len(together.Because); n {
	case 0:
		return nil, nil
	case 1:
		return together.Because[0], nil
	default:
		together.Message = fmt.Sprintf("%d objects are not ready", n)
		return together, nil
	}
}

// lookAtRoots takes a survey of what stands in a namespace without a control plane: services by charts of their own, a
// Ceph for development, blocks of hosts. Where there is nothing it returns the error that says so.
func (a *app) lookAtRoots(ctx context.Context, c client.Client, instead error) (*survey, error) {
	list, err := roots(ctx, c, a.ns())
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, instead
	}
	s := &survey{Namespace: a.ns()}
	if s.Blocks, err = lookAtBlocks(ctx, c, a.ns(), nil); err != nil {
		return nil, err
	}
	broken := 0
	for i := range s.Blocks {
		if !s.Blocks[i].Ready {
			broken++
		}
	}
	var items []owner.Item
	for i := range list {
		item := itemOf(&list[i])
		if item.Kind != kindBlock || !slices.ContainsFunc(s.Blocks, func(b blockState) bool { return b.Name == item.Name }) {
			items = append(items, item)
		}
	}
	states, err := lookAtAll(ctx, c, items)
	if err != nil {
		return nil, err
	}
	for i, state := range states {
		if state == nil {
			continue // it went away
		}
		state.Name = strings.ToLower(items[i].Kind) + "/" + items[i].Name
		if s.Services = append(s.Services, *state); !state.Ready {
			broken++
		}
	}
	if s.Ready = broken == 0; !s.Ready {
		s.Reason = "NotReady"
		s.Message = fmt.Sprintf("%d of %d objects are not ready", broken, len(s.Blocks)+len(s.Services))
	}
	return s, nil
}

// kindBlock is the kind of blocks of hosts, which have lines of their own.
const kindBlock = "BuildingBlock"

func itemOf(u *unstructured.Unstructured) owner.Item {
	gvk := u.GroupVersionKind()
	return owner.Item{Group: gvk.Group, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
}

// growRoots is the tree of a namespace without a control plane. Where there is nothing in it it returns the error that
// says so.
func (a *app) growRoots(ctx context.Context, c client.Client, instead error) (branch, error) {
	list, err := roots(ctx, c, a.ns())
	if err != nil {
		return branch{}, err
	}
	if len(list) == 0 {
		return branch{}, instead
	}
	b := branch{Kind: "Namespace", Name: a.ns(), State: "no control plane"}
	housed := map[string]bool{} // blocks that are below their cell
	for i := range list {
		kid, err := grow(ctx, c, itemOf(&list[i]))
		if err != nil {
			return b, err
		}
		b.Children = append(b.Children, kid)
		for _, child := range kid.Children {
			child.blocks(housed)
		}
	}
	b.Children = slices.DeleteFunc(b.Children, func(kid branch) bool { return kid.Kind == kindBlock && housed[kid.Name] })
	return b, nil
}

// blocks notes the names of the blocks of a tree.
func (b *branch) blocks(names map[string]bool) {
	if b.Kind == kindBlock {
		names[b.Name] = true
	}
	for i := range b.Children {
		b.Children[i].blocks(names)
	}
}

// roots are the objects of our kinds in a namespace that no other object made, ordered by kind and name. Resources in
// OpenStack are left out, of which there may be tens of thousands, and so are kinds that the cluster does not have or
// that may not be listed.
func roots(ctx context.Context, c client.Reader, namespace string) ([]unstructured.Unstructured, error) {
	type answer struct {
		unstructured.UnstructuredList
		err error
	}
	kinds := slices.DeleteFunc(ownKinds(), func(gvk schema.GroupVersionKind) bool {
		return gvk.Group == openstackv1.GroupVersion.Group
	})
	answers := make(chan *answer, len(kinds))
	for _, gvk := range kinds {
		go func() {
			a := &answer{}
			a.SetGroupVersionKind(gvk)
			a.err = c.List(ctx, &a.UnstructuredList, client.InNamespace(namespace))
			answers <- a
		}()
	}
	var all []unstructured.Unstructured
	for range kinds {
		a := <-answers
		if a.err != nil && !meta.IsNoMatchError(a.err) && !apierrors.IsForbidden(a.err) {
			return nil, fmt.Errorf("listing what is in namespace %s: %w", namespace, a.err)
		}
		all = append(all, a.Items...)
	}
	type name struct{ group, kind, name string }
	made := map[name]bool{}
	for i := range all {
		for _, item := range kitStatus(&all[i]).Inventory {
			if item.Namespace == namespace {
				made[name{item.Group, item.Kind, item.Name}] = true
			}
		}
	}
	all = slices.DeleteFunc(all, func(u unstructured.Unstructured) bool {
		gvk := u.GroupVersionKind()
		return len(u.GetOwnerReferences()) > 0 || made[name{gvk.Group, gvk.Kind, u.GetName()}]
	})
	slices.SortFunc(all, func(a, b unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(a.GetKind(), b.GetKind()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return all, nil
}
