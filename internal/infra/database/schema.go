package database

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"stackwright.dev/kit/external"
	"stackwright.dev/kit/outcome"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/mariadb"
	"stackwright.dev/stackwright/internal/infra/galera"
	"stackwright.dev/stackwright/internal/pki"
)

// escape is for a part of an account. SQLAlchemy takes a plus for a plus, and not for a space.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// within is how long the agent may take. Making a schema waits for all members.
const within = 20 * time.Second

// schema is the door to one schema, by the agent of the member that takes the writes.
type schema struct {
	dial   galera.Dial
	cred   agent.Credentials
	host   string
	wanted mariadb.Database
	// lost tells that there is no cluster any more: the schema is gone with it.
	lost bool
}

// connect finds the member that takes the writes.
func connect(dial galera.Dial) func(*scope) (external.Client[mariadb.Database, struct{}], error) {
	return func(s *scope) (external.Client[mariadb.Database, struct{}], error) {
		d := s.Owner()
		g, ok := s.Get(refGalera).(*infrav1.Galera)
		if !ok {
			return &schema{lost: true}, nil
		}
		c := s.Content(refAgent)
		name := mariadb.Database{Name: schemaName(d), CharacterSet: charset(d), User: username(d), Owner: ownerName(d)}
		return &schema{dial: dial, wanted: name, host: g.Status.Writer + "." + galera.Domain(g.Name, g.Namespace),
			cred: agent.Credentials{CA: c[pki.CAKey], Cert: c[pki.AgentClientCert], Key: c[pki.AgentClientKey]}}, nil
	}
}

func (c *schema) call(ctx context.Context, what string, in, out any) error {
	caller, err := c.dial(c.cred)
	if err != nil {
		return err
	}
	defer caller.Close()
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err = caller.Call(ctx, c.host, what, in, out)
	r, refused := errors.AsType[*agent.Refusal](err)
	switch {
	case err == nil:
		return nil
	case refused && r.Code == http.StatusConflict:
		return &outcome.Error{Class: outcome.Conflict, Err: err}
	case refused && r.Code == http.StatusUnprocessableEntity:
		return &outcome.Error{Class: outcome.Invalid, Err: err}
	}
	return &outcome.Error{Class: outcome.Unavailable, Err: fmt.Errorf(
		"asking the agent of %s: %w; see that its pod runs", c.host, err)}
}

// named is what is wanted, or as much of it as is known when the schema is to be removed.
func (c *schema) named(w mariadb.Database) mariadb.Database {
	if w.Name == "" {
		return c.wanted
	}
	return w
}

// Observe looks at schema, account and rights.
func (c *schema) Observe(ctx context.Context, _ string, w mariadb.Database) (external.Observation[struct{}], error) {
	var o external.Observation[struct{}]
	if c.lost {
		return o, nil
	}
	var s mariadb.DatabaseState
	if err := c.call(ctx, "POST /v1/database/observe", c.named(w), &s); err != nil || !s.Exists {
		return o, err
	}
	if s.Owner != "" && s.Owner != c.wanted.Owner {
		if w.Name == "" {
			return o, nil // it is another object's now: for this one it is gone
		}
		return o, &outcome.Error{Class: outcome.Conflict, Err: fmt.Errorf(
			"schema %s belongs to Database %s; give this one another name in spec.database", c.wanted.Name, s.Owner)}
	}
	o.State, o.Diff = external.Ready, s.Diff
	if s.Owner == "" {
		o.Diff = append(o.Diff, "owner")
	}
	return o, nil
}

// Find tells whether the schema exists: its name is what it is found by, whichever object made it.
func (c *schema) Find(ctx context.Context, _ external.Marker, w mariadb.Database) ([]string, error) {
	o, err := c.Observe(ctx, "", w)
	if err != nil || o.State == external.Absent {
		return nil, err
	}
	return []string{c.wanted.Name}, nil
}

// Create makes schema, account and rights.
func (c *schema) Create(ctx context.Context, _ external.Marker, w mariadb.Database) (string, error) {
	return w.Name, c.call(ctx, "PUT /v1/database", w, nil)
}

// Update makes them as wanted again.
func (c *schema) Update(ctx context.Context, _ string, w mariadb.Database, _ []string) error {
	return c.call(ctx, "PUT /v1/database", w, nil)
}

// Delete drops schema and account.
func (c *schema) Delete(ctx context.Context, _ string) error {
	if c.lost {
		return nil
	}
	return c.call(ctx, "DELETE /v1/database", c.wanted, nil)
}
