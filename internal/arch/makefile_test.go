package arch

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// lookalike is a folder with our Makefile, and with little files in place of all others.
type lookalike struct {
	*testing.T
	dir string
}

func newLookalike(t *testing.T) lookalike {
	t.Helper()
	l := lookalike{t, t.TempDir()}
	l.write("Makefile", string(readFile(t, "Makefile")))
	return l
}

// write makes a file that is older than all that make makes; a script can be run.
func (l lookalike) write(name, content string) {
	l.Helper()
	path := filepath.Join(l.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		l.Fatal(err)
	}
	mode := os.FileMode(0o600)
	if strings.HasPrefix(content, "#!") {
		mode = 0o700
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		l.Fatal(err)
	}
	l.age(name, time.Hour)
}

// age sets how long ago a file was written.
func (l lookalike) age(name string, ago time.Duration) {
	l.Helper()
	then := time.Now().Add(-ago)
	if err := os.Chtimes(filepath.Join(l.dir, name), then, then); err != nil {
		l.Fatal(err)
	}
}

// make runs make with a folder of its own for caches, and without what the make that runs tests was told about them.
func (l lookalike) make(args ...string) (string, error) {
	cmd := exec.CommandContext(l.Context(), "make", args...)
	cmd.Dir = l.dir
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(l.dir, "cache"), "STACKWRIGHT_CACHE=", "MAKEFLAGS=",
		"GOLANGCI_LINT_CACHE=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A cluster can be taken down by the programs that brought it up, also when the sources do not compile any more.
func TestDownBuildsNothingThatIsThere(t *testing.T) {
	l := newLookalike(t)
	l.write("bin/stackwright", "#!/bin/sh\necho \"$*\" >asked\n")
	l.write("bin/devcluster", "#!/bin/sh\n")
	l.write("go.mod", "this is no module")
	if out, err := l.make("down"); err != nil {
		t.Errorf("make down fails: %v\n%s", err, out)
	}
	if asked, _ := os.ReadFile(filepath.Join(l.dir, "asked")); string(asked) != "down\n" {
		t.Errorf("stackwright was asked for %q", asked)
	}
}

// Of what was made, clean leaves what is Go's. Linters keep what they know of packages in a cache, too.
func TestCleanLeavesNoCachesButGos(t *testing.T) {
	l := newLookalike(t)
	for _, name := range []string{"tools/go.mod", "tools/go.sum", "kit/go.mod", "devcluster/coredns/go.mod",
		"cache/stackwright/layers/base", "cache/go-build/object", "artifacts/up.svg"} {
		l.write(name, "")
	}
	for _, name := range []string{"stackwright", "devcluster", "controller-gen", "crd-ref-docs"} {
		l.write("bin/"+name, "#!/bin/sh\n")
	}
	l.write("bin/golangci-lint", "#!/bin/sh\ncache=${GOLANGCI_LINT_CACHE:-$XDG_CACHE_HOME/golangci-lint}\n"+
		"mkdir -p \"$cache\" && echo known >\"$cache/package\" && echo linted >>linted\n")
	for _, target := range []string{"lint", "clean"} {
		if out, err := l.make(target); err != nil {
			t.Fatalf("make %s fails: %v\n%s", target, err, out)
		}
	}
	var left []string
	err := fs.WalkDir(os.DirFS(l.dir), ".", func(path string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			left = append(left, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Makefile", "cache/go-build/object", "devcluster/coredns/go.mod", "devcluster/coredns/linted",
		"devcluster/linted", "kit/go.mod", "kit/linted", "linted", "tools/go.mod", "tools/go.sum", "tools/linted"}
	if !slices.Equal(left, want) {
		t.Errorf("make clean leaves\n%q, want\n%q", left, want)
	}
}

// A second make up is over in seconds because nothing is built again that did not change.
func TestBuildIsMadeOnce(t *testing.T) {
	l := newLookalike(t)
	builds := map[string]bool{
		"go.mod": true, "go.sum": true, "api/a.go": true, "kit/a.go": true, "internal/a.yaml": true, "charts/a.yaml": true,
		"devcluster/go.mod": true, "devcluster/go.sum": true, "devcluster/main.go": true, "devcluster/internal/a.go": true,
		"devcluster/coredns/main.go": true, "devcluster/containerd/go.mod": true, "devcluster/containerd/go.sum": true,
		"kit/a_test.go": false, "kit/README.md": false, "internal/testdata/a.yaml": false, "tools/a.go": false,
		"test/a.go": false,
	}
	for name := range builds {
		l.write(name, "")
	}
	l.write("bin/go", "#!/bin/sh\n")
	if out, err := l.make("build"); err != nil {
		t.Fatalf("make build fails: %v\n%s", err, out)
	}
	if out, err := l.make("-q", "build"); err != nil {
		t.Fatalf("a second make build has something to do: %v\n%s", err, out)
	}
	for name, want := range builds {
		l.age(name, -time.Minute)
		if out, err := l.make("-q", "build"); (err != nil) != want {
			t.Errorf("with a new %s make build has something to do: %t, want %t\n%s", name, err != nil, want, out)
		}
		l.age(name, time.Hour)
	}
}

// CI runs what README tells people to run.
func TestCIRunsTheTestOfReadme(t *testing.T) {
	const command = "make test"
	if run := string(readFile(t, ".ci/run")); !strings.HasSuffix(run, "\nexec "+command+" </dev/null\n") {
		t.Errorf(".ci/run does not end in exec %s but in %q", command, run[max(0, len(run)-40):])
	}
	if !regexp.MustCompile("(?m)^" + command + " +# ").Match(readFile(t, "README.md")) {
		t.Errorf("README.md does not tell to run %s", command)
	}
}
