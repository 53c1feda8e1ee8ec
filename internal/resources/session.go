package resources

import (
	"context"

	"stackwright.dev/stackwright/internal/openstack"
)

// session is a door that opens its session anew for each request, which the pool makes cheap: a session that nobody has
// opened for long is closed.
type session struct {
	pool   *openstack.Pool
	scope  string
	config openstack.Config
	*openstack.Session
}

// Do implements Door.
func (s *session) Do(ctx context.Context, r openstack.Request) (*openstack.Response, error) {
	now, err := s.pool.Open(ctx, s.scope, s.config)
	if err != nil {
		return nil, err
	}
	return now.Do(ctx, r)
}

// Sessions opens sessions of a pool.
func Sessions(p *openstack.Pool) Opener {
	return func(ctx context.Context, scope string, c openstack.Config) (Door, error) {
		s, err := p.Open(ctx, scope, c)
		if err != nil {
			return nil, err
		}
		return &session{pool: p, scope: scope, config: c, Session: s}, nil
	}
}

// same tells whether two doors lead to the same session.
func same(a, b Door) bool {
	x, ok := a.(*session)
	y, also := b.(*session)
	return ok && also && x.Session == y.Session || a == b
}
