package cli

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Without a cluster it is the machine that is looked at. That of a test has no devcluster beside the program.
func TestPreflightOfTheMachine(t *testing.T) {
	home(t, t.TempDir())
	r := run(t, "", "preflight").want(t, exitNo, "devcluster is not there; build it: make build")
	var names []string
	for line := range strings.Lines(r.out) {
		names = append(names, strings.Fields(line)[1])
	}
	if got := strings.Join(names, " "); got != "user memory disk cpu programs" {
		t.Errorf("it tells of %s", got)
	}
}

func TestMachineChecks(t *testing.T) {
	dir := t.TempDir()
	meminfo := func(text string) string {
		file := filepath.Join(dir, "meminfo")
		must(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	gib := func(n string) string { return meminfo("MemTotal: 99999999 kB\nMemAvailable:   " + n + " kB\n") }
	for name, c := range map[string]struct {
		got          check
		state, tells string
	}{
		"root":             {checkRoot(0), checkOK, "root"},
		"somebody":         {checkRoot(1000), checkFailed, "you are not root; run it with sudo"},
		"7 GiB":            {checkMemory(gib("7340032")), checkOK, "7.0 GiB available"},
		"less than 7":      {checkMemory(gib("7340031")), checkWarning, "wants 7 GiB of available memory"},
		"4 GiB":            {checkMemory(gib("4194304")), checkWarning, "4.0 GiB available"},
		"less than 4":      {checkMemory(gib("4194303")), checkFailed, "with Keystone only 4"},
		"memory untold":    {checkMemory(meminfo("MemTotal: 1 kB\n")), checkWarning, "how much memory is available"},
		"memory unread":    {checkMemory(dir + "/missing"), checkWarning, "reading how much memory there is"},
		"room":             {checkDisk(dir, 1), checkOK, "GiB free in " + dir},
		"no room":          {checkDisk(dir, math.MaxInt64), checkFailed, "free some: images and volumes need 8 GiB"},
		"no folder":        {checkDisk(dir+"/missing", 1), checkWarning, "no such file"},
		"cores":            {checkCPU(2), checkOK, "2 "},
		"one core":         {checkCPU(1), checkWarning, "two cores are the least"},
		"no devcluster":    {checkPrograms(errors.New("gone")), checkFailed, "make build"},
		"all programs":     {checkPrograms(nil, dir), checkOK, "devcluster and what it needs"},
		"missing programs": {checkPrograms(nil, dir, dir+"/a", dir+"/b"), checkWarning, "a, b not installed; up"},
	} {
		t.Run(name, func(t *testing.T) {
			if text := c.got.Message + "; " + c.got.Do; c.got.State != c.state || !strings.Contains(text, c.tells) {
				t.Errorf("it is %s: %s, want %s and %q", c.got.State, text, c.state, c.tells)
			}
		})
	}
}

// devcluster is a module of its own, and its list of what it installs is read, not imported.
func TestPreflightLooksForWhatDevclusterInstalls(t *testing.T) {
	source, err := os.ReadFile("../../devcluster/internal/machine/package.go")
	must(t, err)
	var want []string
	need := regexp.MustCompile(`(?m)^\t\t\{"[a-z0-9-]+", "(/\S+)"\},$`)
	for _, m := range need.FindAllStringSubmatch(string(source), -1) {
		want = append(want, m[1])
	}
	if len(want) == 0 || !slices.Equal(programs, want) {
		t.Errorf("preflight looks for %q, and devcluster for %q", programs, want)
	}
}
