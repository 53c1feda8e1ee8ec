package volume

import (
	"os"
	"testing"
)

type memo struct {
	ID    string   `json:"id"`
	Peers []string `json:"peers,omitempty"`
}

func open(t *testing.T, root string) *Volume[memo] {
	t.Helper()
	v, err := Open(root, func(m *memo, id string) { m.ID = id })
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestMemoOutlivesTheProcess(t *testing.T) {
	root := t.TempDir()
	v := open(t, root)
	id := v.Memo().ID
	if len(id) != 16 || open(t, t.TempDir()).Memo().ID == id {
		t.Errorf("the id of a new volume is %q", id)
	}
	if err := v.Remember(func(m *memo) { m.Peers = []string{"a"} }); err != nil {
		t.Fatal(err)
	}
	if again := open(t, root).Memo(); again.ID != id || len(again.Peers) != 1 {
		t.Errorf("after a restart the memo is %+v", again)
	}
}

func TestNothingIsWrittenWithoutAChange(t *testing.T) {
	v := open(t, t.TempDir())
	file := v.Path("agent", "memo.json")
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Remember(func(*memo) {}); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(file); err != nil || !os.SameFile(before, after) {
		t.Errorf("the memo was written again: %v", err)
	}
}

// What cannot be written is not remembered: an order would be taken for done after a restart.
func TestWhatCannotBeWrittenIsNotRemembered(t *testing.T) {
	v := open(t, t.TempDir())
	if err := os.RemoveAll(v.Path("agent")); err != nil {
		t.Fatal(err)
	}
	if err := v.Remember(func(m *memo) { m.Peers = []string{"a"} }); err == nil || len(v.Memo().Peers) != 0 {
		t.Errorf("the error is %v and the memo %+v", err, v.Memo())
	}
}

func TestBrokenMemo(t *testing.T) {
	v := open(t, t.TempDir())
	if err := os.WriteFile(v.Path("agent", "memo.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(v.Path(), func(*memo, string) {}); err == nil {
		t.Error("a memo that cannot be read is taken for a new volume")
	}
}
