// Package nodes has what kinds have in common whose pods run on the nodes that a selector selects, and on the nodes'
// own network.
package nodes

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
)

// enforce is the label by which a namespace says which pods it takes.
const enforce = "pod-security.kubernetes.io/enforce"

// Level is the digest of a namespace: which pods it takes.
func Level(namespace client.Object) string { return namespace.GetLabels()[enforce] }

// Welcome refuses a namespace that would refuse pods of agents of nodes: a DaemonSet has no condition that says so. A
// namespace that is not known is taken to be good.
func Welcome(namespace client.Object, name, agents string) *outcome.Outcome {
	if namespace == nil || Level(namespace) == "" || Level(namespace) == "privileged" {
		return outcome.Done()
	}
	return outcome.Refuse("PodSecurity", "Namespace %s has Pod Security level %s, and %s need privileged; run kubectl "+
		"label namespace %s %s=privileged --overwrite.", name, Level(namespace), agents, name, enforce)
}

// Digest is all of a node that decides whether it is selected.
func Digest(node client.Object) string {
	return node.GetName() + "\x00" + strings.Join(pairs(node.GetLabels()), "\x00")
}

// Claim is all of an owner of nodes that decides which it has.
func Claim(owner client.Object, selector map[string]string) string {
	return owner.GetName() + "\x00" + string(owner.GetUID()) + "\x00" + strings.Join(pairs(selector), "\x00")
}

func pairs(of map[string]string) []string {
	out := make([]string, 0, len(of))
	for k, v := range of {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return out
}

// Selected are the names of the nodes that have the labels, sorted.
func Selected(all []client.Object, selector map[string]string) []string {
	match := labels.SelectorFromSet(selector)
	found := map[string]bool{}
	for _, n := range all {
		if match.Matches(labels.Set(n.GetLabels())) {
			found[n.GetName()] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// None waits for a node that has the labels of a field.
func None(field string, selector map[string]string, what string) *outcome.Outcome {
	want := labels.FormatLabels(selector)
	out := outcome.Wait("a Node with "+want, "No node has the labels of %s, %s; run kubectl label node NAME %s for those "+
		"that are to be %s.", field, want, strings.ReplaceAll(want, ",", " "), what)
	out.Reason = "NoNodes"
	return out
}

// Everywhere is the key of a reference to all owners of nodes: nodes are the cluster's, and so are the sockets, the
// bridges and the ports of their agents.
func Everywhere() []types.NamespacedName { return []types.NamespacedName{{}} }

// Older tells which of two owners had its nodes first. Two of one second are told apart by their names.
func Older(a, b client.Object) bool {
	if at, bt := a.GetCreationTimestamp(), b.GetCreationTimestamp(); !at.Equal(&bt) {
		return at.Before(&bt)
	}
	return cmp.Or(strings.Compare(a.GetName(), b.GetName()), strings.Compare(a.GetNamespace(), b.GetNamespace())) < 0
}

// Both are the names that are in both lists.
func Both(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(n string) bool { return !slices.Contains(b, n) })
}

// List names a few.
func List(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and others"
}
