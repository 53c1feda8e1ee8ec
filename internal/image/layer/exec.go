package layer

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Exec runs a program inside the given layers, of which the lowest comes first, and returns what it prints. Nothing
// that it writes is kept.
func Exec(ctx context.Context, layers []*Built, stdin string, program ...string) ([]byte, error) {
	script, err := recipe.ReadFile("recipe/exec.sh")
	if err != nil {
		return nil, fmt.Errorf("reading the recipe: %w", err)
	}
	dir, err := os.MkdirTemp("", "stackwright-exec-")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	defer os.Remove(dir)
	args := append([]string{"-c", string(script), "exec.sh", dir, lowers(layers)}, program...)
	cmd := exec.CommandContext(ctx, "/bin/sh", args...)
	cmd.SysProcAttr = namespaces()
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("running %s: %w: %s", program[0], err, lastLine(stderr.String()))
	}
	return stdout.Bytes(), nil
}

// lowers is the layers' part of overlayfs' options, which wants the highest first.
func lowers(layers []*Built) string {
	found := roots(layers)
	slices.Reverse(found)
	return strings.Join(found, ":")
}

func roots(layers []*Built) []string {
	found := make([]string, len(layers))
	for i, l := range layers {
		found[i] = l.Root()
	}
	return found
}

func lastLine(text string) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return all[len(all)-1]
}
