package openstack

import (
	"context"
	"errors"
	"time"
)

// login is the state of a session's authentication.
type login struct {
	// token is nil before the first.
	token *token
	// flight is the authentication under way, if any. It belongs to no caller, so none takes it down with it.
	flight chan struct{}
	// failed is how the last one ended; before retry it is the answer to everybody.
	failed *Fault
	pause  time.Duration
	retry  time.Time
}

// Pauses after failed authentications. Keystone may lock an account after a few wrong passwords.
const (
	firstLogin  = time.Second
	lastLogin   = 30 * time.Second
	firstDenied = 5 * time.Second
	lastDenied  = 2 * time.Minute
)

// token returns the last token, an empty one before the first. A session that was opened has one.
func (s *Session) token() *token {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.login.token == nil {
		return &token{}
	}
	return s.login.token
}

// current returns a token that is good. When it is time for another, the caller who notices has it fetched and does
// not wait for it: a Keystone that is down or slow stops nobody as long as the old one lives.
func (s *Session) current(ctx context.Context) (*token, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, &Fault{Class: Unavailable,
			Message: "the session with cloud " + s.entry.name + " is closed; open it again"}
	}
	t, now := s.login.token, time.Now()
	if t == nil || !now.Before(t.expires) {
		return s.fly(ctx)
	}
	if !now.Before(t.renew) && !now.Before(s.login.retry) {
		s.start(ctx)
	}
	s.mu.Unlock()
	return t, nil
}

// renew returns another token than one that was refused.
func (s *Session) renew(ctx context.Context, refused *token) (*token, error) {
	s.mu.Lock()
	if t := s.login.token; t != nil && t != refused && time.Now().Before(t.expires) {
		s.mu.Unlock()
		return t, nil
	}
	return s.fly(ctx)
}

// fly waits for a new token; all callers wait for the same. It is called with the lock held and gives it up.
func (s *Session) fly(ctx context.Context) (*token, error) {
	if d := time.Until(s.login.retry); d > 0 && s.login.flight == nil {
		again := *s.login.failed
		again.RetryAfter = d
		s.mu.Unlock()
		return nil, &again
	}
	flight := s.start(ctx)
	s.mu.Unlock()
	select {
	case <-flight:
	case <-ctx.Done():
		return nil, &Fault{Class: Unavailable, Service: identity, cause: context.Cause(ctx),
			Message: "time ran out before cloud " + s.entry.name + " gave a token"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.login.failed != nil {
		again := *s.login.failed
		return nil, &again
	}
	return s.login.token, nil
}

// start begins an authentication unless one is under way. It is called with the lock held.
func (s *Session) start(ctx context.Context) <-chan struct{} {
	if s.login.flight == nil {
		s.login.flight = make(chan struct{})
		go s.authenticate(context.WithoutCancel(ctx))
	}
	return s.login.flight
}

// authenticate ends the flight.
func (s *Session) authenticate(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*defaultTimeout)
	defer cancel()
	t, err := s.pool.authenticate(ctx, s)
	s.pool.metrics.authenticated(s.entry.host, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.login = login{token: t, flight: s.login.flight}
	} else {
		s.login.fail(err)
	}
	close(s.login.flight)
	s.login.flight = nil
}

// fail notes a failure and when the next try may be.
func (l *login) fail(err error) {
	f, ok := errors.AsType[*Fault](err)
	if !ok {
		f = &Fault{Class: Unknown, Service: identity, Message: err.Error()}
	}
	first, last := firstLogin, lastLogin
	if f.Class == Auth {
		first, last = firstDenied, lastDenied
	}
	l.failed = f
	l.pause = min(max(2*l.pause, first), last)
	l.retry = time.Now().Add(max(jitter(l.pause), f.RetryAfter))
}
