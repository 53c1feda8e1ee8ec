package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A cluster can be taken down by the programs that brought it up, also when the sources do not compile any more.
func TestDownBuildsNothingThatIsThere(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, mode os.FileMode, content []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, mode); err != nil {
			t.Fatal(err)
		}
	}
	write("Makefile", 0o600, readFile(t, "Makefile"))
	write("bin/stackwright", 0o700, []byte("#!/bin/sh\necho \"$*\" >asked\n"))
	write("bin/devcluster", 0o700, []byte("#!/bin/sh\n"))
	write("go.mod", 0o600, []byte("this is no module"))
	down := exec.CommandContext(t.Context(), "make", "down")
	down.Dir = dir
	if out, err := down.CombinedOutput(); err != nil {
		t.Errorf("make down fails: %v\n%s", err, out)
	}
	if asked, _ := os.ReadFile(filepath.Join(dir, "asked")); string(asked) != "down\n" {
		t.Errorf("stackwright was asked for %q", asked)
	}
}
