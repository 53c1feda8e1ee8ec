package openstack

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"stackwright.dev/stackwright/internal/reach"
)

// Options of a Pool; all may be left out.
type Options struct {
	// Registerer gets the metrics.
	Registerer prometheus.Registerer
	// AllowInsecure lets clouds.yaml turn off the check of certificates.
	AllowInsecure bool
	// Outside refuses clouds and services at addresses of the operator's own machine, such as loopback and link-local
	// ones: people who may only make a Cloud name them, and only the operator reaches what is there.
	Outside bool
	// Dial replaces how connections are opened.
	Dial Dial
	// Transport replaces the network as a whole, for tests.
	Transport http.RoundTripper
	// Idle is how long a session that nobody opens is kept, an hour by default. Rotated credentials leave theirs behind.
	Idle time.Duration
	// Memory in bytes is what long answers of all sessions may take at a time, by default a quarter of what the process
	// may: 64 MiB in a container of 256 MiB. The other answers wait.
	Memory int64
}

// Pool has the sessions with clouds. It is safe for concurrent use.
type Pool struct {
	options    Options
	metrics    *metrics
	transports transports
	memory     *budget

	mu       sync.Mutex
	closed   bool
	sessions map[key]*Session
	// entries are the configurations that were found to be right since the last sweep.
	entries map[key]*entry
	gates   map[gateKey]*gate
	sweep   time.Time
}

// gateKey is what shares a gate. The cloud is in it because a tenant may run a Keystone whose catalog names the
// services of others; limits are, so that no session slows down one that has others.
type gateKey struct {
	cloud, host, service string
	limit                Limit
	// data is sent beside the other requests: it takes hours, and what breaks off says little about the service.
	data bool
}

// NewPool returns a pool without sessions.
func NewPool(o Options) *Pool {
	if o.Dial == nil {
		d := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
		if o.Outside {
			d.Control = reach.Control
		}
		o.Dial = d.DialContext
	}
	if o.Idle <= 0 {
		o.Idle = time.Hour
	}
	if o.Memory <= 0 {
		o.Memory = min(max(Quarter(), leastMemory), mostMemory)
	}
	return &Pool{options: o, metrics: newMetrics(o.Registerer), memory: &budget{size: o.Memory},
		sessions: map[key]*Session{}, entries: map[key]*entry{}, gates: map[gateKey]*gate{},
		transports: transports{dial: o.Dial, instead: o.Transport, byTLS: map[key]*transport{}},
		sweep:      time.Now().Add(o.Idle)}
}

// Open returns the session of a scope with a cloud, and authenticates it if need be. The scope says who may share a
// session: two scopes never do, whatever their configuration.
func (p *Pool) Open(ctx context.Context, scope string, c Config) (*Session, error) {
	e, err := p.entry(c)
	if err != nil {
		return nil, err
	}
	s, err := p.session(e, scope)
	if err != nil {
		return nil, err
	}
	t, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.services().check(e); err != nil {
		return nil, err
	}
	return s, nil
}

// entry parses a configuration unless it was parsed before: each run of a resource comes with the same one.
func (p *Pool) entry(c Config) (*entry, error) {
	k := c.key()
	p.mu.Lock()
	e := p.entries[k]
	p.mu.Unlock()
	if e != nil {
		return e, nil
	}
	e, err := c.parse(p.options.AllowInsecure)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.entries[k] = e
	p.mu.Unlock()
	return e, nil
}

// session finds or makes a session.
func (p *Pool) session(e *entry, scope string) (*Session, error) {
	k := e.key(scope)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, &Fault{Class: Unavailable, Message: "the pool of cloud sessions is closed"}
	}
	now := time.Now()
	p.clean(now)
	s, ok := p.sessions[k]
	if !ok {
		t, err := p.transports.take(e)
		if err != nil {
			return nil, err
		}
		s = &Session{pool: p, entry: e, key: k, owner: scope, transport: t, distrusted: map[string]time.Time{}}
		p.sessions[k] = s
	}
	s.opened = now
	return s, nil
}

// clean forgets sessions that nobody has opened for long, and what was parsed. It is called with the lock held.
func (p *Pool) clean(now time.Time) {
	if now.Before(p.sweep) {
		return
	}
	p.sweep = now.Add(p.options.Idle / 4)
	clear(p.entries)
	for _, s := range p.sessions {
		if now.Sub(s.opened) >= p.options.Idle {
			p.forget(s)
		}
	}
}

// forget takes a session out. Who holds it may go on using it. It is called with the lock held.
func (p *Pool) forget(s *Session) {
	if p.sessions[s.key] != s {
		return
	}
	delete(p.sessions, s.key)
	p.transports.release(s.transport)
	for _, other := range p.sessions {
		if other.entry.authURL == s.entry.authURL {
			return
		}
	}
	for k := range p.gates {
		if k.cloud == s.entry.authURL {
			delete(p.gates, k)
		}
	}
	p.metrics.forget(s.entry.host)
}

// gate returns what is in front of a service.
func (p *Pool) gate(e *entry, host, service string, data bool) *gate {
	k := gateKey{e.authURL, host, service, e.limits.of(service), data}
	p.mu.Lock()
	defer p.mu.Unlock()
	g, ok := p.gates[k]
	if !ok {
		g = newGate(service, k.limit)
		p.gates[k] = g
	}
	return g
}

// Len returns the number of sessions.
func (p *Pool) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sessions)
}

// Close closes all sessions and their idle connections.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	clear(p.entries)
	var all []*Session
	for _, s := range p.sessions {
		all = append(all, s)
	}
	p.mu.Unlock()
	for _, s := range all {
		s.Close()
	}
}
