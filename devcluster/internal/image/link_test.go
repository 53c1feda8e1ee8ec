package image

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/containerd/containerd/api/types"
	"github.com/opencontainers/go-digest"
)

// What is linked is the same file, folders are alike, and nothing of the source changes.
func TestLinkTree(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	write(t, from, map[string]string{"usr/bin/tool": "tool", "etc/private/key": "key"})
	long := time.Unix(1000, 0)
	for _, err := range []error{
		os.Symlink("nowhere", filepath.Join(from, "usr/bin/link")),
		os.Chmod(filepath.Join(from, "etc/private"), 0o2710),
		os.Chmod(filepath.Join(from, "usr/bin/tool"), 0o4755),
		os.Chtimes(filepath.Join(from, "etc/private"), long, long),
		os.Chtimes(from, long, long),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := linkTree(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"usr/bin/tool", "usr/bin/link", "etc/private/key"} {
		if !os.SameFile(lstat(t, filepath.Join(from, name)), lstat(t, filepath.Join(to, name))) {
			t.Errorf("%s is another file", name)
		}
	}
	for _, name := range []string{"", "usr", "usr/bin", "etc/private"} {
		a, b := lstat(t, filepath.Join(from, name)), lstat(t, filepath.Join(to, name))
		if os.SameFile(a, b) || a.Mode() != b.Mode() || !a.ModTime().Equal(b.ModTime()) {
			t.Errorf("folder %q is %v of %v, want one of its own that is %v of %v", name, b.Mode(), b.ModTime(), a.Mode(),
				a.ModTime())
		}
	}
	if err := linkTree(t.Context(), from, to); err == nil {
		t.Error("a tree was linked over what is there")
	}
}

func lstat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestUnpackedLayerIsFound(t *testing.T) {
	folder, root := t.TempDir(), t.TempDir()
	id := digest.FromString("a layer")
	write(t, folder, map[string]string{"index.json": "{}"})
	layout, err := OpenLayout(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer layout.Close()
	if dir := layout.unpacked(id); dir != "" {
		t.Errorf("found %s before there was anything", dir)
	}
	where := filepath.Join(folder, "unpacked", "sha256")
	if err := os.MkdirAll(where, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, filepath.Join(where, id.Encoded())); err != nil {
		t.Fatal(err)
	}
	if dir := layout.unpacked(id); dir != root {
		t.Errorf("found %q, want %s", dir, root)
	}
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	if dir := layout.unpacked(id); dir != "" {
		t.Errorf("found %s after it was removed", dir)
	}
}

func TestUpper(t *testing.T) {
	bind := &types.Mount{Type: "bind", Source: "/s/1/fs", Options: []string{"rw", "rbind"}}
	overlay := &types.Mount{Type: "overlay", Source: "overlay",
		Options: []string{"index=off", "workdir=/s/2/work", "upperdir=/s/2/fs", "lowerdir=/s/1/fs"}}
	for _, test := range []struct {
		mounts []*types.Mount
		want   string
	}{
		{[]*types.Mount{bind}, "/s/1/fs"},
		{[]*types.Mount{overlay}, "/s/2/fs"},
		{[]*types.Mount{bind, overlay}, ""},
		{[]*types.Mount{{Type: "ext4"}}, ""},
		{nil, ""},
	} {
		if got, err := upper(test.mounts); got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("upper(%v) = %q, %v, want %q", test.mounts, got, err, test.want)
		}
	}
}
