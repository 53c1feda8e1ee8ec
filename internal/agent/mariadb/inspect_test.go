package mariadb

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	ours   = "11111111-1111-1111-1111-111111111111"
	theirs = "22222222-2222-2222-2222-222222222222"
)

func peer(pod, uuid, local string, writable bool) State {
	return State{Pod: pod, Phase: Running, Writable: writable,
		Wsrep: Wsrep{Primary: true, Ready: true, Local: local, UUID: uuid}}
}

// A member joins by itself only where its data is none, or the cluster's own, or was about to be replaced.
func TestJudge(t *testing.T) {
	serving := []State{peer("g-0", ours, Synced, true), peer("g-1", ours, Synced, false)}
	nowhere := Position{UUID: NoUUID, Seqno: -1}
	for name, c := range map[string]struct {
		memo  Memo
		where standing
		peers []State
		want  verdict
		block string
	}{
		"nobody serves": {where: standing{empty: true, position: nowhere}, peers: []State{{Pod: "g-0", Phase: Down}}},
		"a peer is not in a majority": {where: standing{empty: true, position: nowhere},
			peers: []State{{Pod: "g-0", Phase: Running, Wsrep: Wsrep{Ready: false, UUID: ours}}}},
		"empty": {where: standing{empty: true, position: nowhere}, peers: serving,
			want: verdict{join: true, donors: []string{"g-1", "g-0"}}},
		"the same history": {where: standing{position: Position{ours, 5}}, peers: serving,
			want: verdict{join: true, donors: []string{"g-1", "g-0"}}},
		"half a copy": {memo: Memo{Copying: true}, where: standing{position: nowhere}, peers: serving,
			want: verdict{join: true, donors: []string{"g-1", "g-0"}}},
		"was whole in the same history": {memo: Memo{History: ours}, where: standing{position: nowhere}, peers: serving,
			want: verdict{join: true, donors: []string{"g-1", "g-0"}}},
		"another history": {where: standing{position: Position{theirs, 5}}, peers: serving, block: "history " + theirs},
		"another history, though a copy was begun": {memo: Memo{Copying: true},
			where: standing{position: Position{theirs, 5}},
			peers: serving, block: "history " + theirs},
		"was whole in another history": {memo: Memo{History: theirs}, where: standing{position: nowhere}, peers: serving,
			block: "never belonged"},
		"of no cluster": {where: standing{position: nowhere}, peers: serving, block: "never belonged"},
		"two histories run": {where: standing{empty: true, position: nowhere},
			peers: append([]State{peer("g-2", theirs, Synced, false)}, serving...), block: "two histories"},
	} {
		t.Run(name, func(t *testing.T) {
			got := judge(c.memo, c.where, c.peers)
			if c.block != "" {
				if got.join || !strings.Contains(got.block, c.block) || !strings.Contains(got.block, "delet") {
					t.Errorf("got %+v, want a block with %q that tells what to do", got, c.block)
				}
				return
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(verdict{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestServes(t *testing.T) {
	for name, c := range map[string]struct {
		state State
		want  bool
	}{
		"synced":                {peer("g-0", ours, Synced, false), true},
		"copied from":           {peer("g-0", ours, Donor, false), true},
		"joining":               {peer("g-0", ours, "Joining", false), false},
		"behind":                {peer("g-0", ours, "Joined", false), false},
		"without a majority":    {State{Phase: Running, Wsrep: Wsrep{Ready: true, Local: Synced}}, false},
		"not ready for queries": {State{Phase: Running, Wsrep: Wsrep{Primary: true, Local: Synced}}, false},
		"stopping":              {State{Phase: Stopping, Wsrep: Wsrep{Primary: true, Ready: true, Local: Synced}}, false},
	} {
		if got := c.state.Serves(); got != c.want {
			t.Errorf("%s: serves is %v, want %v", name, got, c.want)
		}
	}
}

func TestPosition(t *testing.T) {
	p, err := ParsePosition(ours + ":42")
	if err != nil || !p.Known() || p.String() != ours+":42" {
		t.Errorf("got %v, %v", p, err)
	}
	for _, s := range []string{"", "42", ours, ours + ":x", "abc:42"} {
		if p, err := ParsePosition(s); err == nil {
			t.Errorf("%q was read as %v", s, p)
		}
	}
	for _, p := range []Position{{}, {UUID: NoUUID, Seqno: 4}, {UUID: ours, Seqno: -1}} {
		if p.Known() {
			t.Errorf("%v counts as known", p)
		}
	}
}

func TestComplaint(t *testing.T) {
	for want, lines := range map[string][]string{
		"unknown variable 'colour=red'": {"2026 0 [Note] starting", "2026 0 [ERROR] unknown variable 'colour=red'",
			"2026 0 [ERROR] Aborting"},
		"the end":             {"begin", "the end"},
		"it has said nothing": nil,
	} {
		if got := complaint(lines); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestHideKeepsPasswordsOutOfErrors(t *testing.T) {
	err := hide(errorText("near 's3cret' at line 1"), "s3cret")
	if strings.Contains(err.Error(), "s3cret") {
		t.Errorf("the password is in %q", err)
	}
	if err := hide(errorText("no such table"), "s3cret"); err.Error() != "no such table" {
		t.Errorf("a harmless error became %q", err)
	}
}

type errorText string

func (e errorText) Error() string { return string(e) }
