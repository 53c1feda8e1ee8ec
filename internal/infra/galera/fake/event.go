package fake

import (
	"slices"
	"strings"

	wire "stackwright.dev/stackwright/internal/agent/mariadb"
)

// Serving counts the members that serve.
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

// Crash stops members with their data at these places in history.
func (m *Members) Crash(positions map[string]int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for pod, n := range positions {
		s := m.pod(pod)
		s.Phase, s.Wsrep, s.Writable = wire.Down, wire.Wsrep{}, false
		s.Position = wire.Position{UUID: History, Seqno: n}
		m.touch(s)
	}
	m.join()
}

// Lose stops a member and gives it an empty volume.
func (m *Members) Lose(pods ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range pods {
		m.pods[p] = blank(p, "new-volume-of-"+p)
		m.touch(m.pods[p])
	}
	m.join()
}

// Bar keeps a member from running, in that phase and for that reason.
func (m *Members) Bar(pod string, phase wire.Phase, why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.pod(pod)
	s.Phase, s.Message, s.Wsrep, s.Writable = phase, why, wire.Wsrep{}, false
	s.Position = wire.Position{UUID: History, Seqno: 1}
	m.touch(s)
	m.join()
}

// Cut makes agents answer no more; the members drop out of the component.
func (m *Members) Cut(pods ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range pods {
		m.silent[p] = true
	}
	m.join()
}

// Fill leaves members no room for writes.
func (m *Members) Fill(pods ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range pods {
		s := m.pod(p)
		s.Full = true
		m.touch(s)
	}
}

// Refuse makes agents refuse configurations with that text.
func (m *Members) Refuse(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refuses = text
}

// Orders are what agents were told to do, in order.
func (m *Members) Orders() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.orders)
}

// Database returns a schema.
func (m *Members) Database(name string) (wire.Database, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, ok := m.databases[name]
	return d, ok
}

// Put makes a schema as somebody else would.
func (m *Members) Put(d wire.Database) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.databases[d.Name] = d
}

// Run makes a cluster of these members run, with the first as its writer.
func (m *Members) Run(pods ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range pods {
		m.run(m.pod(p))
	}
	m.join()
	for _, p := range pods {
		_ = m.assign(m.pod(p), wire.Role{Term: 1, Writer: pods[0]})
	}
}
