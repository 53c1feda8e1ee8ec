package agent

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Output runs a program and returns what it prints, without spaces around it. Errors have what it says beside that:
// those of Open vSwitch warn there of a connection that they make anew.
func Output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		out = append(out, e.Stderr...)
	}
	return "", fmt.Errorf("running %s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
}
