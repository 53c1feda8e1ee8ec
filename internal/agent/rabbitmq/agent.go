package rabbitmq

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/member"
)

// Agent runs one member.
type Agent struct {
	*member.Keeper
	cfg  Config
	door *door
}

// New opens the volume of a member.
func New(c Config) (*Agent, error) {
	if c.Pod == "" || c.Domain == "" {
		return nil, fmt.Errorf("POD_NAME and --domain are needed; got %q and %q", c.Pod, c.Domain)
	}
	k, err := member.New(member.Place{Pod: c.Pod, Domain: c.Domain, Root: c.Root, AgentDir: c.AgentDir, Word: "broker",
		Files: []string{"data", "feature_flags", "plugins"}})
	if err != nil {
		return nil, err
	}
	cookie, err := c.cookie()
	if err != nil {
		return nil, err
	}
	a := &Agent{Keeper: k, cfg: c, door: newDoor(c.adminPassword(cookie))}
	k.Keep(a)
	return a, nil
}

// Fit tells whether the broker of this image can read the data.
func (a *Agent) Fit(m member.Memo) string {
	image, err := a.cfg.version()
	switch {
	case err != nil:
		return err.Error()
	case agent.Older(image, m.Version):
		return fmt.Sprintf("RabbitMQ %s has run on this volume and the image has %s, which cannot read its data; "+
			"set an image with %s or newer", m.Version, image, m.Version)
	}
	return ""
}

// Begin starts the broker.
func (a *Agent) Begin(_ context.Context, o *member.Start) (member.Term, error) {
	var peers []string
	if o != nil {
		peers = o.Peers
	}
	if err := a.cfg.prepare(peers); err != nil {
		return nil, err
	}
	p, err := agent.Start(filepath.Join(a.cfg.Home, "bin", "rabbitmq-server"), nil, a.cfg.env())
	if err != nil {
		return nil, err
	}
	tls := &agent.Renewal{Files: agent.Within(a.cfg.TLSDir, "tls.crt", "tls.key", "ca.crt"), Every: agent.RenewalEvery,
		Reload: func(ctx context.Context) error { return a.cfg.eval(ctx, forgetCertificates) }}
	return &term{Agent: a, process: p, order: o, began: time.Now(), tls: tls.Begin()}, nil
}

// Handler serves the agent's orders.
func (a *Agent) Handler() http.Handler {
	mux := http.NewServeMux()
	a.Handle(mux)
	agent.Handle(mux, "POST /v1/forget", a.forget, agent.Operator)
	agent.Handle(mux, "POST /v1/evacuate", a.evacuate, agent.Operator)
	agent.Handle(mux, "POST /v1/upgraded", a.upgraded, agent.Operator)
	agent.Handle(mux, "POST /v1/bus/state", func(ctx context.Context, b Bus) (BusState, error) {
		if err := a.Serving(); err != nil {
			return BusState{}, err
		}
		return a.door.observe(ctx, b)
	}, agent.Operator)
	agent.Handle(mux, "PUT /v1/bus", a.bus((*door).ensure), agent.Operator)
	agent.Handle(mux, "DELETE /v1/bus", a.bus((*door).drop), agent.Operator)
	return mux
}
