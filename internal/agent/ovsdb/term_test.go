package ovsdb

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stackwright.dev/stackwright/internal/agent/member"
)

// run is a term of a member whose server answers every question with answer.
func run(t *testing.T, answer string) *term {
	t.Helper()
	dir := t.TempDir()
	c := Config{Pod: "ovn-nb-2", IP: "10.0.0.3", Domain: "ovn-nb-members.cloud.svc.cluster.local",
		Database: "OVN_Northbound", Schema: "/usr/share/ovn/ovn-nb.ovsschema", Root: filepath.Join(dir, "volume"),
		RunDir: dir, ElectionTimer: 5000}
	if err := os.Mkdir(c.Root, 0o700); err != nil {
		t.Fatal(err)
	}
	a, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", c.run("database.ctl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1024))
			_, _ = conn.Write([]byte(answer))
			_ = conn.Close()
		}
	}()
	return &term{Agent: a, began: time.Now()}
}

func remember(t *testing.T, a *term, change func(*member.Memo)) {
	t.Helper()
	if err := a.Vol.Remember(change); err != nil {
		t.Fatal(err)
	}
}

// A server that has left its cluster drops the database and knows its cluster no more; started again, it ends.
func TestLeft(t *testing.T) {
	const dropped = `{"id":0,"result":null,"error":"unknown cluster\n"}`
	for name, look := range map[string]func(*term) error{
		"runs": func(a *term) error { return a.Look(context.Background()) },
		"was started again": func(a *term) error {
			return a.Ended([]string{"ovsdb-server: ovsdb error: /var/lib/ovn/database: record 12 indicates server has left " +
				"the cluster; it cannot be added back (use \"ovsdb-tool join-cluster\" to add a new server)"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := run(t, dropped)
			remember(t, a, func(m *member.Memo) { m.Data = true })
			if err := look(a); errors.Is(err, member.ErrLeft) || a.Vol.Memo().Left {
				t.Errorf("a member that was not told to leave has left: %v", err)
			}
			remember(t, a, func(m *member.Memo) { m.Leaving = true })
			if err := look(a); !errors.Is(err, member.ErrLeft) {
				t.Errorf("got %v, want that the member has left", err)
			}
			if m := a.Vol.Memo(); !m.Left || m.Data {
				t.Errorf("the volume remembers %+v", m)
			}
		})
	}
}

// Data counts as a member's only when the server says so and knows a leader.
func TestDataIsThatOfAMember(t *testing.T) {
	const servers = `\nServers:\n    f5c0 (f5c0 at ssl:ovn-nb-2.x:6643) (self)\n`
	for answer, want := range map[string]bool{
		`Status: joining cluster\nLeader: unknown`:       false,
		`Status: cluster member\nLeader: unknown`:        false,
		`Status: cluster member\nLeader: self` + servers: true,
	} {
		a := run(t, `{"id":0,"result":"`+answer+`","error":null}`)
		a.order = &member.Start{Mode: member.Join, Epoch: 1}
		if err := a.Look(t.Context()); err != nil {
			// The time to join is not over.
			t.Errorf("%s ends the run: %v", answer, err)
		}
		if a.Vol.Memo().Data != want {
			t.Errorf("after %s the data is a member's: %t, want %t", answer, !want, want)
		}
	}
}
