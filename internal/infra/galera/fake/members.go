// Package fake has members of a Galera for tests of operators: agents that behave as the real ones do, without
// databases. The real ones are tested with real databases in test/e2e/member/mariadb.
package fake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"stackwright.dev/stackwright/internal/agent"
	wire "stackwright.dev/stackwright/internal/agent/mariadb"
	"stackwright.dev/stackwright/internal/infra/galera"
	"stackwright.dev/stackwright/internal/infra/member/fake"
)

// History is the id of the history that a cluster of fakes begins.
const History = "11111111-1111-1111-1111-111111111111"

// Members are the agents of databases. They answer requests to any pod.
type Members struct {
	mu        sync.Mutex
	pods      map[string]*wire.State
	databases map[string]wire.Database
	silent    map[string]bool
	refuses   string
	orders    []string
	version   int64
}

// New returns members with empty volumes.
func New() *Members {
	return &Members{pods: map[string]*wire.State{}, databases: map[string]wire.Database{}, silent: map[string]bool{}}
}

// Dial makes callers whose requests go through rt.
func Dial(rt http.RoundTripper) galera.Dial {
	return func(agent.Credentials) (galera.Caller, error) { return &caller{fake.Caller{RT: rt}}, nil }
}

type caller struct{ fake.Caller }

// Call sends an order as the real client does. A request that is held for news has none: what a listener does with news
// is tested apart, and here such requests would count as traffic.
func (c *caller) Call(ctx context.Context, host, what string, in, out any) error {
	if strings.HasSuffix(what, " /v1/wait") {
		<-ctx.Done()
		return ctx.Err()
	}
	return c.Caller.Call(ctx, host, what, in, out)
}

// RoundTrip answers as an agent does.
func (m *Members) RoundTrip(r *http.Request) (*http.Response, error) {
	pod, _, _ := strings.Cut(r.URL.Hostname(), ".")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.silent[pod] {
		return nil, fmt.Errorf("connecting to %s: no route to host", pod)
	}
	out, err := m.answer(pod, r.Method+" "+r.URL.Path, body)
	code := http.StatusOK
	refusal := &agent.Refusal{}
	if errors.As(err, &refusal) {
		code, out = refusal.Code, refusal
	} else if err != nil {
		code, out = http.StatusInternalServerError, agent.Refusal{Message: err.Error()}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: http.Header{}, Request: r,
		Body: io.NopCloser(bytes.NewReader(b))}, nil
}

func (m *Members) pod(name string) *wire.State {
	if m.pods[name] == nil {
		m.pods[name] = blank(name, "volume-of-"+name)
		m.touch(m.pods[name])
	}
	return m.pods[name]
}

func blank(pod, volume string) *wire.State {
	return &wire.State{Pod: pod, Volume: volume, Phase: wire.Down, Empty: true,
		Position: wire.Position{UUID: wire.NoUUID, Seqno: -1}}
}

// touch makes a state a new one.
func (m *Members) touch(s *wire.State) {
	m.version++
	s.Version = m.version
}

func (m *Members) answer(pod, what string, body []byte) (any, error) {
	s := m.pod(pod)
	asks := what == "GET /v1/state" || what == "POST /v1/database/observe"
	if !asks {
		m.orders = append(m.orders, pod+" "+what)
	}
	switch what {
	case "GET /v1/state":
		return s, nil
	case "POST /v1/bootstrap":
		return s, m.bootstrap(s, decode[wire.Bootstrap](body))
	case "POST /v1/halt":
		s.Phase, s.Position = wire.Down, wire.Position{UUID: History, Seqno: 1}
		m.touch(s)
	case "PUT /v1/role":
		return s, m.assign(s, decode[wire.Role](body))
	case "POST /v1/check":
		if m.refuses != "" && strings.Contains(decode[wire.Settings](body).Config, m.refuses) {
			return nil, &agent.Refusal{Code: http.StatusUnprocessableEntity, Message: "unknown variable '" + m.refuses + "'"}
		}
	case "POST /v1/database/observe":
		return m.observe(decode[wire.Database](body)), nil
	case "PUT /v1/database":
		if !s.Serves() {
			return nil, agent.Unready("this member does not serve")
		}
		return agent.Nothing{}, m.put(decode[wire.Database](body))
	case "DELETE /v1/database":
		delete(m.databases, decode[wire.Database](body).Name)
	default:
		return nil, fmt.Errorf("an agent knows no order %s", what)
	}
	return agent.Nothing{}, nil
}

func decode[T any](b []byte) T {
	var out T
	_ = json.Unmarshal(b, &out)
	return out
}

// bootstrap obeys at once, and lets the others join.
func (m *Members) bootstrap(s *wire.State, o wire.Bootstrap) error {
	switch {
	case o.Volume != s.Volume:
		return agent.Conflict("the order is for another volume")
	case o.Epoch < s.Epoch || s.Phase != wire.Down:
		return agent.Conflict("the member is " + string(s.Phase))
	}
	s.Epoch = o.Epoch
	m.run(s)
	m.join()
	return nil
}

func (m *Members) run(s *wire.State) {
	s.Phase, s.Message, s.Empty, s.Position = wire.Running, "", false, wire.Position{}
	s.Wsrep = wire.Wsrep{Primary: true, Ready: true, Local: wire.Synced, UUID: History}
	m.touch(s)
}

// join lets all members that are down, with nothing against them, and not cut off join those that run, and tells
// everybody who belongs to them.
func (m *Members) join() {
	if !slices.ContainsFunc(m.all(), func(s *wire.State) bool { return s.Serves() && !m.silent[s.Pod] }) {
		return
	}
	var in []string
	for _, s := range m.all() {
		if s.Phase == wire.Down && s.Message == "" && !m.silent[s.Pod] {
			m.run(s)
		}
		if s.Phase == wire.Running && !m.silent[s.Pod] {
			in = append(in, s.Pod)
		}
	}
	for _, p := range in {
		if s := m.pods[p]; !slices.Equal(s.Wsrep.Members, in) {
			s.Wsrep.Members = slices.Clone(in)
			m.touch(s)
		}
	}
}

func (m *Members) all() []*wire.State {
	var out []*wire.State
	for _, s := range m.pods {
		out = append(out, s)
	}
	slices.SortFunc(out, func(x, y *wire.State) int { return strings.Compare(x.Pod, y.Pod) })
	return out
}

func (m *Members) assign(s *wire.State, r wire.Role) error {
	if r.Term < s.Role.Term {
		return agent.Conflict("the term is an older one")
	}
	s.Role, s.Writable = r, r.Writer == s.Pod && s.Serves()
	m.touch(s)
	if r.Writer == s.Pod && !s.Writable {
		return agent.Unready("this member does not serve")
	}
	return nil
}

// put makes a schema, unless its account is that of another one.
func (m *Members) put(d wire.Database) error {
	for _, other := range m.databases {
		if other.User == d.User && other.Owner != d.Owner && m.databases[d.Name].User != d.User {
			return agent.Conflict("account " + d.User + " belongs to Database " + other.Owner +
				"; make this Database again with another spec.username")
		}
	}
	m.databases[d.Name] = d
	return nil
}

func (m *Members) observe(d wire.Database) wire.DatabaseState {
	have, ok := m.databases[d.Name]
	s := wire.DatabaseState{Exists: ok, Owner: have.Owner, CharacterSet: have.CharacterSet}
	if ok && have.Password != d.Password {
		s.Diff = []string{"password"}
	}
	return s
}
