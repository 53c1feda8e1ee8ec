package messagebus

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"stackwright.dev/kit/external"
	"stackwright.dev/kit/outcome"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent"
	wire "stackwright.dev/stackwright/internal/agent/rabbitmq"
	"stackwright.dev/stackwright/internal/infra/rabbitmq"
	"stackwright.dev/stackwright/internal/pki"
)

// within is how long one agent may take.
const within = 10 * time.Second

// bus is the door to one virtual host, by the agents of the broker's members.
type bus struct {
	dial  rabbitmq.Dial
	cred  agent.Credentials
	hosts []string
	// name has what the bus is known by, without the password.
	name wire.Bus
	// lost tells that there is no broker any more: the virtual host is gone with it.
	lost bool
}

func connect(dial rabbitmq.Dial) func(*scope) (external.Client[wire.Bus, struct{}], error) {
	return func(s *scope) (external.Client[wire.Bus, struct{}], error) {
		m := s.Owner()
		r, ok := s.Get(refBroker).(*infrav1.RabbitMQ)
		if !ok {
			return &bus{lost: true}, nil
		}
		c := s.Content(refAgent)
		return &bus{dial: dial, hosts: rabbitmq.Hosts(r),
			name: wire.Bus{Owner: ownerName(m), VHost: vhost(m), User: username(m)},
			cred: agent.Credentials{CA: c[pki.CAKey], Cert: c[pki.AgentClientCert], Key: c[pki.AgentClientKey]}}, nil
	}
}

// call asks one member after the other until one does what is asked or refuses it for good.
func (b *bus) call(ctx context.Context, what string, in, out any) error {
	caller, err := b.dial(b.cred)
	if err != nil {
		return err
	}
	defer caller.Close()
	var errs []error
	for _, h := range b.hosts {
		asking, cancel := context.WithTimeout(ctx, within)
		err := caller.Call(asking, h, what, in, out)
		cancel()
		r, refused := errors.AsType[*agent.Refusal](err)
		switch {
		case err == nil:
			return nil
		case refused && r.Code == http.StatusConflict:
			return &outcome.Error{Class: outcome.Conflict, Err: err}
		}
		errs = append(errs, fmt.Errorf("asking the agent of %s: %w", h, err))
	}
	return &outcome.Error{Class: outcome.Unavailable, Err: fmt.Errorf(
		"%w; see that the pods of these run", errors.Join(errs...))}
}

// known is what is wanted, or as much of it as is known when the virtual host is to be removed.
func (b *bus) known(w wire.Bus) wire.Bus {
	if w.VHost == "" {
		return b.name
	}
	return w
}

// Observe looks at virtual host, account and permissions.
func (b *bus) Observe(ctx context.Context, _ string, w wire.Bus) (external.Observation[struct{}], error) {
	var o external.Observation[struct{}]
	if b.lost {
		return o, nil
	}
	var s wire.BusState
	if err := b.call(ctx, "POST /v1/bus/state", b.known(w), &s); err != nil || !s.Exists {
		return o, err
	}
	if s.Owner != b.name.Owner {
		if w.VHost == "" {
			return o, nil // it is another object's now: for this one it is gone
		}
		return o, &outcome.Error{Class: outcome.Conflict, Err: fmt.Errorf(
			"virtual host %s belongs to MessageBus %s; give this one another name in spec.vhost", b.name.VHost, s.Owner)}
	}
	o.State, o.Diff = external.Ready, s.Diff
	return o, nil
}

// Find tells whether the virtual host exists: its name is what it is found by.
func (b *bus) Find(ctx context.Context, _ external.Marker, w wire.Bus) ([]string, error) {
	o, err := b.Observe(ctx, "", w)
	if err != nil || o.State == external.Absent {
		return nil, err
	}
	return []string{b.name.VHost}, nil
}

// Create makes virtual host, account and permissions.
func (b *bus) Create(ctx context.Context, _ external.Marker, w wire.Bus) (string, error) {
	return w.VHost, b.call(ctx, "PUT /v1/bus", w, nil)
}

// Update makes them as wanted again.
func (b *bus) Update(ctx context.Context, _ string, w wire.Bus, _ []string) error {
	return b.call(ctx, "PUT /v1/bus", w, nil)
}

// Delete removes virtual host and account.
func (b *bus) Delete(ctx context.Context, _ string) error {
	if b.lost {
		return nil
	}
	return b.call(ctx, "DELETE /v1/bus", b.name, nil)
}
