package rabbitmq

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"stackwright.dev/stackwright/internal/agent"
)

// Handler serves the agent's orders.
func (a *Agent) Handler() http.Handler {
	mux := http.NewServeMux()
	agent.Handle(mux, "GET /v1/state", func(context.Context, Nothing) (State, error) {
		return a.State(), nil
	}, agent.Operator, agent.Member)
	agent.Handle(mux, "POST /v1/start", a.order, agent.Operator)
	agent.Handle(mux, "POST /v1/forget", a.forget, agent.Operator)
	agent.Handle(mux, "POST /v1/evacuate", a.evacuate, agent.Operator)
	agent.Handle(mux, "POST /v1/leave", a.orderLeave, agent.Operator)
	agent.Handle(mux, "POST /v1/upgraded", a.upgraded, agent.Operator)
	agent.Handle(mux, "POST /v1/bus/state", func(ctx context.Context, b Bus) (BusState, error) {
		if err := a.serving(); err != nil {
			return BusState{}, err
		}
		return a.door.observe(ctx, b)
	}, agent.Operator)
	agent.Handle(mux, "PUT /v1/bus", a.bus((*door).ensure), agent.Operator)
	agent.Handle(mux, "DELETE /v1/bus", a.bus((*door).drop), agent.Operator)
	return mux
}

func (a *Agent) serving() error {
	if s := a.State(); s.Phase != Running {
		return agent.Unready(fmt.Sprintf("the broker of %s is %s", s.Pod, s.Phase))
	}
	return nil
}

func (a *Agent) bus(act func(*door, context.Context, Bus) error) func(context.Context, Bus) (Nothing, error) {
	return func(ctx context.Context, b Bus) (Nothing, error) {
		if err := a.serving(); err != nil {
			return Nothing{}, err
		}
		return Nothing{}, act(a.door, ctx, b)
	}
}

// order takes the order how to begin. It is checked against what the volume remembers when it is obeyed, too.
func (a *Agent) order(_ context.Context, o Start) (State, error) {
	s, m := a.State(), a.vol.Memo()
	switch {
	case o.Volume != m.Volume:
		return s, agent.Conflict("the order is for volume " + o.Volume + ", this is volume " + m.Volume)
	case o.Mode == Alone && (!m.Data || o.Epoch <= m.Epoch && !m.Alone):
		return s, agent.Conflict(fmt.Sprintf("formation %d is not newer than %d, or the volume has no data",
			o.Epoch, m.Epoch))
	case o.Mode == Alone && 2*len(s.Broker.Running) > len(s.Members):
		return s, agent.Conflict("the broker runs with a majority, so it does not have to go on alone")
	case o.Mode == Alone:
	case o.Mode != Seed && o.Mode != Join:
		return s, &agent.Refusal{Code: http.StatusBadRequest, Message: "mode is Seed, Join or Alone"}
	case o.Mode == Join && len(o.Peers) == 0:
		return s, &agent.Refusal{Code: http.StatusBadRequest, Message: "peers names the members to join"}
	case s.Phase != Blank && s.Phase != Left && s.Phase != Outdated:
		return s, agent.Conflict(fmt.Sprintf("the member is %s and not waiting for an order", s.Phase))
	case o.Epoch < m.Epoch:
		return s, agent.Conflict(fmt.Sprintf("formation %d is older than %d", o.Epoch, m.Epoch))
	}
	select {
	case a.starts <- o:
	default: // one is on its way
	}
	return s, nil
}

// forget removes another member, whose volume was lost, from the cluster, so that it can join anew under its name.
func (a *Agent) forget(ctx context.Context, m Member) (Nothing, error) {
	if err := a.serving(); err != nil {
		return Nothing{}, err
	}
	nodes, err := a.door.nodes(ctx)
	if err != nil {
		return Nothing{}, fmt.Errorf("listing members: %w", err)
	}
	i := slices.IndexFunc(nodes, func(n node) bool { return n.Name == a.cfg.node(m.Pod) })
	switch {
	case i < 0:
		return Nothing{}, nil
	case nodes[i].Running || m.Pod == a.cfg.Pod:
		return Nothing{}, agent.Conflict("the broker of " + m.Pod + " runs; only a lost member can be forgotten")
	}
	return Nothing{}, a.cfg.tool(ctx, "rabbitmqctl", "forget_cluster_node", a.cfg.node(m.Pod))
}

// evacuate gives this member a replica of every queue and takes those of another one away, which is to leave.
func (a *Agent) evacuate(ctx context.Context, m Member) (Nothing, error) {
	if err := a.serving(); err != nil {
		return Nothing{}, err
	}
	self, other := a.cfg.node(a.cfg.Pod), a.cfg.node(m.Pod)
	left, err := a.door.lacking(ctx, self)
	if err != nil {
		return Nothing{}, err
	}
	if len(left) > 0 {
		if err := a.door.grow(ctx, self); err != nil {
			return Nothing{}, err
		}
		return Nothing{}, agent.Unready("queues are being copied to " + a.cfg.Pod + ": " + some(left))
	}
	if left, err = a.door.hosted(ctx, other); err != nil || len(left) == 0 {
		return Nothing{}, err
	}
	if err := a.door.shrink(ctx, other); err != nil {
		return Nothing{}, err
	}
	return Nothing{}, agent.Unready("queues are being taken off " + m.Pod + ": " + some(left))
}

func some(names []string) string {
	slices.Sort(names)
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// orderLeave takes the order to leave the cluster for good.
func (a *Agent) orderLeave(context.Context, Nothing) (State, error) {
	if err := a.serving(); err != nil {
		return a.State(), err
	}
	return a.State(), a.vol.Remember(func(m *Memo) { m.Leaving = true })
}

// upgraded tells that all members run this version now, so that the features it brings can be used.
func (a *Agent) upgraded(ctx context.Context, _ Nothing) (Nothing, error) {
	if err := a.serving(); err != nil {
		return Nothing{}, err
	}
	return Nothing{}, a.door.enableStable(ctx)
}
