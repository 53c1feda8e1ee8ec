//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sys/unix"
)

const linkedPod = `
apiVersion: v1
kind: Pod
metadata: {name: linked}
spec:
  nodeSelector: {kubernetes.io/hostname: node-1}
  terminationGracePeriodSeconds: 1
  containers: [{name: probe, image: "localhost/linked:1", command: [/probe]}]
`

// Layers that a layout has unpacked are linked, not copied: the layout of this story has no archive of them. What an
// upper layer takes away from the lower one is gone.
func TestUnpackedLayersAreLinked(t *testing.T) {
	program, err := os.ReadFile(probeProgram(filepath.Dir(os.Getenv("PROBE_LAYOUT"))))
	if err != nil {
		t.Fatal(err)
	}
	// A link needs both on one file system.
	dir := filepath.Join("/var/lib/devcluster", shared, "linked")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	lower, upper := filepath.Join(dir, "lower"), filepath.Join(dir, "upper")
	for path, content := range map[string]string{"probe": string(program), "opt/a": "", "opt/b": "", "srv/c": ""} {
		put(t, filepath.Join(lower, path), content)
	}
	put(t, filepath.Join(upper, "srv/d"), "")
	put(t, filepath.Join(upper, "opt/e"), "")
	for _, err := range []error{
		unix.Mknod(filepath.Join(upper, "opt/a"), unix.S_IFCHR, 0),
		unix.Setxattr(filepath.Join(upper, "srv"), "trusted.overlay.opaque", []byte("y"), 0),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	folder := layout(dir)
	err = writeLayout(folder, "localhost/linked:1", unpacked(t, folder, lower), unpacked(t, folder, upper))
	if err != nil {
		t.Fatal(err)
	}
	if said := devcluster(t, "load", "--name", shared, folder); strings.Count(said, "loaded on") != 2 {
		t.Errorf("load prints %q", said)
	}
	apply := command("kubectl", "--name", shared, "apply", "-f", "-")
	apply.Stdin = strings.NewReader(linkedPod)
	if err := quiet(apply); err != nil {
		t.Fatal(err)
	}
	defer kubectl(t, shared, "delete", "pod", "linked", "--wait=false")
	kubectl(t, shared, "wait", "--for=condition=Ready", "pod/linked", "--timeout=60s")
	address := kubectl(t, shared, "get", "pod", "linked", "-o", "jsonpath={.status.podIP}") + ":8080"
	for folder, want := range map[string]string{"/opt": "b e", "/srv": "d"} {
		if got := answers(t, address, "/list?folder="+folder); got != want {
			t.Errorf("%s has %q, want %q", folder, got, want)
		}
	}
	var has unix.Stat_t
	if err := unix.Stat(filepath.Join(lower, "probe"), &has); err != nil {
		t.Fatal(err)
	}
	if has.Nlink != 3 {
		t.Errorf("the program has %d names, want one here and one on each of two nodes", has.Nlink)
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

// unpacked says in a layout where a layer is unpacked, and describes the archive that it does not have.
func unpacked(t *testing.T, folder, root string) ocispec.Descriptor {
	t.Helper()
	id := digest.FromString(root)
	link := filepath.Join(folder, "unpacked", "sha256", id.Encoded())
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	return ocispec.Descriptor{MediaType: ocispec.MediaTypeImageLayer, Digest: id, Size: 1}
}
