package openstack

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// Session is one credential at one cloud. It is safe for concurrent use.
type Session struct {
	pool      *Pool
	entry     *entry
	key       key
	owner     string
	transport *transport
	// opened is guarded by the pool.
	opened time.Time

	mu     sync.Mutex
	closed bool
	login  login
	// distrusted has the services that refused a new token, and until when their refusals are believed.
	distrusted map[string]time.Time
}

// distrust is how long a service that refuses new tokens does not cause authentications: its own configuration is
// wrong, and each request would cost a token.
const distrust = time.Minute

// Do sends a request. It is sent again only when its token was refused and a new one can be had.
func (s *Session) Do(ctx context.Context, r Request) (*Response, error) {
	service := official(r.Service)
	t, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	address, err := s.locate(ctx, t, service)
	if err != nil {
		return nil, err
	}
	c, err := r.call(service, address)
	if err != nil {
		return nil, err
	}
	res, err := s.try(ctx, c, t)
	if err != nil {
		return nil, err
	}
	defer res.done()
	return r.Hand(res), nil
}

// try sends a call, with a new token when the first is refused.
func (s *Session) try(ctx context.Context, c *call, t *token) (*Response, error) {
	res, err := s.send(ctx, c, t)
	if !unauthorized(err) || s.believes(c.service) {
		return res, err
	}
	fresh, renewal := s.renew(ctx, t)
	if renewal != nil {
		if unauthorized(renewal) {
			s.disown(t)
		}
		return nil, renewal
	}
	if c.stream != nil {
		f := c.fault(Unavailable, "the token had expired and a stream cannot be sent again; repeat the request")
		f.cause = err
		return nil, f
	}
	res, err = s.send(ctx, c, fresh)
	if unauthorized(err) {
		s.mu.Lock()
		s.distrusted[c.service] = time.Now().Add(distrust)
		s.mu.Unlock()
	}
	return res, err
}

func (s *Session) send(ctx context.Context, c *call, t *token) (*Response, error) {
	c.cloud, c.scope = s.entry.host, s.owner
	c.header.Set("X-Auth-Token", t.id)
	c.secrets = append([]string{t.id}, s.entry.secrets...)
	return s.pool.send(ctx, s.pool.gate(s.entry, c.url.Host, c.service, c.stream != nil), s.transport, c)
}

// disown forgets a token that was refused when its credential is refused, too. Whoever opens the session would be told
// until the token ends that all is well.
func (s *Session) disown(t *token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.login.token == t {
		s.login.token = nil
	}
}

// believes tells whether a 401 of a service is to be taken as it is.
func (s *Session) believes(service string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.distrusted[service])
}

func unauthorized(err error) bool {
	f, ok := errors.AsType[*Fault](err)
	return ok && f.Code == http.StatusUnauthorized
}

// Endpoint returns the address that requests of a service are below.
func (s *Session) Endpoint(service string) (string, error) {
	u, err := s.token().locate(official(service), s.entry)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// Services returns the official types of the services that can be reached, sorted.
func (s *Session) Services() []string {
	return s.token().services().services(s.entry.region, s.entry.face)
}

// ProjectID returns the project of the token; it is empty for tokens of a domain or the system.
func (s *Session) ProjectID() string { return s.token().project }

// UserID returns the user of the token.
func (s *Session) UserID() string { return s.token().user }

// DomainID returns the domain of the token's scope: that of its project, or the domain itself.
func (s *Session) DomainID() string { return s.token().domain }

// Close takes the session out of its pool, for all who share it. Requests that are under way go on; new ones are
// refused until it is opened again.
func (s *Session) Close() {
	s.pool.mu.Lock()
	s.pool.forget(s)
	s.pool.mu.Unlock()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
}
