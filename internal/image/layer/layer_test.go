package layer

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/internal/image/apt"
	"stackwright.dev/stackwright/internal/image/spec"
)

func input() *Input {
	return &Input{
		Layer: &spec.Layer{Name: "app", Parent: "base", Packages: []string{"app"},
			Users: []spec.User{{Name: "app", UID: 42000, GID: 42000, Home: "/"}},
			Files: []spec.File{{Path: "/a", Content: "x"}}, Empty: []string{"/e"}, Remove: []string{"/r"}},
		Parent:   "p",
		Codename: "trixie",
		Packages: []apt.Package{{Name: "app", Version: "1", Arch: "all", SHA256: "s"}},
		Files:    []File{{Content: []byte("x"), SHA256: "x"}},
	}
}

func TestIDDependsOnInputs(t *testing.T) {
	tests := map[string]struct {
		change func(*Input)
		same   bool
	}{
		"nothing":                          {func(*Input) {}, true},
		"parent":                           {func(in *Input) { in.Parent = "q" }, false},
		"package's version":                {func(in *Input) { in.Packages[0].Version = "2" }, false},
		"package's content":                {func(in *Input) { in.Packages[0].SHA256 = "t" }, false},
		"uid":                              {func(in *Input) { in.Layer.Users[0].UID++ }, false},
		"file's content":                   {func(in *Input) { in.Files[0].SHA256 = "y" }, false},
		"file's mode":                      {func(in *Input) { in.Layer.Files[0].Mode = "0755" }, false},
		"emptied path":                     {func(in *Input) { in.Layer.Empty[0] = "/f" }, false},
		"removed path":                     {func(in *Input) { in.Layer.Remove = nil }, false},
		"sorted file":                      {func(in *Input) { in.Layer.Sort = []string{"/s"} }, false},
		"where a file is":                  {func(in *Input) { in.Files[0].Path = "/elsewhere" }, true},
		"name":                             {func(in *Input) { in.Layer.Name = "other" }, true},
		"image configuration":              {func(in *Input) { in.Layer.Image = &spec.Image{Title: "App"} }, true},
		"sources of a layer with a parent": {func(in *Input) { in.Sources = "deb x" }, true},
	}
	want, err := input().ID()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := input()
			test.change(in)
			got, err := in.ID()
			if err != nil {
				t.Fatal(err)
			}
			if (got == want) != test.same {
				t.Errorf("address is the same: %v, want %v", got == want, test.same)
			}
		})
	}
}

func TestIDOfLowestLayerDependsOnSources(t *testing.T) {
	in := input()
	in.Layer.Parent = ""
	first, err := in.ID()
	if err != nil {
		t.Fatal(err)
	}
	in.Sources = "deb http://mirror.example/debian trixie main"
	if second, err := in.ID(); err != nil || first == second {
		t.Errorf("the address does not depend on sources: %v", err)
	}
}

// tree makes files whose times, order and names differ from run to run.
func tree(t *testing.T, offset time.Duration) string {
	t.Helper()
	root := t.TempDir()
	write := func(name string, mode os.FileMode, at time.Time) {
		path := filepath.Join(root, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(name), mode))
		must(t, os.Chmod(path, mode))
		must(t, os.Chtimes(path, at, at))
	}
	write("usr/bin/tool", 0o755, time.Unix(1000, 0))
	write("etc/made", 0o640, time.Now().Add(offset))
	must(t, os.Link(filepath.Join(root, "usr/bin/tool"), filepath.Join(root, "usr/bin/zool")))
	must(t, os.Symlink("tool", filepath.Join(root, "usr/bin/link")))
	// overlayfs says with this device that a file of a lower layer is gone.
	must(t, syscall.Mknod(filepath.Join(root, "etc/gone"), syscall.S_IFCHR, 0))
	return root
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func archive(t *testing.T, root string) (digest, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "layer.tar")
	w := &writer{root: root, epoch: time.Unix(5000, 0)}
	digest, size, err := w.write(file)
	must(t, err)
	if info, err := os.Stat(file); err != nil || info.Size() != size {
		t.Errorf("size is %d: %v", size, err)
	}
	return digest, file
}

func TestArchiveIsTheSameTwice(t *testing.T) {
	first, _ := archive(t, tree(t, 0))
	second, _ := archive(t, tree(t, time.Hour))
	if first != second {
		t.Errorf("digests are %s and %s", first, second)
	}
}

type member struct {
	Name, Link string
	Type       byte
	Mode       int64
	Time       int64
}

