// Package nodes has what kinds have in common whose pods run on the nodes that a selector selects, and on the nodes'
// own network.
package nodes

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
)

// enforce is the label by which a namespace says which pods it takes, privileged its value for those of agents.
const (
	enforce    = "pod-security.kubernetes.io/enforce"
	privileged = "privileged"
)

// Level is the digest of a namespace: which pods it takes.
func Level(namespace client.Object) string { return namespace.GetLabels()[enforce] }

// Welcome refuses a namespace that does not say by itself that it takes pods of agents of nodes. These are root on the
// nodes, and their owner is for anybody to make who may in some namespace; labels of namespaces are for those who may
// change namespaces. One that has no label may take the pods, too, but nobody has said so. One that would refuse them
// has to be told of: a DaemonSet has no condition for that.
func Welcome(namespace client.Object, name, agents string) *outcome.Outcome {
	level := ""
	if namespace != nil {
		level = Level(namespace)
	}
	if level == privileged {
		return outcome.Done()
	}
	return outcome.Refuse("PodSecurity", "Namespace %s has Pod Security level %s, and %s need privileged; run kubectl "+
		"label namespace %s %s=privileged --overwrite.", name, cmp.Or(level, "none"), agents, name, enforce)
}

// Invite lets a namespace take pods of agents, and tells whether that is new. A level that somebody has set stays.
func Invite(namespace *corev1.Namespace) bool {
	if Level(namespace) != "" {
		return false
	}
	metav1.SetMetaDataLabel(&namespace.ObjectMeta, enforce, privileged)
	return true
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
