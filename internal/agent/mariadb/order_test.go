package mariadb

import (
	"context"
	"errors"
	"testing"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

func newAgent(t *testing.T) *Agent {
	t.Helper()
	a, err := New(Config{Pod: "g-0", IP: "127.0.0.1", Domain: "g-pods.test.svc", Root: t.TempDir(), RunDir: t.TempDir(),
		AgentDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.sql.close)
	return a
}

func refused(err error) bool {
	r, ok := errors.AsType[*agent.Refusal](err)
	return ok && r.Code == 409
}

// An order to begin is taken once per epoch, for this volume, at this position, and only while nothing runs.
//
//nolint:gocognit // one table with the order, its refusal and what is left behind
func TestBootstrapOrders(t *testing.T) {
	at := Position{UUID: ours, Seqno: 9}
	for name, c := range map[string]struct {
		order func(*Bootstrap)
		state func(*State)
		taken bool
	}{
		"as reported":        {taken: true},
		"blocked":            {taken: true, state: func(s *State) { s.Phase = Blocked }},
		"the same again":     {taken: true, order: func(o *Bootstrap) { o.Epoch = 4 }},
		"an older epoch":     {order: func(o *Bootstrap) { o.Epoch = 3 }},
		"another volume":     {order: func(o *Bootstrap) { o.Volume = "other" }},
		"another position":   {order: func(o *Bootstrap) { o.Position.Seqno = 8 }},
		"while it runs":      {state: func(s *State) { s.Phase = Running }},
		"while it starts":    {state: func(s *State) { s.Phase = Starting }},
		"while it looks":     {state: func(s *State) { s.Phase = Inspecting }},
		"while it is ending": {state: func(s *State) { s.Phase = Stopping }},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t)
			if err := a.vol.Remember(func(m *Memo) { m.Epoch = 4 }); err != nil {
				t.Fatal(err)
			}
			a.set(func(s *State) { s.Phase, s.Position = Down, at })
			if c.state != nil {
				a.set(c.state)
			}
			o := Bootstrap{Epoch: 5, Volume: a.vol.Memo().Volume, Position: at}
			if c.order != nil {
				c.order(&o)
			}
			_, err := a.bootstrap(t.Context(), o)
			if c.taken != (err == nil) || err != nil && !refused(err) {
				t.Fatalf("got %v, taken must be %v", err, c.taken)
			}
			if want := map[bool]int64{true: o.Epoch, false: 4}[c.taken]; a.vol.Memo().Epoch != want {
				t.Errorf("the volume knows epoch %d, want %d", a.vol.Memo().Epoch, want)
			}
			if got := len(a.bootstraps) == 1; got != c.taken {
				t.Errorf("the order is on its way: %v, want %v", got, c.taken)
			}
		})
	}
}

func TestRolesOnlyGoForward(t *testing.T) {
	a := newAgent(t)
	for _, c := range []struct {
		role  Role
		taken bool
	}{
		{Role{2, "g-1"}, true}, {Role{2, "g-1"}, true}, {Role{2, "g-0"}, false}, {Role{1, "g-0"}, false}, {Role{3, "g-0"},
			true},
	} {
		_, err := a.assign(t.Context(), c.role)
		if c.taken != (err == nil) || err != nil && !refused(err) {
			t.Errorf("%v: got %v, taken must be %v", c.role, err, c.taken)
		}
	}
	if got := openVolume(t, a.cfg.Root).Memo().Role; got != (Role{3, "g-0"}) {
		t.Errorf("the volume knows %v", got)
	}
}

func TestHaltSparesTheMajority(t *testing.T) {
	a := newAgent(t)
	a.set(func(s *State) { s.Phase, s.Wsrep = Running, Wsrep{Primary: true} })
	if _, err := a.halt(t.Context(), agent.Nothing{}); !refused(err) {
		t.Errorf("got %v", err)
	}
	a.set(func(s *State) { s.Wsrep.Primary = false })
	if _, err := a.halt(t.Context(), agent.Nothing{}); err != nil || len(a.halts) != 1 {
		t.Errorf("got %v, %d orders", err, len(a.halts))
	}
}

// A wait ends at once when something changes, and not for the last transaction alone.
func TestWaitForNews(t *testing.T) {
	a := newAgent(t)
	before := a.State().Version
	if s := a.wait(t.Context(), before-1); s.Version != before {
		t.Errorf("an old version waits for %d", s.Version)
	}
	news := make(chan State, 1)
	go func() { news <- a.wait(t.Context(), before) }()
	a.set(func(s *State) { s.Wsrep.Seqno = 42 })
	if v := a.State().Version; v != before {
		t.Errorf("a transaction made version %d", v)
	}
	a.set(func(s *State) { s.Phase = Down })
	select {
	case s := <-news:
		if s.Phase != Down || s.Version != before+1 {
			t.Errorf("got %+v", s)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was told of the change")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if s := a.wait(ctx, a.State().Version); s.Version != before+1 {
		t.Errorf("without news the wait ends with version %d", s.Version)
	}
}

func TestProbesFollowTheState(t *testing.T) {
	a := newAgent(t)
	if a.Ready() == nil {
		t.Error("a member that has not started is ready")
	}
	a.set(func(s *State) { *s = peer("g-0", ours, Synced, true) })
	if err := a.Ready(); err != nil {
		t.Error(err)
	}
	a.beat.Store(time.Now().Add(-2 * liveTimeout).Unix())
	if a.Live() == nil {
		t.Error("an agent that hangs is alive")
	}
	a.alive()
	if err := a.Live(); err != nil {
		t.Error(err)
	}
}

func TestMembersThatThereMayBe(t *testing.T) {
	c := Config{Pod: "my-db-2"}
	if got := c.candidates(); len(got) != 3 || got[0] != "my-db-0" || got[2] != "my-db-2" {
		t.Errorf("got %v", got)
	}
}
