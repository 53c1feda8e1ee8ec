// Command generate writes the templates of charts that need no operator.
//
//	go run ./internal/standalone/generate ROOT
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"stackwright.dev/stackwright/internal/standalone"
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
	for _, c := range standalone.Charts() {
		file := "service.stackwright.dev_" + strings.ToLower(c.Kind) + "s.yaml"
		text, err := os.ReadFile(filepath.Join(root, "charts/stackwright-operator/crds", file))
		if err != nil {
			return fmt.Errorf("reading the kind of chart %s: %w", c.Name, err)
		}
		crd := map[string]any{}
		if err := yaml.Unmarshal(text, &crd); err != nil {
			return fmt.Errorf("reading %s: %w", file, err)
		}
		out, err := standalone.Template(context.Background(), c, crd)
		if err != nil {
			return err
		}
		path := filepath.Join(root, "charts", c.Name, "templates/standalone.yaml")
		if err := os.WriteFile(path, []byte(out), 0o600); err != nil {
			return fmt.Errorf("writing a template: %w", err)
		}
	}
	return nil
}
