package mariadb

import (
	"os"
	"path/filepath"
	"testing"
)

func openVolume(t *testing.T, root string) *Volume {
	t.Helper()
	v, err := OpenVolume(root)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestMemoOutlivesTheAgent(t *testing.T) {
	root := t.TempDir()
	first := openVolume(t, root)
	id := first.Memo().Volume
	if len(id) != 16 {
		t.Fatalf("the volume's id is %q", id)
	}
	if err := first.Remember(func(m *Memo) { m.Epoch, m.Role, m.Copying = 7, Role{3, "g-1"}, true }); err != nil {
		t.Fatal(err)
	}
	got := openVolume(t, root).Memo()
	want := Memo{Volume: id, Epoch: 7, Role: Role{3, "g-1"}, Copying: true}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if other := openVolume(t, t.TempDir()).Memo().Volume; other == id {
		t.Error("another volume has the same id")
	}
}

// A crash while the memo is written leaves the old one.
func TestHalfWrittenMemoIsIgnored(t *testing.T) {
	root := t.TempDir()
	id := openVolume(t, root).Memo().Volume
	if err := os.WriteFile(filepath.Join(root, "agent", "memo.json.new"), []byte(`{"volume": "x`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := openVolume(t, root).Memo().Volume; got != id {
		t.Errorf("the id is %q, want %q", got, id)
	}
}

// A memo that cannot be read must not become a new one: the agent would forget whom it promised what.
func TestBrokenMemoIsAnError(t *testing.T) {
	root := t.TempDir()
	openVolume(t, root)
	if err := os.WriteFile(filepath.Join(root, "agent", "memo.json"), []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if v, err := OpenVolume(root); err == nil {
		t.Errorf("it was opened as %+v", v.Memo())
	}
}

func TestEmpty(t *testing.T) {
	v := openVolume(t, t.TempDir())
	ask := func() bool {
		e, err := v.Empty()
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if !ask() {
		t.Error("a new volume is not empty")
	}
	if err := os.MkdirAll(v.Path("data.new"), 0o700); err != nil {
		t.Fatal(err)
	}
	if !ask() {
		t.Error("a first start that was cut off counts as data")
	}
	if err := os.MkdirAll(filepath.Join(v.Data(), "mysql"), 0o700); err != nil {
		t.Fatal(err)
	}
	if ask() {
		t.Error("a volume with data is empty")
	}
}

func TestGrastate(t *testing.T) {
	v := openVolume(t, t.TempDir())
	if err := os.MkdirAll(v.Data(), 0o700); err != nil {
		t.Fatal(err)
	}
	g, err := v.readGrastate()
	if err != nil || g.Known() {
		t.Errorf("without a file: %+v, %v", g, err)
	}
	p := Position{UUID: ours, Seqno: 42}
	if err := v.allowBootstrap(p); err != nil {
		t.Fatal(err)
	}
	if g, err = v.readGrastate(); err != nil || g.Position != p || !g.SafeToBootstrap {
		t.Errorf("got %+v, %v", g, err)
	}
	crashed := "# GALERA saved state\nversion: 2.1\nuuid:    " + ours + "\nseqno:   -1\nsafe_to_bootstrap: 0\n"
	if err := os.WriteFile(filepath.Join(v.Data(), "grastate.dat"), []byte(crashed), 0o600); err != nil {
		t.Fatal(err)
	}
	if g, err = v.readGrastate(); err != nil || g.Known() || g.UUID != ours || g.SafeToBootstrap {
		t.Errorf("after a crash: %+v, %v", g, err)
	}
}
