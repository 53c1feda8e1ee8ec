package rabbitmq

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/member"
)

func (a *Agent) bus(act func(*door, context.Context, Bus) error) func(context.Context, Bus) (member.Nothing, error) {
	return func(ctx context.Context, b Bus) (member.Nothing, error) {
		if err := a.Serving(); err != nil {
			return member.Nothing{}, err
		}
		return member.Nothing{}, act(a.door, ctx, b)
	}
}

// forget removes another member, whose volume was lost, from the cluster, so that it can join anew under its name.
func (a *Agent) forget(ctx context.Context, m member.Member) (member.Nothing, error) {
	if err := a.Serving(); err != nil {
		return member.Nothing{}, err
	}
	nodes, err := a.door.nodes(ctx)
	if err != nil {
		return member.Nothing{}, fmt.Errorf("listing members: %w", err)
	}
	i := slices.IndexFunc(nodes, func(n node) bool { return n.Name == a.cfg.node(m.Pod) })
	switch {
	case i < 0:
		return member.Nothing{}, nil
	case nodes[i].Running || m.Pod == a.cfg.Pod:
		return member.Nothing{}, agent.Conflict("the broker of " + m.Pod + " runs; only a lost member can be forgotten")
	}
	return member.Nothing{}, a.cfg.tool(ctx, "rabbitmqctl", "forget_cluster_node", a.cfg.node(m.Pod))
}

// evacuate gives this member a replica of every queue and takes those of another one away, which is to leave.
func (a *Agent) evacuate(ctx context.Context, m member.Member) (member.Nothing, error) {
	if err := a.Serving(); err != nil {
		return member.Nothing{}, err
	}
	self, other := a.cfg.node(a.cfg.Pod), a.cfg.node(m.Pod)
	left, err := a.door.lacking(ctx, self)
	if err != nil {
		return member.Nothing{}, err
	}
	if len(left) > 0 {
		if err := a.door.grow(ctx, self); err != nil {
			return member.Nothing{}, err
		}
		return member.Nothing{}, agent.Unready("queues are being copied to " + a.cfg.Pod + ": " + some(left))
	}
	if left, err = a.door.hosted(ctx, other); err != nil || len(left) == 0 {
		return member.Nothing{}, err
	}
	if err := a.door.shrink(ctx, other); err != nil {
		return member.Nothing{}, err
	}
	return member.Nothing{}, agent.Unready("queues are being taken off " + m.Pod + ": " + some(left))
}

func some(names []string) string {
	slices.Sort(names)
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// upgraded tells that all members run this version now, so that the features it brings can be used.
func (a *Agent) upgraded(ctx context.Context, _ member.Nothing) (member.Nothing, error) {
	if err := a.Serving(); err != nil {
		return member.Nothing{}, err
	}
	return member.Nothing{}, a.door.enableStable(ctx)
}
