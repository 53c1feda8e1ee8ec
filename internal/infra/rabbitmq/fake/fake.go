// Package fake has members of a RabbitMQ for tests of operators: agents that behave as the real ones do, without
// brokers. The real ones are tested with real brokers in test/e2e/member/rabbitmq.
package fake

import (
	"net/http"
	"strings"
	"sync"

	wire "stackwright.dev/stackwright/internal/agent/rabbitmq"
	"stackwright.dev/stackwright/internal/infra/member/fake"
	"stackwright.dev/stackwright/internal/infra/rabbitmq"
)

// Members are the agents of brokers. They answer requests to any pod.
type Members struct {
	*fake.Members

	mu    sync.Mutex
	buses map[string]wire.Bus
}

// New returns members with empty volumes.
func New() *Members {
	m := &Members{buses: map[string]wire.Bus{}}
	m.Members = fake.New(m.answer)
	return m
}

// Dial makes callers whose requests go through rt.
func Dial(rt http.RoundTripper) rabbitmq.Dial { return fake.Dial(rt) }

func (m *Members) answer(what string, body []byte) (any, bool) {
	if _, path, _ := strings.Cut(what, " "); !strings.HasPrefix(path, "/v1/bus") {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	b := fake.Decode[wire.Bus](body)
	switch what {
	case "POST /v1/bus/state":
		return m.state(b), true
	case "PUT /v1/bus":
		m.buses[b.VHost] = b
	case "DELETE /v1/bus":
		delete(m.buses, b.VHost)
	}
	return struct{}{}, true
}

func (m *Members) state(b wire.Bus) wire.BusState {
	have, ok := m.buses[b.VHost]
	s := wire.BusState{Exists: ok, Owner: have.Owner}
	if ok && have.Password != b.Password {
		s.Diff = append(s.Diff, "password")
	}
	if ok && have.ListenerPassword != b.ListenerPassword {
		s.Diff = append(s.Diff, "listener password")
	}
	return s
}

// Bus returns the bus of a virtual host.
func (m *Members) Bus(vhost string) (wire.Bus, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.buses[vhost]
	return b, ok
}
