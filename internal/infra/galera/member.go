package galera

import (
	"context"
	"time"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/mariadb"
)

// Caller calls agents; *agent.Client is one.
type Caller interface {
	Call(ctx context.Context, host, what string, in, out any) error
	Close()
}

// Dial makes a caller.
type Dial func(agent.Credentials) (Caller, error)

// Direct calls agents over the network.
func Direct(c agent.Credentials) (Caller, error) {
	conf, err := c.Config()
	if err != nil {
		return nil, err
	}
	return agent.NewClient(conf), nil
}

// obeyWithin is how long an agent may take to obey. A writer that gives up its role ends all connections first.
const obeyWithin = 15 * time.Second

// Members gives orders to the agents of one cluster.
type Members struct {
	Caller
	// Domain in which the pods have their names.
	Domain string
}

func (m *Members) order(ctx context.Context, pod, what string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, obeyWithin)
	defer cancel()
	return m.Call(ctx, pod+"."+m.Domain, what, in, out)
}

// State asks a member for its state.
func (m *Members) State(ctx context.Context, pod string) (s mariadb.State, err error) {
	return s, m.order(ctx, pod, "GET /v1/state", nil, &s)
}

// News waits until a member's state is newer than version, or for a while.
func (m *Members) News(ctx context.Context, pod string, since mariadb.Since) (s mariadb.State, err error) {
	return s, m.order(ctx, pod, "POST /v1/wait", since, &s)
}

// Bootstrap orders a member to begin the cluster.
func (m *Members) Bootstrap(ctx context.Context, pod string, o mariadb.Bootstrap) error {
	return m.order(ctx, pod, "POST /v1/bootstrap", o, nil)
}

// Halt orders a member without a majority to stop.
func (m *Members) Halt(ctx context.Context, pod string) error {
	return m.order(ctx, pod, "POST /v1/halt", agent.Nothing{}, nil)
}

// Assign tells a member who takes the writes.
func (m *Members) Assign(ctx context.Context, pod string, r mariadb.Role) (s mariadb.State, err error) {
	return s, m.order(ctx, pod, "PUT /v1/role", r, &s)
}

// Check lets a member read a configuration.
func (m *Members) Check(ctx context.Context, pod, config string) error {
	return m.order(ctx, pod, "POST /v1/check", mariadb.Settings{Config: config}, nil)
}
