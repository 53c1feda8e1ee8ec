package apt

import (
	"os"
	"path/filepath"
	"testing"
)

// On a bare machine two programs of ours install packages at the same time, and one has the lock of the lists first.
func TestALockedAptIsAwaited(t *testing.T) {
	folder := t.TempDir()
	script := "#!/bin/sh\n[ -e " + folder + "/tried ] && exit 0\n: >" + folder + "/tried\n" +
		"echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 42 (apt-get)' >&2; exit 100\n"
	if err := os.WriteFile(filepath.Join(folder, "apt-get"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	if err := aptGet(t.Context(), "update"); err != nil {
		t.Errorf("who waits for the lock gets %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "apt-get"), []byte("#!/bin/sh\nexit 100\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := aptGet(t.Context(), "update"); err == nil {
		t.Error("another failure is not told")
	}
}
