package mariadb

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// longestHold is how long a request for a newer state is held at most.
const longestHold = time.Minute

// Handler serves the agent's orders.
func (a *Agent) Handler() http.Handler {
	mux := http.NewServeMux()
	agent.Handle(mux, "GET /v1/state", func(context.Context, agent.Nothing) (State, error) {
		return a.State(), nil
	}, agent.Operator, agent.Member)
	agent.Handle(mux, "POST /v1/wait", func(ctx context.Context, s Since) (State, error) {
		ctx, cancel := context.WithTimeout(ctx, min(s.Hold, longestHold))
		defer cancel()
		return a.wait(ctx, s.Version), nil
	}, agent.Operator)
	agent.Handle(mux, "POST /v1/bootstrap", a.bootstrap, agent.Operator)
	agent.Handle(mux, "POST /v1/halt", a.halt, agent.Operator)
	agent.Handle(mux, "PUT /v1/role", a.assign, agent.Operator)
	agent.Handle(mux, "POST /v1/check", func(ctx context.Context, s Settings) (agent.Nothing, error) {
		return agent.Nothing{}, a.cfg.check(ctx, s.Config)
	}, agent.Operator)
	agent.Handle(mux, "PUT /v1/database", func(ctx context.Context, d Database) (agent.Nothing, error) {
		return agent.Nothing{}, a.withSQL(func() error { return a.sql.ensure(ctx, d) })
	}, agent.Operator)
	agent.Handle(mux, "POST /v1/database/observe", func(ctx context.Context, d Database) (s DatabaseState, err error) {
		return s, a.withSQL(func() error { s, err = a.sql.observe(ctx, d); return err })
	}, agent.Operator)
	agent.Handle(mux, "DELETE /v1/database", func(ctx context.Context, d Database) (agent.Nothing, error) {
		return agent.Nothing{}, a.withSQL(func() error { return a.sql.drop(ctx, d) })
	}, agent.Operator)
	return mux
}

func (a *Agent) withSQL(f func() error) error {
	if s := a.State(); !s.Serves() {
		return agent.Unready("this member does not serve: " + string(s.Phase))
	}
	return f()
}

// bootstrap takes the order to begin a primary component. Its epoch is on the volume before anything is started, so
// that an older order that comes late is refused even after a crash.
func (a *Agent) bootstrap(_ context.Context, o Bootstrap) (State, error) {
	s, m := a.State(), a.vol.Memo()
	switch {
	case o.Epoch < m.Epoch:
		return s, agent.Conflict(fmt.Sprintf("epoch %d is older than epoch %d", o.Epoch, m.Epoch))
	case o.Volume != m.Volume:
		return s, agent.Conflict("the order is for volume " + o.Volume + ", this is volume " + m.Volume)
	case s.Phase != Down && s.Phase != Blocked:
		return s, agent.Conflict("mariadbd is not down: " + string(s.Phase))
	case o.Position != s.Position:
		return s, agent.Conflict("the order is for position " + o.Position.String() + ", the data stands at " +
			s.Position.String())
	}
	if err := a.vol.Remember(func(m *Memo) { m.Epoch = o.Epoch }); err != nil {
		return s, err
	}
	a.set(func(s *State) { s.Epoch = o.Epoch })
	select {
	case a.bootstraps <- o:
	default: // one is on its way
	}
	return a.State(), nil
}

// halt takes the order to stop a member that is in no primary component.
func (a *Agent) halt(context.Context, agent.Nothing) (State, error) {
	s := a.State()
	if s.Wsrep.Primary {
		return s, agent.Conflict("this member belongs to a primary component")
	}
	select {
	case a.halts <- struct{}{}:
	default:
	}
	return s, nil
}
