package cli

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os/exec"
	"slices"
	"strings"

	utilexec "k8s.io/client-go/util/exec"
)

// The exit codes, as the help of stackwright and docs/cli.md list them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNo          = 3
	exitUnreachable = 4
	exitTimeout     = 5
	exitInterrupted = 130
)

// answer is an error that is no failure: the command did its work and the answer is no. What there is to say is said.
type answer struct{ code int }

// Error is never shown.
func (a *answer) Error() string { return "the answer is no" }

func no() error { return &answer{exitNo} }

// misuse is an error in how the command was called.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

func usage(err error) error { return misuse{err} }

// timeout is a wait that took too long.
type timeout struct{ error }

func (t timeout) Unwrap() error { return t.error }

// said tells whether everything there is to say about an error is on the terminal already: an answer was printed, or a
// program in a pod told why it failed.
func said(err error) bool {
	if _, ok := errors.AsType[*answer](err); ok {
		return true
	}
	_, ok := errors.AsType[utilexec.CodeExitError](err)
	return ok
}

// code turns the error of a command into an exit code.
func code(ctx context.Context, err error) int {
	if err == nil {
		return exitDone
	}
	if a, ok := errors.AsType[*answer](err); ok {
		return a.code
	}
	if e, ok := errors.AsType[utilexec.CodeExitError](err); ok {
		return e.Code
	}
	if e, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		return max(e.ExitCode(), exitFailed)
	}
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case isMisuse(err):
		return exitUsage
	case isTimeout(err):
		return exitTimeout
	case unreachable(err):
		return exitUnreachable
	}
	return exitFailed
}

// isMisuse also knows cobra's own errors, which have no type.
func isMisuse(err error) bool {
	if _, ok := errors.AsType[misuse](err); ok {
		return true
	}
	text := err.Error()
	starts := []string{"unknown command", "unknown flag", "required flag", "accepts ", "requires at least"}
	return slices.ContainsFunc(starts, func(s string) bool { return strings.HasPrefix(text, s) })
}

func isTimeout(err error) bool {
	_, ok := errors.AsType[timeout](err)
	return ok || errors.Is(err, context.DeadlineExceeded)
}

// unreachable tells whether the API server could not be asked at all.
func unreachable(err error) bool {
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return true
	}
	if _, ok := errors.AsType[noCluster](err); ok {
		return true
	}
	u, ok := errors.AsType[*url.Error](err)
	return ok && u.Op != ""
}
