package devceph_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A client that is taken out loses its key, the last one, too. The monitors refuse to import nothing.
func TestClientsThatAreTakenOutLoseTheirKeys(t *testing.T) {
	for name, c := range map[string]struct {
		keyring string
		want    []string
	}{
		"one stays":  {"[client.cinder]\n\tkey = AQ==\n", []string{"auth import", "auth rm client.glance"}},
		"none stays": {"", []string{"auth rm client.cinder", "auth rm client.glance"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, changed(t, c.keyring)); diff != "" {
				t.Errorf("what Ceph was asked to change (-want +got):\n%s", diff)
			}
		})
	}
}

// changed runs the script on a Ceph that knows two clients, and tells what it was asked to change.
func changed(t *testing.T, keyring string) (out []string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("clients", keyring)
	write("rbd", "#!/bin/sh\n")
	write("ceph", `#!/bin/sh
cd "${0%/*}" && shift
case "$*" in
"auth ls") printf '%s\n' osd.0 client.admin client.bootstrap-osd client.cinder client.glance ;;
"auth import -i "*)
	[ -s clients ] || { echo "auth import: no data supplied" >&2; exit 22; }
	echo auth import >> changes ;;
"auth rm "*) echo "$*" >> changes ;;
esac
`)
	script, err := os.ReadFile("content.sh")
	if err != nil {
		t.Fatal(err)
	}
	here := strings.ReplaceAll(string(script), "/etc/ceph/clients", filepath.Join(dir, "clients"))
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", here, "content", "volumes")
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	changes, err := os.ReadFile(filepath.Join(dir, "changes"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(changes)), "\n")
}
