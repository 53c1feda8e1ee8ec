package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	charts    = "charts"
	operator  = charts + "/stackwright-operator"
	crds      = operator + "/crds"
	roles     = operator + "/files/roles"
	reference = "docs/reference"
	pages     = "docs/kinds"
)

// commands returns all runs, in order: the types of resource kinds come first, because they are made themselves. A new
// API group needs no change here; a new module does.
func commands(root string) []command {
	list := []command{
		{".", []string{"go", "run", "./internal/resources/generate", "."}},
		{".", []string{"controller-gen", "object", "paths=./api/..."}},
		{".", []string{"controller-gen", "crd:ignoreUnexportedFields=true", "paths=./api/...", "output:crd:dir=" + crds}},
		{"kit", []string{"controller-gen", "object", "paths=./owner/..."}},
	}
	for _, example := range glob(root, "kit/examples/*/api") {
		name := filepath.Base(filepath.Dir(example))
		list = append(list, command{"kit", []string{"controller-gen", "object", "crd",
			"paths=./examples/" + name + "/api/...", "output:crd:dir=examples/" + name + "/crd"}})
	}
	for _, group := range groups(root) {
		list = append(list, command{".", []string{"crd-ref-docs", "--renderer=markdown", "--max-depth=20",
			"--source-path=api/" + group, "--config=" + reference + "/config.yaml",
			"--output-path=" + reference + "/" + group + ".md"}})
	}
	return list
}

// groups returns the folders of api/ that hold kinds.
func groups(root string) []string {
	names := map[string]bool{}
	for _, f := range glob(root, "api/*/v*/register.go") {
		names[filepath.Base(filepath.Dir(filepath.Dir(f)))] = true
	}
	return slices.Sorted(maps.Keys(names))
}

func glob(root, pattern string) []string {
	// The only error is that of a wrong pattern, and patterns are constants here.
	found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	return found
}

// tops are the folders below which files are generated.
var tops = []string{"api", "kit", charts, reference, pages}

// times returns when each file and folder below the tops was changed last.
func times(root string) (map[string]time.Time, error) {
	all := map[string]time.Time{}
	for _, top := range tops {
		err := filepath.WalkDir(filepath.Join(root, top), func(file string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, file)
			all[rel] = info.ModTime()
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("looking at %s: %w", top, err)
		}
	}
	return all, nil
}

// restore gives files, and folders of files, that were written anew and are the same the times they had: make would
// build again what is made of them, and Go would play each test again that reads one.
func restore(root string, before map[string]time.Time, changed []string) error {
	now, err := times(root)
	if err != nil {
		return err
	}
	for file, at := range now {
		old, ok := before[file]
		if !ok || old.Equal(at) || slices.ContainsFunc(changed, func(c string) bool {
			return c == file || strings.HasPrefix(c, file+string(filepath.Separator))
		}) {
			continue
		}
		if err := os.Chtimes(filepath.Join(root, file), old, old); err != nil {
			return fmt.Errorf("restoring the time of %s: %w", file, err)
		}
	}
	return nil
}

// snapshot returns the content of every generated file by its path below root.
func snapshot(root string) (map[string]string, error) {
	files := map[string]string{}
	for _, top := range tops {
		err := filepath.WalkDir(filepath.Join(root, top), func(file string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			rel, _ := filepath.Rel(root, file)
			if err != nil || d.IsDir() || !generated(filepath.ToSlash(rel)) {
				return err
			}
			content, err := os.ReadFile(file)
			files[rel] = string(content)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// generated tells of a path below the top of the repository whether the file is made here.
func generated(file string) bool {
	folder, name := path.Dir(file), path.Base(file)
	switch {
	case strings.HasSuffix(folder, reference), strings.HasSuffix(folder, pages):
		return strings.HasSuffix(name, ".md")
	case strings.HasSuffix(folder, "/crds"), strings.HasSuffix(folder, "/crd"), strings.HasSuffix(folder, roles):
		return strings.HasSuffix(name, ".yaml")
	case strings.HasPrefix(folder, charts+"/"):
		return !strings.HasPrefix(folder, operator)
	}
	return strings.HasPrefix(name, "zz_generated")
}

// difference returns the paths whose content is not the same, sorted.
func difference(a, b map[string]string) []string {
	changed := map[string]bool{}
	for path := range a {
		if a[path] != b[path] {
			changed[path] = true
		}
	}
	for path := range b {
		if _, ok := a[path]; !ok {
			changed[path] = true
		}
	}
	return slices.Sorted(maps.Keys(changed))
}