func TestArchive(t *testing.T) {
	_, file := archive(t, tree(t, 0))
	opened, err := os.Open(file)
	must(t, err)
	defer opened.Close()
	var got []member
	for reader := tar.NewReader(opened); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		if header.Uname != "" || header.Gname != "" {
			t.Errorf("%s has owner names", header.Name)
		}
		got = append(got, member{header.Name, header.Linkname, header.Typeflag, header.Mode, header.ModTime.Unix()})
	}
	want := []member{
		{"etc/", "", tar.TypeDir, 0o755, 5000},
		{"etc/.wh.gone", "", tar.TypeReg, 0, 5000},
		{"etc/made", "", tar.TypeReg, 0o640, 5000},
		{"usr/", "", tar.TypeDir, 0o755, 5000},
		{"usr/bin/", "", tar.TypeDir, 0o755, 5000},
		{"usr/bin/link", "tool", tar.TypeSymlink, 0o777, 5000},
		{"usr/bin/tool", "", tar.TypeReg, 0o755, 1000},
		{"usr/bin/zool", "usr/bin/tool", tar.TypeLink, 0o755, 1000},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Who takes the folder instead of the archive has the same times.
func TestFolderHasTheTimesOfItsArchive(t *testing.T) {
	root := tree(t, 0)
	archive(t, root)
	for name, want := range map[string]int64{"etc": 5000, "etc/made": 5000, "usr": 5000, "usr/bin": 5000,
		"usr/bin/link": 5000, "usr/bin/tool": 1000, "usr/bin/zool": 1000} {
		info, err := os.Lstat(filepath.Join(root, name))
		must(t, err)
		if got := info.ModTime(); !got.Equal(time.Unix(want, 0)) {
			t.Errorf("%s is of %v, want %v", name, got, time.Unix(want, 0))
		}
	}
}

func TestArchiveRefusesSockets(t *testing.T) {
	root := t.TempDir()
	must(t, syscall.Mknod(filepath.Join(root, "pipe"), syscall.S_IFIFO|0o644, 0))
	if _, _, err := (&writer{root: root}).write(filepath.Join(t.TempDir(), "layer.tar")); err == nil {
		t.Error("a pipe became part of a layer")
	}
}

func TestOpaqueOnlyOverSomething(t *testing.T) {
	lower := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(lower, "etc/app"), 0o755))
	must(t, os.WriteFile(filepath.Join(lower, "etc/file"), nil, 0o644))
	w := &writer{lower: []string{t.TempDir(), lower}}
	for name, want := range map[string]bool{"etc/app/": true, "etc/file": false, "etc/new/": false} {
		if got := w.covers(name); got != want {
			t.Errorf("covers(%q) is %v", name, got)
		}
	}
}

func scratch() *Input {
	return &Input{
		Layer: &spec.Layer{Name: "tool",
			Users: []spec.User{{Name: "tool", UID: os.Getuid(), GID: os.Getgid(), Home: "/home/tool"}},
			Files: []spec.File{{Path: "/usr/bin/tool", Mode: "0755", Content: "x"}}},
		Files:     []File{{Content: []byte("x"), SHA256: "x"}},
		NotBefore: 7000,
	}
}

func TestBuildKeepsLayer(t *testing.T) {
	store := &Store{Dir: filepath.Join(t.TempDir(), "layers")}
	in := scratch()
	id, err := in.ID()
	must(t, err)
	if _, ok, err := store.Get(id); ok || err != nil {
		t.Fatalf("the layer is there before it was built: %v", err)
	}
	built, err := (&Builder{Store: store}).Build(t.Context(), in, nil)
	must(t, err)
	got, ok, err := store.Get(id)
	if !ok || err != nil {
		t.Fatalf("the layer is not there: %v", err)
	}
	if diff := cmp.Diff(built, got); diff != "" {
		t.Error(diff)
	}
	if got.Epoch != 7000 {
		t.Errorf("epoch is %d", got.Epoch)
	}
	passwd, err := os.ReadFile(filepath.Join(got.Root(), "etc/passwd"))
	must(t, err)
	if len(passwd) == 0 {
		t.Error("no accounts")
	}
	info, err := os.Stat(filepath.Join(got.Root(), "usr/bin/tool"))
	if err != nil || info.Mode() != 0o755 {
		t.Errorf("the file is %v: %v", info, err)
	}
}

func TestSweepRemovesInterruptedBuilds(t *testing.T) {
	store := &Store{Dir: t.TempDir()}
	work, err := store.begin("app")
	must(t, err)
	kept := filepath.Join(store.Dir, "0123")
	must(t, os.Mkdir(kept, 0o755))
	must(t, store.Sweep())
	if _, err := os.Stat(work); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the interrupted build is still there: %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}
