package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

const identity = "identity"

// token is what Keystone gave for a credential.
type token struct {
	id             string
	renew, expires time.Time
	project        string
	user           string
	domain         string
	catalog        atomic.Pointer[catalog]
	// looked is when the catalog was last read, guarded by the session.
	looked time.Time
	// versions has the ranges of microversions that were asked for. They live as long as the token, so that an upgrade
	// of a service is noticed.
	versions sync.Map
}

// tokenBody is the answer to an authentication.
type tokenBody struct {
	Token struct {
		ExpiresAt time.Time `json:"expires_at"`
		IssuedAt  time.Time `json:"issued_at"`
		Catalog   catalog   `json:"catalog"`
		User      struct {
			ID string `json:"id"`
		} `json:"user"`
		Project struct {
			ID     string `json:"id"`
			Domain struct {
				ID string `json:"id"`
			} `json:"domain"`
		} `json:"project"`
		Domain struct {
			ID string `json:"id"`
		} `json:"domain"`
	} `json:"token"`
}

// authenticate asks Keystone for a token.
func (p *Pool) authenticate(ctx context.Context, s *Session) (*token, error) {
	e := s.entry
	address, err := url.Parse(e.authURL)
	if err != nil {
		return nil, refuse("auth_url of cloud %q is not a URL; correct it", e.name)
	}
	r := Request{Method: http.MethodPost, Path: "auth/tokens", Body: e.body, Owner: s.owner}
	c, err := r.call(identity, address)
	if err != nil {
		return nil, err
	}
	c.cloud, c.scope, c.secrets = e.host, s.owner, e.secrets
	asked := time.Now()
	res, err := p.send(ctx, p.gate(e, address.Host, identity, false), s.transport, c)
	if err != nil {
		return nil, explain(e, err)
	}
	defer res.done()
	return read(c, res, asked)
}

// explain adds what to do about a credential that is refused.
func explain(e *entry, err error) error {
	f, ok := errors.AsType[*Fault](err)
	if !ok {
		return err
	}
	switch {
	case f.Code == http.StatusUnauthorized:
		f.advised = true
		f.Message += " Check user, domain, project and password or secret of cloud " + e.name + " in clouds.yaml."
	case f.Code == http.StatusNotFound && f.Class == NotFound:
		f.Class, f.advised = Unavailable, true
		f.Message = "there is no Keystone at " + e.authURL + "; correct auth_url of cloud " + e.name + " in clouds.yaml"
	}
	return f
}

func read(c *call, res *Response, asked time.Time) (*token, error) {
	var b tokenBody
	id := res.Header.Get("X-Subject-Token")
	if err := json.Unmarshal(res.Body, &b); err != nil || id == "" {
		return nil, c.fault(Unavailable, "what answers at "+c.url.Host+" is no Keystone, for it gives no token; "+
			"correct auth_url in clouds.yaml")
	}
	in := b.Token
	// The life counts from our clock: that of Keystone may differ.
	life := in.ExpiresAt.Sub(in.IssuedAt)
	if in.IssuedAt.IsZero() {
		life = in.ExpiresAt.Sub(asked)
	}
	if life <= 0 {
		return nil, c.fault(Auth, "Keystone gave a token that has expired; check its clock and that of the credential")
	}
	t := &token{id: id, project: in.Project.ID, user: in.User.ID, domain: in.Domain.ID, looked: asked,
		expires: asked.Add(life), renew: asked.Add(renewal(life))}
	t.catalog.Store(&in.Catalog)
	if t.domain == "" {
		t.domain = in.Project.Domain.ID
	}
	return t, nil
}

// renewal is when in its life a token is renewed, about four fifths in. A token that was had from a token gets no
// longer life, so the end of a short one is not chased.
func renewal(life time.Duration) time.Duration {
	if life < time.Minute {
		return life
	}
	return time.Duration(float64(life) * (0.75 + 0.1*rand.Float64()))
}
