package buildingblock

import (
	"context"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/nodes"
)

// namespace refuses one that would refuse the pods.
func namespace(_ context.Context, s *scope) *outcome.Outcome {
	return nodes.Welcome(s.Get(refNamespace), s.Owner().Namespace, "agents of hosts")
}

// free refuses a selector that no node has, and nodes that belong to another block.
func free(_ context.Context, s *scope) *outcome.Outcome {
	b := s.Owner()
	names := selected(s, b)
	if len(names) == 0 {
		return nodes.None("spec.hosts.nodeSelector", selectorOf(b), "hosts")
	}
	for _, other := range s.All(refOthers) {
		c, ok := other.(object)
		if !ok || c.UID == b.UID || fake(c) || !nodes.Older(c, b) {
			continue
		}
		if both := nodes.Both(names, selected(s, c)); len(both) > 0 {
			return outcome.Refuse("NodesTaken", "BuildingBlock %s has %s already, and a node belongs to one block only; "+
				"change spec.hosts.nodeSelector of one of the two, or the labels of the nodes.", c.Name, nodes.List(both))
		}
	}
	return outcome.Done()
}

// selected are the names of the nodes that a block selects, sorted.
func selected(s *scope, b object) []string { return nodes.Selected(s.All(refNodes), selectorOf(b)) }

func selectorOf(b object) map[string]string {
	out := map[string]string{}
	for k, v := range b.Spec.Hosts.NodeSelector {
		out[k] = string(v)
	}
	return out
}
