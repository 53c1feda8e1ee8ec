// Command generate writes what follows from the descriptors of resource kinds: the Go types, from which the CRDs are
// made, the page of each kind, and the rights of the controllers.
//
//	go run ./internal/resources/generate ROOT
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"stackwright.dev/stackwright/internal/resources/kinds"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate ROOT, where ROOT is the top of the repository")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	files, err := render(kinds.Served())
	if err != nil {
		return err
	}
	var errs []error
	for path, content := range files {
		errs = append(errs, write(filepath.Join(root, path), content))
	}
	return errors.Join(append(errs, prune(root, files))...)
}

// write leaves files alone that are as they should be, so that make sees no change.
func write(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == string(content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of a generated file: %w", err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("writing a generated file: %w", err)
	}
	return nil
}

// prune removes files that an earlier run has made of kinds that are gone, and the CRDs of these.
func prune(root string, files map[string][]byte) error {
	plurals := map[string]bool{}
	for _, k := range kinds.Served() {
		plurals[k.Plural] = true
	}
	for _, pattern := range []string{types + "/zz_generated.*.go", pages + "/*.md", crds + "/" + group + "_*.yaml"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return fmt.Errorf("looking for files of kinds that are gone: %w", err)
		}
		for _, path := range found {
			content, err := os.ReadFile(path)
			if err != nil {
				return fmt.Errorf("looking for files of kinds that are gone: %w", err)
			}
			plural := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), ".yaml"), group+"_")
			if !ours(content) || plurals[plural] || files[relative(root, path)] != nil {
				continue
			}
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("removing the file of a kind that is gone: %w", err)
			}
		}
	}
	return nil
}

// ours tells files that follow from descriptors from those that people and other tools write.
func ours(content []byte) bool {
	text := string(content)
	return strings.Contains(text, banner) ||
		strings.Contains(text, label+": ") && !strings.Contains(text, label+": "+anyService+"\n")
}

func relative(root, path string) string {
	// The path comes from a pattern below root.
	rel, _ := filepath.Rel(root, path)
	return filepath.ToSlash(rel)
}
