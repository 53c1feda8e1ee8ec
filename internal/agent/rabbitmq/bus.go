package rabbitmq

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"stackwright.dev/stackwright/internal/agent"
)

type vhost struct {
	Name        string `json:"name,omitempty"`
	Description string `json:"description"`
	QueueType   string `json:"default_queue_type"`
}

type permission struct {
	Configure string `json:"configure"`
	Write     string `json:"write"`
	Read      string `json:"read"`
}

var everything = permission{Configure: ".*", Write: ".*", Read: ".*"}

// listening is to have queues under a name of our own, and to bring into them what services send to their exchanges:
// those that they have unless they are told otherwise.
var listening = permission{Configure: `^stackwright\.notifications\.`, Write: `^stackwright\.notifications\.`,
	Read: `^(stackwright\.notifications\..*|cinder|designate|glance|heat|keystone|neutron|nova|octavia|openstack)$`}

type policy struct {
	Pattern    string         `json:"pattern"`
	ApplyTo    string         `json:"apply-to"`
	Definition map[string]any `json:"definition"`
}

// kept bounds the queues of notifications: services make theirs whether anybody reads or not, a listener may never come
// back to its own, and what nobody reads would fill the volume. A queue has the newest 16 MiB.
var kept = policy{Pattern: `^((versioned_)?|stackwright\.)notifications\.`, ApplyTo: "queues",
	Definition: map[string]any{"max-length-bytes": float64(16 << 20), "overflow": "drop-head"}}

func (p policy) same(o policy) bool {
	return p.Pattern == o.Pattern && p.ApplyTo == o.ApplyTo && maps.Equal(p.Definition, o.Definition)
}

// policyPath is where the broker has the policy of a bus.
func policyPath(b Bus) string { return "policies/" + path(b.VHost, "notifications") }

// observe compares what the broker has with a bus.
func (d *door) observe(ctx context.Context, b Bus) (BusState, error) {
	var v vhost
	err := d.call(ctx, http.MethodGet, "vhosts/"+path(b.VHost), nil, &v)
	if err != nil && !missing(err) {
		return BusState{}, fmt.Errorf("asking for virtual host %s: %w", b.VHost, err)
	}
	s := BusState{Exists: err == nil, Owner: v.Description}
	if v.QueueType != "quorum" {
		s.Diff = append(s.Diff, "default_queue_type")
	}
	var p policy
	err = d.call(ctx, http.MethodGet, policyPath(b), nil, &p)
	if err != nil && !missing(err) {
		return BusState{}, fmt.Errorf("asking for the policy of virtual host %s: %w", b.VHost, err)
	}
	if !p.same(kept) {
		s.Diff = append(s.Diff, "policy")
	}
	user, err := d.user(ctx, b, b.account())
	if err != nil {
		return BusState{}, err
	}
	listener, err := d.user(ctx, b, b.listener())
	if err != nil {
		return BusState{}, err
	}
	s.Diff, s.UserOwner = append(s.Diff, user.diff...), user.owner
	if s.UserOwner == "" && b.ListenerPassword != "" {
		s.UserOwner = listener.owner
	}
	for _, what := range listener.diff {
		s.Diff = append(s.Diff, "listener "+what)
	}
	return s, nil
}

// account is a user of a bus. One without a password is not to be there.
type account struct {
	name, password string
	may            permission
}

func (b Bus) account() account  { return account{b.User, b.Password, everything} }
func (b Bus) listener() account { return account{b.Listener(), b.ListenerPassword, listening} }

// user is what the broker has of an account.
type user struct {
	diff []string
	// ours tells that it is there and belongs to the bus, owner to whom else it does.
	ours  bool
	owner string
}

func (d *door) user(ctx context.Context, b Bus, want account) (user, error) {
	var have struct {
		Hash string   `json:"password_hash"`
		Tags []string `json:"tags"`
	}
	err := d.call(ctx, http.MethodGet, "users/"+path(want.name), nil, &have)
	if err != nil && !missing(err) {
		return user{}, fmt.Errorf("asking for user %s: %w", want.name, err)
	}
	u := user{ours: err == nil && slices.Contains(have.Tags, tag(b))}
	if err == nil && !u.ours {
		u.owner = strings.TrimPrefix(strings.Join(have.Tags, ","), tagPrefix)
	}
	switch wanted := want.password != ""; {
	case !wanted && u.ours, wanted && !u.ours:
		u.diff = append(u.diff, "user")
	case wanted && !hashes(have.Hash, want.password):
		u.diff = append(u.diff, "password")
	}
	if want.password == "" {
		return u, nil
	}
	var p permission
	err = d.call(ctx, http.MethodGet, "permissions/"+path(b.VHost, want.name), nil, &p)
	if err != nil && !missing(err) {
		return user{}, fmt.Errorf("asking for the permissions of %s: %w", want.name, err)
	}
	if p != want.may {
		u.diff = append(u.diff, "permissions")
	}
	return u, nil
}

// ensure makes a bus, or brings one up to date that has the same owner.
func (d *door) ensure(ctx context.Context, b Bus) error {
	have, err := d.observe(ctx, b)
	if err != nil {
		return err
	}
	if err := claim(b, have); err != nil {
		return err
	}
	writes := []write{
		{"vhosts/" + path(b.VHost), vhost{Description: b.Owner, QueueType: "quorum"}},
		{policyPath(b), kept},
	}
	for _, a := range []account{b.account(), b.listener()} {
		if a.password != "" {
			writes = append(writes, write{"users/" + path(a.name), map[string]string{"password": a.password, "tags": tag(b)}},
				write{"permissions/" + path(b.VHost, a.name), a.may})
		}
	}
	for _, w := range writes {
		if err := d.call(ctx, http.MethodPut, w.path, w.body, nil); err != nil {
			return fmt.Errorf("writing %s: %w", w.path, err)
		}
	}
	if b.ListenerPassword != "" {
		return nil
	}
	return d.expel(ctx, b, b.listener())
}

// write is a request to make something, or to make it as wanted.
type write struct {
	path string
	body any
}

// expel removes an account, unless it is gone or belongs to another bus.
func (d *door) expel(ctx context.Context, b Bus, a account) error {
	u, err := d.user(ctx, b, a)
	if err != nil || !u.ours {
		return err
	}
	return d.remove(ctx, "users/"+path(a.name))
}

func (d *door) remove(ctx context.Context, what string) error {
	if err := d.call(ctx, http.MethodDelete, what, nil, nil); err != nil && !missing(err) {
		return fmt.Errorf("removing %s: %w", what, err)
	}
	return nil
}

// drop removes a bus. What is gone, or belongs to another bus by now, is fine.
func (d *door) drop(ctx context.Context, b Bus) error {
	for _, a := range []account{b.account(), b.listener()} {
		if err := d.expel(ctx, b, a); err != nil {
			return err
		}
	}
	have, err := d.observe(ctx, b)
	if err != nil || have.Owner != b.Owner {
		return err
	}
	return d.remove(ctx, "vhosts/"+path(b.VHost))
}

// tagPrefix begins the tag of a user that names its owner. To the broker it means nothing.
const tagPrefix = "bus:"

func tag(b Bus) string { return tagPrefix + b.Owner }

func claim(b Bus, have BusState) error {
	if have.Exists && have.Owner != b.Owner {
		return agent.Conflict(fmt.Sprintf("virtual host %s belongs to %q; choose another vhost", b.VHost, have.Owner))
	}
	if have.UserOwner != "" {
		return agent.Conflict(fmt.Sprintf("user %s belongs to %q; choose another username", b.User, have.UserOwner))
	}
	return nil
}
