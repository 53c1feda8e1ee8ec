package ovnchassis

import (
	"context"
	"slices"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/nodes"
)

// namespace refuses one that would refuse the pods.
func namespace(_ context.Context, s *scope) *outcome.Outcome {
	return nodes.Welcome(s.Get(refNamespace), s.Owner().Namespace, "pods that work on a node's network")
}

// some tells of a selector that no node has. Nothing waits for it: the last node may have left.
func some(_ context.Context, s *scope) *outcome.Outcome {
	o := s.Owner()
	if len(selected(s, o)) == 0 {
		return nodes.None("spec.nodeSelector", o.Spec.NodeSelector, "chassis")
	}
	return outcome.Done()
}

// open tells of taints that keep pods off nodes of the set.
func open(_ context.Context, s *scope) *outcome.Outcome {
	return nodes.Open(s.All(refNodes), selected(s, s.Owner()), s.Owner().Spec.Tolerations, "spec.tolerations")
}

// free refuses nodes that are chassis of another set, of whatever namespace: of one that names them, or of an older one
// that selects them.
func free(_ context.Context, s *scope) *outcome.Outcome {
	o := s.Owner()
	names, kept := selected(s, o), named(s, o)
	for _, other := range s.All(refOthers) {
		c, ok := other.(object)
		if !ok || c.UID == o.UID {
			continue
		}
		older, keeps := nodes.Older(c, o), named(s, c)
		both := slices.DeleteFunc(nodes.Both(names, selected(s, c)), func(node string) bool {
			theirs, ours := slices.Contains(keeps, node), slices.Contains(kept, node)
			return ours && !theirs || ours == theirs && !older
		})
		if len(both) > 0 {
			return outcome.Refuse("NodesTaken", "OVNChassis %s/%s has %s already, and a node is chassis of one set only; "+
				"change spec.nodeSelector of one of the two, or the labels of the nodes.", c.Namespace, c.Name,
				nodes.List(both))
		}
	}
	return outcome.Done()
}

// selected are the names of the nodes that a set selects, sorted.
func selected(s *scope, o object) []string {
	out := append(nodes.Selected(s.All(refNodes), o.Spec.NodeSelector), named(s, o)...)
	slices.Sort(out)
	return out
}

// named are the nodes that are chassis by name, and have not the labels.
func named(s *scope, o object) []string {
	var out []string
	labelled := nodes.Selected(s.All(refNodes), o.Spec.NodeSelector)
	for _, n := range s.All(refNodes) {
		if slices.Contains(o.Spec.Nodes, n.GetName()) && !slices.Contains(labelled, n.GetName()) {
			out = append(out, n.GetName())
		}
	}
	slices.Sort(out)
	return out
}
