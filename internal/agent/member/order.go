package member

import (
	"context"
	"fmt"
	"net/http"

	"stackwright.dev/stackwright/internal/agent"
)

// Handle serves the orders that all members take: how to begin, and to leave.
func (k *Keeper) Handle(mux *http.ServeMux) {
	agent.Handle(mux, "GET /v1/state", func(context.Context, Nothing) (State, error) {
		return k.State(), nil
	}, agent.Operator, agent.Member)
	agent.Handle(mux, "POST /v1/start", k.order, agent.Operator)
	agent.Handle(mux, "POST /v1/leave", k.leave, agent.Operator)
}

// Serving refuses an order that only a member with a running daemon can obey.
func (k *Keeper) Serving() error {
	if s := k.State(); s.Phase != Running {
		return agent.Unready(fmt.Sprintf("the %s of %s is %s", k.Word, s.Pod, s.Phase))
	}
	return nil
}

// order takes the order how to begin. It is checked against what the volume remembers when it is obeyed, too.
func (k *Keeper) order(_ context.Context, o Start) (State, error) {
	s, m := k.State(), k.Vol.Memo()
	switch {
	case o.Volume != m.Volume:
		return s, agent.Conflict("the order is for volume " + o.Volume + ", this is volume " + m.Volume)
	case o.Mode == Alone && (!m.Data || o.Epoch <= m.Epoch && !m.Alone):
		return s, agent.Conflict(fmt.Sprintf("formation %d is not newer than %d, or the volume has no data",
			o.Epoch, m.Epoch))
	case o.Mode == Alone && s.Majority():
		return s, agent.Conflict("the " + k.Word + " runs with a majority, so it does not have to go on alone")
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
	case k.starts <- o:
	default: // one is on its way
	}
	return s, nil
}

// leave takes the order to leave the cluster for good.
func (k *Keeper) leave(context.Context, Nothing) (State, error) {
	if err := k.Serving(); err != nil {
		return k.State(), err
	}
	return k.State(), k.Vol.Remember(func(m *Memo) { m.Leaving = true })
}
