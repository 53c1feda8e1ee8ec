// Package fake has members of clusters for tests of operators: agents that behave as the real ones do, without daemons.
package fake

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"stackwright.dev/stackwright/internal/agent"
	wire "stackwright.dev/stackwright/internal/agent/member"
	"stackwright.dev/stackwright/internal/infra/member"
)

// Members are the agents of daemons. They answer requests to any pod, whose names begin with that of their cluster.
type Members struct {
	mu     sync.Mutex
	pods   map[string]*wire.State
	silent map[string]bool
	orders []string
	// more answers what only the agents of some daemons are asked.
	more More
}

// More answers a request that not all agents know; false when it does not know it either.
type More func(what string, body []byte) (any, bool)

// New returns members with empty volumes. more may be nil.
func New(more More) *Members {
	return &Members{pods: map[string]*wire.State{}, silent: map[string]bool{}, more: more}
}

// Dial makes callers whose requests go through rt.
func Dial(rt http.RoundTripper) member.Dial {
	return func(agent.Credentials) (member.Caller, error) { return &Caller{rt}, nil }
}

// Caller sends orders through RT as the real client does.
type Caller struct{ RT http.RoundTripper }

// Close has nothing to close.
func (c *Caller) Close() {}

// Call sends one order.
func (c *Caller) Call(ctx context.Context, host, what string, in, out any) error {
	method, path, _ := strings.Cut(what, " ")
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, "https://"+host+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	res, err := c.RT.RoundTrip(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	b, err = io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		r := &agent.Refusal{Code: res.StatusCode}
		_ = json.Unmarshal(b, r)
		return r
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(b, out)
}

// RoundTrip answers as an agent does.
func (m *Members) RoundTrip(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pod, _, _ := strings.Cut(r.URL.Hostname(), ".")
	if m.silent[pod] {
		return nil, fmt.Errorf("connecting to %s: no route to host", pod)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	out, err := m.answer(pod, r.Method+" "+r.URL.Path, body)
	code := http.StatusOK
	if err != nil {
		code, out = http.StatusConflict, map[string]string{"message": err.Error()}
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
		m.pods[name] = &wire.State{Pod: name, Volume: "volume-of-" + name, Phase: wire.Blank}
	}
	return m.pods[name]
}

func (m *Members) answer(pod, what string, body []byte) (any, error) {
	s := m.pod(pod)
	if m.more != nil {
		if out, ok := m.more(what, body); ok {
			return out, nil
		}
	}
	if what != "GET /v1/state" {
		m.orders = append(m.orders, pod+" "+what)
	}
	switch what {
	case "GET /v1/state":
		return s, nil
	case "POST /v1/start":
		return s, m.start(s, Decode[wire.Start](body))
	case "POST /v1/forget":
		m.remove(Decode[wire.Member](body).Pod)
	case "POST /v1/leave":
		m.remove(pod)
		*s = wire.State{Pod: pod, Volume: s.Volume, Phase: wire.Left}
	case "POST /v1/evacuate", "POST /v1/upgraded":
	default:
		return nil, fmt.Errorf("an agent knows no order %s", what)
	}
	return wire.Nothing{}, nil
}

// Decode reads the body of a request.
func Decode[T any](b []byte) T {
	var out T
	_ = json.Unmarshal(b, &out)
	return out
}

// start obeys at once.
func (m *Members) start(s *wire.State, o wire.Start) error {
	switch {
	case o.Volume != s.Volume:
		return fmt.Errorf("the order is for volume %s, this is volume %s", o.Volume, s.Volume)
	case o.Mode == wire.Alone && !s.Data, o.Mode != wire.Alone && s.Data && s.Phase != wire.Outdated:
		return fmt.Errorf("the member is %s and not waiting for order %s", s.Phase, o.Mode)
	}
	members := []string{s.Pod}
	if o.Mode == wire.Join {
		members = append(slices.Clone(m.pod(o.Peers[0]).Members), s.Pod)
	}
	s.Phase, s.Data, s.Epoch = wire.Running, true, o.Epoch
	m.count(members)
	return nil
}

// count tells all members who belongs to the cluster.
func (m *Members) count(members []string) {
	slices.Sort(members)
	for _, p := range members {
		m.pod(p).Members = slices.Clone(members)
	}
	var running []string
	for _, p := range members {
		if m.pod(p).Phase == wire.Running {
			running = append(running, p)
		}
	}
	for _, p := range running {
		m.pod(p).Service = wire.Service{Running: slices.Clone(running), Version: "4.0.5", Alarms: m.pod(p).Service.Alarms}
	}
}

func (m *Members) remove(pod string) {
	for _, s := range m.pods {
		if i := slices.Index(s.Members, pod); i >= 0 && s.Pod != pod {
			m.count(slices.Delete(slices.Clone(s.Members), i, i+1))
			return
		}
	}
}

// Serving counts the members of a StatefulSet that serve.
func (m *Members) Serving(set string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	var n int64
	for _, s := range m.pods {
		if s.Serves() && !m.silent[s.Pod] && strings.HasPrefix(s.Pod, set+"-") {
			n++
		}
	}
	return n
}

// Change changes the state of a pod.
func (m *Members) Change(pod string, f func(*wire.State)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(m.pod(pod))
	m.count(slices.Clone(m.pod(pod).Members))
}

// Lose gives a pod an empty volume.
func (m *Members) Lose(pods ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range pods {
		m.pods[p] = &wire.State{Pod: p, Volume: "new-volume-of-" + p, Phase: wire.Blank}
	}
}

// Silence makes agents answer no more, or again.
func (m *Members) Silence(silent bool, pods ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range pods {
		m.silent[p] = silent
	}
}

// Orders are what agents were told to do, in order.
func (m *Members) Orders() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.orders)
}
