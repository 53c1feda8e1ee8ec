package mariadb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// Clients write to one member only. mariadbd starts read-only; the agent opens it when the newest role names this
// member. A member keeps the newest role on its volume before it acts on it, so that after a crash the volumes tell
// which member has taken the last writes: the seed of the next start must not lack them.

// assign takes a role from the operator. An older one is refused, and the answer tells the newer.
func (a *Agent) assign(ctx context.Context, r Role) (State, error) {
	if err := a.learn(r); err != nil {
		return State{}, err
	}
	if a.State().Phase != Running && a.State().Phase != Stopping {
		return a.State(), nil
	}
	if r.Writer == a.cfg.Pod && !a.State().Serves() {
		return State{}, agent.Unready("this member does not serve, so it cannot take writes now")
	}
	err := a.applyRole(ctx, true)
	return a.State(), err
}

// learn remembers a role that is newer than the known one.
func (a *Agent) learn(r Role) error {
	a.roles.Lock()
	defer a.roles.Unlock()
	known := a.vol.Memo().Role
	if r.Term < known.Term || r.Term == known.Term && r.Writer != known.Writer {
		return agent.Conflict(fmt.Sprintf("term %d is older than term %d, in which %s takes writes", r.Term, known.Term,
			known.Writer))
	}
	if err := a.vol.Remember(func(m *Memo) { m.Role = r }); err != nil {
		return err
	}
	a.set(func(s *State) { s.Role = r })
	return nil
}

// applyRole opens or closes writes as the newest role wants. Without the operator's order a member that did not take
// writes, or was out of the primary component, asks the others before it takes them.
func (a *Agent) applyRole(ctx context.Context, ordered bool) error {
	a.roles.Lock()
	defer a.roles.Unlock()
	open, err := a.sql.writable(ctx)
	if err != nil {
		return err
	}
	trusted := open && a.State().Writable
	want := a.vol.Memo().Role.Writer == a.cfg.Pod && !a.State().Full && (trusted || ordered || a.newest(ctx))
	switch {
	case want && !trusted:
		err = a.sql.openWrites(ctx)
	case !want && open:
		err = a.sql.closeWrites(ctx)
	case a.vol.Memo().Role.Writer != a.cfg.Pod:
		err = a.dismiss(ctx)
	}
	if err == nil {
		a.set(func(s *State) { s.Writable = want })
	}
	return err
}

// visit is how long clients may stay at a member that is not the writer. It is enough to look at something, and to read
// a table; copies are made by the member's own account.
const visit = 15 * time.Second

// dismiss ends connections of clients that have stayed too long. On a node that was cut off, Services lead to the
// writer that was until they hear of the new one, and a pool that came in then would have its writes refused for as
// long as it keeps the connection, which it may for an hour.
func (a *Agent) dismiss(ctx context.Context) error {
	ids, err := a.sql.clients(ctx)
	if err != nil {
		return err
	}
	var over []int64
	now, visitors := time.Now(), map[int64]time.Time{}
	for _, id := range ids {
		since, known := a.visitors[id]
		if !known {
			since = now
		}
		if visitors[id] = since; now.Sub(since) > visit {
			over = append(over, id)
		}
	}
	a.visitors = visitors
	return a.sql.end(ctx, over)
}

// newest tells whether no other member of the component knows a newer role. A member that comes back as the writer it
// was must ask first: another one may have taken over in the meantime.
func (a *Agent) newest(ctx context.Context) bool {
	others := map[string]bool{}
	mine := a.vol.Memo().Role
	for _, p := range a.peers(ctx) {
		if p.Role.Term > mine.Term {
			if err := a.vol.Remember(func(m *Memo) { m.Role = p.Role }); err == nil {
				a.set(func(s *State) { s.Role = p.Role })
			}
			return false
		}
		others[p.Pod] = true
	}
	return !slices.ContainsFunc(a.State().Wsrep.Members, func(m string) bool { return m != a.cfg.Pod && !others[m] })
}
