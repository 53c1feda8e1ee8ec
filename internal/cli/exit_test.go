package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilexec "k8s.io/client-go/util/exec"
)

func TestCode(t *testing.T) {
	failure := errors.New("it broke")
	for name, c := range map[string]struct {
		err  error
		want int
	}{
		"done":          {nil, exitDone},
		"failed":        {failure, exitFailed},
		"misuse":        {fmt.Errorf("calling: %w", usage(failure)), exitUsage},
		"flag of cobra": {errors.New("unknown flag: --x"), exitUsage},
		"no":            {fmt.Errorf("looking: %w", no()), exitNo},
		"unreachable":   {fmt.Errorf("asking: %w", &net.OpError{Op: "dial", Err: failure}), exitUnreachable},
		"no cluster":    {noCluster{failure}, exitUnreachable},
		"timeout":       {timeout{failure}, exitTimeout},
		"deadline":      {fmt.Errorf("waiting: %w", context.DeadlineExceeded), exitTimeout},
		"program":       {utilexec.CodeExitError{Err: failure, Code: 42}, 42},
	} {
		if got := code(t.Context(), c.err); got != c.want {
			t.Errorf("%s: the exit code of %v is %d, want %d", name, c.err, got, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := code(ctx, failure); got != exitInterrupted {
		t.Errorf("interrupted: the exit code is %d, want %d", got, exitInterrupted)
	}
}

// As a plugin of kubectl the program calls itself what people type.
func TestPluginOfKubectl(t *testing.T) {
	for program, want := range map[string]string{
		"stackwright":             "stackwright",
		"kubectl-stackwright":     "kubectl stackwright",
		"kubectl-stackwright.exe": "kubectl stackwright",
		"renamed":                 "stackwright",
	} {
		var out, errs bytes.Buffer
		a := &app{in: strings.NewReader(""), out: &out, err: &errs}
		if code := a.run(t.Context(), program, []string{"status", "--help"}); code != exitDone {
			t.Fatalf("%s ends with %d: %s", program, code, errs.String())
		}
		if !strings.Contains(out.String(), "Usage:\n  "+want+" status [flags]") {
			t.Errorf("%s calls itself:\n%s", program, out.String())
		}
	}
}

// The codes are part of the interface: the page, the help and the program say the same.
func TestCodesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/cli.md")
	must(t, err)
	var documented []int
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \| `).FindAllStringSubmatch(string(page), -1) {
		n, err := strconv.Atoi(row[1])
		must(t, err)
		documented = append(documented, n)
	}
	want := []int{exitDone, exitFailed, exitUsage, exitNo, exitUnreachable, exitTimeout, exitInterrupted}
	if fmt.Sprint(documented) != fmt.Sprint(want) {
		t.Errorf("docs/cli.md has the codes %v, the program %v", documented, want)
	}
	for _, n := range want {
		if !regexp.MustCompile(`\b` + strconv.Itoa(n) + ` [a-z]`).MatchString(longRoot) {
			t.Errorf("the help does not tell of exit code %d", n)
		}
	}
}

func TestMisuse(t *testing.T) {
	w := newWorld(t)
	for line, want := range map[string]string{
		"fly":                               `there is no command "fly"`,
		"status --colour":                   "unknown flag: --colour",
		"status -o xml":                     `output "xml" is not known; use json or yaml`,
		"status now":                        "unknown command",
		"status -w -o json":                 "-w writes text only; leave out -o json, or leave out -w",
		"why a b":                           "accepts at most 1 arg(s)",
		"render":                            "give -f with the file of the object",
		"render -f testdata/none":           "reading the object",
		"render -f testdata/bad.yaml":       "parsing OpenStackControlPlane cloud",
		"images list -o xml":                "use table, json or yaml",
		"images save keystone":              `required flag(s) "output" not set`,
		"up --timeout soon":                 "invalid argument",
		"up -f testdata/cloud.yaml":         "holds no OpenStackControlPlane with a name",
		"up -f testdata/second.yaml -n lab": "--namespace is lab and testdata/second.yaml has openstack; leave out the flag",
		"up -f testdata/second.yaml -c one": "--control-plane is one and testdata/second.yaml has second; leave out",
	} {
		if r := w.run(strings.Fields(line)...); r.code != exitUsage {
			t.Errorf("%s: the exit code is %d, want %d: %s", line, r.code, exitUsage, r.err)
		} else {
			r.want(t, exitUsage, want)
		}
	}
}

func TestUnreachable(t *testing.T) {
	home(t, t.TempDir())
	// A port that nobody listens on: the listener that had it is closed.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	l.Close()
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"nobody listens": {[]string{"--kubeconfig", kubeconfig(t, "http://"+l.Addr().String())}, "connection refused"},
		"no such file":   {[]string{"--kubeconfig", "testdata/none"}, "reading the kubeconfig: stat testdata/none"},
		"no cluster":     {nil, "no cluster is configured; start one with `stackwright up`, or give --kubeconfig"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, verb := range []string{"status", "tree", "why", "clouds-yaml"} {
				run(t, "", append([]string{verb}, c.args...)...).want(t, exitUnreachable, c.says)
			}
		})
	}
}

// What libraries say beside the errors that they return is told with -v alone.
func TestLibrariesAreQuiet(t *testing.T) {
	for verbose, want := range map[bool]bool{false: false, true: true} {
		var told strings.Builder
		a := &app{err: &told, verbose: verbose}
		a.logging()
		utilruntime.HandleError(errors.New("copying failed"))
		if got := strings.Contains(told.String(), "copying failed"); got != want {
			t.Errorf("with verbose %v it says %q", verbose, told.String())
		}
	}
}
