package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is the top of the repository, as seen from this package.
const root = "../.."

// modules are the folders with a go.mod of code that we write.
var modules = []string{".", "kit", "devcluster", "devcluster/coredns", "tools"}

// tags are two sets of build tags: those of bench take the place of some of apiserver.
var tags = []string{"apiserver,e2e", "bench"}

// readFile returns the content of a file below root.
func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// files returns the paths below root of all files that people or generators commit and that end in one of suffixes.
func files(t *testing.T, suffixes ...string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (name == ".git" || name == "bin" || name == "artifacts") {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() && hasSuffix(name, suffixes) {
			rel, err := filepath.Rel(root, path)
			list = append(list, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatalf("found no file that ends in %s", strings.Join(suffixes, " or "))
	}
	return list
}

func hasSuffix(name string, suffixes []string) bool {
	for _, s := range suffixes {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// goFiles returns the Go files that people write.
func goFiles(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, path := range files(t, ".go") {
		if !strings.HasPrefix(filepath.Base(path), "zz_generated") {
			list = append(list, path)
		}
	}
	return list
}

// goPackage is what go list tells about a package.
type goPackage struct {
	ImportPath   string
	Name         string
	Dir          string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// packages lists the packages of the modules that we write, once for each set of build tags.
func packages(t *testing.T) []goPackage {
	t.Helper()
	var list []goPackage
	for _, m := range modules {
		for _, set := range tags {
			list = append(list, packagesOf(t, m, set)...)
		}
	}
	return list
}

// packagesOf lists the packages of a module with what their files import that have a set of build tags or none.
func packagesOf(t *testing.T, module, set string) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-tags="+set,
		"-json=ImportPath,Name,Dir,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = filepath.Join(root, module)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("listing packages of module %s: %v", module, err)
	}
	var list []goPackage
	d := json.NewDecoder(bytes.NewReader(out))
	for {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("reading the packages of module %s: %v", module, err)
		}
		list = append(list, p)
	}
}
