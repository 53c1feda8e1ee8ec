package ovnchassis

import (
	"context"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"stackwright.dev/kit/outcome"
)

// namespace refuses one that would refuse the pods: a DaemonSet has no condition that says so.
func namespace(_ context.Context, s *scope) *outcome.Outcome {
	n := s.Get(refNamespace)
	if n == nil || level(n) == "" || level(n) == "privileged" {
		return outcome.Done()
	}
	name := s.Owner().Namespace
	return outcome.Refuse("PodSecurity", "Namespace %s has Pod Security level %s, and pods that work on a node's network "+
		"need privileged; run kubectl label namespace %s %s=privileged --overwrite, or use another namespace for OVN and "+
		"its chassis.", name, level(n), name, enforce)
}

// nodes tells of a selector that no node has. Nothing waits for it: the last node may have left.
func nodes(_ context.Context, s *scope) *outcome.Outcome {
	o := s.Owner()
	if len(selected(s, o)) == 0 {
		want := labels.FormatLabels(o.Spec.NodeSelector)
		out := outcome.Wait("a Node with "+want, "No node has the labels of spec.nodeSelector, %s; run kubectl label node "+
			"NAME %s for those that are to be chassis.", want, strings.ReplaceAll(want, ",", " "))
		out.Reason = "NoNodes"
		return out
	}
	return outcome.Done()
}

// free refuses nodes that are chassis of an older set.
func free(_ context.Context, s *scope) *outcome.Outcome {
	o := s.Owner()
	names := selected(s, o)
	for _, other := range s.All(refOthers) {
		c, ok := other.(object)
		if !ok || c.UID == o.UID || !older(c, o) {
			continue
		}
		theirs := selected(s, c)
		both := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !slices.Contains(theirs, n) })
		if len(both) > 0 {
			return outcome.Refuse("NodesTaken", "OVNChassis %s has %s already, and a node is chassis of one set only; change "+
				"spec.nodeSelector of one of the two, or the labels of the nodes.", c.Name, list(both))
		}
	}
	return outcome.Done()
}

// older tells which of two sets had its nodes first.
func older(a, b object) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Name < b.Name
}

// selected are the names of the nodes that a set selects, sorted.
func selected(s *scope, o object) []string {
	match := labels.SelectorFromSet(o.Spec.NodeSelector)
	found := map[string]bool{}
	for _, n := range s.All(refNodes) {
		if match.Matches(labels.Set(n.GetLabels())) {
			found[n.GetName()] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// list names a few.
func list(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and others"
}
