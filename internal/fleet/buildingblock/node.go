package buildingblock

import (
	"context"
	"slices"

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
	mine := claimsOf(s, b)
	if len(mine.selects) == 0 && len(mine.has) == 0 {
		return none(b)
	}
	for _, other := range s.All(refOthers) {
		c, ok := other.(object)
		if !ok || c.UID == b.UID || fake(c) {
			continue
		}
		theirs := claimsOf(s, c)
		both := slices.DeleteFunc(slices.Clone(mine.selects), func(node string) bool {
			return !theirs.over(mine, node, nodes.Older(c, b))
		})
		if stay := nodes.Both(both, theirs.selects); len(stay) > 0 {
			return outcome.Refuse("NodesTaken", "BuildingBlock %s/%s has %s already, and a node belongs to one block only; "+
				"change spec.hosts.nodeSelector of one of the two, or the labels of the nodes.", c.Namespace, c.Name,
				nodes.List(stay))
		}
		if len(both) > 0 {
			return outcome.Refuse("NodesTaken", "BuildingBlock %s/%s still has the Hypervisor of %s, and a node leaves one "+
				"block before another one has it; take the labels of spec.hosts.nodeSelector off until that has gone.",
				c.Namespace, c.Name, nodes.List(both))
		}
	}
	return outcome.Done()
}

// claims are the names of the nodes that a block selects, and of those that it has a Hypervisor of: one that leaves it
// has servers still, or is not off the books.
type claims struct{ selects, has []string }

func claimsOf(s *scope, b object) claims {
	c := claims{selects: selected(s, b)}
	for _, h := range hypervisors(s.All(refEveryone), b) {
		c.has = append(c.has, h.Name)
	}
	return c
}

// over tells whether a node belongs to who makes these claims rather than to who makes the others and selects it: to
// the one who has it, and else to an older one who selects it, too.
func (c claims) over(other claims, node string, older bool) bool {
	has, theirs := slices.Contains(c.has, node), slices.Contains(other.has, node)
	return has && !theirs || has == theirs && older && slices.Contains(c.selects, node)
}

// some tells of a selector that no node has any more. Nothing waits for it: the last host is on its way out.
func some(_ context.Context, s *scope) *outcome.Outcome {
	if b := s.Owner(); len(selected(s, b)) == 0 {
		return none(b)
	}
	return outcome.Done()
}

// open tells of taints that keep agents off nodes of the block. Agents that run there stay until they end.
func open(_ context.Context, s *scope) *outcome.Outcome {
	return nodes.Open(s.All(refNodes), members(s), s.Owner().Spec.Hosts.Tolerations, "spec.hosts.tolerations")
}

func none(b object) *outcome.Outcome {
	return nodes.None("spec.hosts.nodeSelector", fleet.Selector(b), "hosts")
}

// selected are the names of the nodes that a block selects, sorted.
func selected(s *scope, b object) []string { return nodes.Selected(s.All(refNodes), fleet.Selector(b)) }
