package arch

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	maxFileLines     = 500
	maxFunctionLines = 60
	maxCommandLines  = 150
	maxExemptions    = 20
	maxMakefileLines = 120
	maxKitLines      = 7000 // ADR 0040
	maxServiceLines  = 450
)

// parse reads a Go file below root.
func parse(t *testing.T, path string) (*token.FileSet, *ast.File) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, readFile(t, path), parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return set, f
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	for _, path := range goFiles(t) {
		lines := bytes.Count(readFile(t, path), []byte("\n"))
		if lines > maxFileLines {
			t.Errorf("%s has %d lines, at most %d; split it by noun", path, lines, maxFileLines)
		}
		set, f := parse(t, path)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := height(set, fn); n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, at most %d; extract the parts that have a name", path, fn.Name, n, maxFunctionLines)
			}
		}
	}
}

func TestMakefileIsShort(t *testing.T) {
	if n := bytes.Count(readFile(t, "Makefile"), []byte("\n")); n > maxMakefileLines {
		t.Errorf("the Makefile has %d lines, at most %d; what a target does belongs into a program or a script", n,
			maxMakefileLines)
	}
}

func TestKitIsSmall(t *testing.T) {
	lines := 0
	for _, path := range goFiles(t) {
		if !strings.HasPrefix(path, "kit/") || strings.HasPrefix(path, "kit/kittest/") ||
			strings.HasPrefix(path, "kit/examples/") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		lines += code(t, path)
	}
	t.Logf("an operator links %d lines of the kit", lines)
	if lines > maxKitLines || lines < maxKitLines/2 {
		t.Errorf("the kit has %d lines of code, at most %d; take something out first", lines, maxKitLines)
	}
}

// large are the services that need more than maxServiceLines, with how much they may have.
var large = map[string]int{
	"glance": 600, // four kinds of stores, of which two need patches of their drivers
	"nova":   700, // two kinds: the service and its cells
}

// A service is data: what many of them need belongs into internal/service, which all share.
func TestServicesAreSmall(t *testing.T) {
	lines := map[string]int{}
	for _, path := range goFiles(t) {
		within, ok := strings.CutPrefix(path, "internal/services/")
		if name, _, is := strings.Cut(within, "/"); ok && is && !strings.HasSuffix(path, "_test.go") {
			lines[name] += code(t, path)
		}
	}
	if len(lines) == 0 {
		t.Fatal("there is no service in internal/services")
	}
	for name, n := range lines {
		if most := cmp.Or(large[name], maxServiceLines); n > most {
			t.Errorf("internal/services/%s has %d lines of code, at most %d; share what others have, too", name, n, most)
		}
	}
	for name := range large {
		if lines[name] <= maxServiceLines {
			t.Errorf("internal/services/%s has %d lines of code and needs no exception any more; take it out", name, lines[name])
		}
	}
}

// code is the number of lines of a file that are neither empty nor comments.
func code(t *testing.T, path string) int {
	t.Helper()
	lines := 0
	for line := range strings.Lines(string(readFile(t, path))) {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "//") {
			lines++
		}
	}
	return lines
}

// height is the number of lines of a node.
func height(set *token.FileSet, n ast.Node) int {
	return set.Position(n.End()).Line - set.Position(n.Pos()).Line + 1
}

func TestCommandsOnlyWire(t *testing.T) {
	lines := map[string]int{}
	for _, path := range goFiles(t) {
		if strings.HasPrefix(path, "cmd/") && !strings.HasSuffix(path, "_test.go") {
			lines[filepath.Dir(path)] += bytes.Count(readFile(t, path), []byte("\n"))
		}
	}
	for dir, n := range lines {
		if n > maxCommandLines {
			t.Errorf("%s has %d lines, at most %d; move work to internal", dir, n, maxCommandLines)
		}
	}
}

func TestExemptionsFromLintersAreFew(t *testing.T) {
	exemption := regexp.MustCompile(`(?m)//\s?nolint\b.*$`)
	var found []string
	for _, path := range goFiles(t) {
		if strings.HasPrefix(path, "internal/arch/") || strings.HasPrefix(path, "tools/") {
			continue
		}
		for _, m := range exemption.FindAllString(string(readFile(t, path)), -1) {
			found = append(found, path+": "+m)
		}
	}
	if len(found) > maxExemptions {
		t.Errorf("%d exemptions, at most %d:\n%s", len(found), maxExemptions, strings.Join(found, "\n"))
	}
}

// calls are selector expressions that a kind of file must not have.
var calls = []struct{ selector, where, why string }{
	{"t.Skip", "_test.go", "a test runs or is not there"},
	{"t.Skipf", "_test.go", "a test runs or is not there"},
	{"t.SkipNow", "_test.go", "a test runs or is not there"},
	{"time.Sleep", "_test.go", "wait for what is to happen, with a deadline"},
}

func TestTestsNeitherSkipNorSleep(t *testing.T) {
	for _, path := range goFiles(t) {
		_, f := parse(t, path)
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			id, ok := s.X.(*ast.Ident)
			if !ok {
				return true
			}
			for _, c := range calls {
				if strings.HasSuffix(path, c.where) && c.selector == id.Name+"."+s.Sel.Name {
					t.Errorf("%s calls %s: %s", path, c.selector, c.why)
				}
			}
			return true
		})
	}
}

// make test-api plays these alone, not the package's other tests once more.
func TestThoseOfTheAPIServerAreNamedSo(t *testing.T) {
	found := 0
	for _, path := range goFiles(t) {
		if !strings.HasSuffix(path, "_test.go") || !bytes.HasPrefix(readFile(t, path), []byte("//go:build apiserver\n")) {
			continue
		}
		_, f := parse(t, path)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(fn.Name.Name, "Test") || fn.Name.Name == "TestMain" {
				continue
			}
			found++
			if !strings.HasPrefix(fn.Name.Name, "TestServer") {
				t.Errorf("%s: make test-api leaves %s out; begin its name with TestServer", path, fn.Name.Name)
			}
		}
	}
	if found == 0 {
		t.Error("no test needs an API server")
	}
}

func TestNothingRunsAtImport(t *testing.T) {
	for _, path := range goFiles(t) {
		_, f := parse(t, path)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s has an init function; call it from where it is needed", path)
			}
		}
	}
}

func TestNothingIsLeftOpen(t *testing.T) {
	// Written apart, so that this file does not find itself.
	open := regexp.MustCompile(`\b(` + "TO" + `DO|FIX` + `ME|XX` + `X)\b`)
	for _, path := range goFiles(t) {
		if m := open.Find(readFile(t, path)); m != nil {
			t.Errorf("%s says %s; do it, or open an issue", path, m)
		}
	}
}

// Text that is true on one machine only, and home folders.
var machine = regexp.MustCompile(`(?m)(^|[^\w.$}-])/(work|farm|root|home/\w+)/\S*`)

func TestTextHasNoPathsOfOneMachine(t *testing.T) {
	for _, path := range files(t, ".go", ".md", ".yaml", ".yml", ".json", ".sh", ".txt", "Makefile", "run", ".conf") {
		if m := machine.Find(readFile(t, path)); m != nil {
			t.Errorf("%s has the path %q of one machine; use one that holds everywhere", path, bytes.TrimSpace(m))
		}
	}
}
