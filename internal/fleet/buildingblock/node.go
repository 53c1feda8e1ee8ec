package buildingblock

import (
	"context"
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
	return outcome.Refuse("PodSecurity", "Namespace %s has Pod Security level %s, and agents of hosts need privileged; "+
		"run kubectl label namespace %s %s=privileged --overwrite.", name, level(n), name, enforce)
}

// nodes refuses a selector that no node has, and nodes that belong to another block.
func nodes(_ context.Context, s *scope) *outcome.Outcome {
	b := s.Owner()
	names := selected(s, b)
	if len(names) == 0 {
		want := labels.FormatLabels(selectorOf(b))
		out := outcome.Wait("a Node with "+want, "No node has the labels of spec.hosts.nodeSelector, %s; run kubectl label "+
			"node NAME %s for those that are to be hosts.", want, strings.ReplaceAll(want, ",", " "))
		out.Reason = "NoNodes"
		return out
	}
	for _, other := range s.All(refOthers) {
		c, ok := other.(object)
		if !ok || c.UID == b.UID || fake(c) || !older(c, b) {
			continue
		}
		theirs := selected(s, c)
		both := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !slices.Contains(theirs, n) })
		if len(both) > 0 {
			return outcome.Refuse("NodesTaken", "BuildingBlock %s has %s already, and a node belongs to one block only; "+
				"change spec.hosts.nodeSelector of one of the two, or the labels of the nodes.", c.Name, list(both))
		}
	}
	return outcome.Done()
}

// older tells which of two blocks had its nodes first.
func older(a, b object) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Name < b.Name
}

// selected are the names of the nodes that a block selects, sorted.
func selected(s *scope, b object) []string {
	match := selector(b)
	var found []string
	for _, n := range s.All(refNodes) {
		if match.Matches(labels.Set(n.GetLabels())) {
			found = append(found, n.GetName())
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func selector(b object) labels.Selector { return labels.SelectorFromSet(selectorOf(b)) }

func selectorOf(b object) map[string]string {
	out := map[string]string{}
	for k, v := range b.Spec.Hosts.NodeSelector {
		out[k] = string(v)
	}
	return out
}

// list names a few.
func list(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and others"
}
