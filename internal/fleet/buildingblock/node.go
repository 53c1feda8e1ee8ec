package buildingblock

import (
	"context"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/fleet"
	"stackwright.dev/stackwright/internal/nodes"
)

// namespace refuses one that would refuse the pods.
func namespace(_ context.Context, s *scope) *outcome.Outcome {
	return nodes.Welcome(s.Get(refNamespace), s.Owner().Namespace, "agents of hosts")
}

// free refuses a selector that no node has, and nodes that belong to another block, of whatever cloud.
func free(_ context.Context, s *scope) *outcome.Outcome {
	b := s.Owner()
	names := selected(s, b)
	if len(names) == 0 && len(hypervisors(s.All(refHosts), b)) == 0 {
		return none(b)
	}
	for _, other := range s.All(refOthers) {
		c, ok := other.(object)
		if !ok || c.UID == b.UID || fake(c) || !nodes.Older(c, b) {
			continue
		}
		if both := nodes.Both(names, selected(s, c)); len(both) > 0 {
			return outcome.Refuse("NodesTaken", "BuildingBlock %s/%s has %s already, and a node belongs to one block only; "+
				"change spec.hosts.nodeSelector of one of the two, or the labels of the nodes.", c.Namespace, c.Name,
				nodes.List(both))
		}
	}
	return outcome.Done()
}

// some tells of a selector that no node has any more. Nothing waits for it: the last host is on its way out.
func some(_ context.Context, s *scope) *outcome.Outcome {
	if b := s.Owner(); len(selected(s, b)) == 0 {
		return none(b)
	}
	return outcome.Done()
}

func none(b object) *outcome.Outcome {
	return nodes.None("spec.hosts.nodeSelector", fleet.Selector(b), "hosts")
}

// selected are the names of the nodes that a block selects, sorted.
func selected(s *scope, b object) []string { return nodes.Selected(s.All(refNodes), fleet.Selector(b)) }
