package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const played = `=== RUN   TestGood
    good_test.go:9: ready: 3s
--- PASS: TestGood (3.00s)
=== RUN   TestBad
19:30:01 deliver  an image is loaded
    bad_test.go:12: ready: 2s
=== RUN   TestBad/node-1
19:30:02 deliver  another image is loaded
    bad_test.go:20: the answer is no:
        because of the weather
19:30:03 cluster  done
=== NAME  TestBad
    bad_test.go:30: kept logs
--- FAIL: TestBad (9.00s)
    --- FAIL: TestBad/node-1 (1.00s)
FAIL
FAIL	example.org/e2e	12.0s
# example.org/machine
./machine.go:3:1: undefined: cluster
FAIL	example.org/machine [build failed]
19:30:09 cluster  gone
ok  	example.org/node	1.0s
`

const told = `TestGood
--- PASS: TestGood (3.00s)
TestBad
TestBad/node-1
--- FAIL: TestBad (9.00s)
    bad_test.go:12: ready: 2s
    bad_test.go:30: kept logs
    --- FAIL: TestBad/node-1 (1.00s)
    bad_test.go:20: the answer is no:
        because of the weather
FAIL	example.org/e2e	12.0s
# example.org/machine
./machine.go:3:1: undefined: cluster
FAIL	example.org/machine [build failed]
ok  	example.org/node	1.0s
`

const failed = `--- FAIL: TestBad (9.00s)
    --- FAIL: TestBad/node-1 (1.00s)
FAIL	example.org/e2e	12.0s
FAIL	example.org/machine [build failed]
`

// A play tells how stories end and what failed ones said, without what clusters printed; the whole is kept.
func TestPlayTellsWhatFailed(t *testing.T) {
	dir := t.TempDir()
	stub(t, dir, "cat <<'EOT'\n"+played+"EOT\nexit $CODE\n")
	clock := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d Test`)
	for name, c := range map[string]struct{ code, verbose, kept, want string }{
		"good":    {"0", "", strings.Repeat(played, 3), strings.Repeat(told, 3)},
		"bad":     {"1", "", played, told + "\nWhat failed (the whole is in " + dir + "/stories.log):\n" + failed},
		"verbose": {"0", "1", strings.Repeat(played, 3), strings.Repeat(played, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "./play", "-short")
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "ARTIFACTS="+dir, "CODE="+c.code,
				"VERBOSE="+c.verbose)
			out, err := cmd.CombinedOutput()
			if (err == nil) != (c.code == "0") {
				t.Errorf("go test ended with %s and the play with %v", c.code, err)
			}
			if got := clock.ReplaceAllString(string(out), "Test"); got != c.want {
				t.Errorf("it says\n%s\nwant\n%s", got, c.want)
			}
			log, err := os.ReadFile(filepath.Join(dir, "stories.log"))
			if err != nil || string(log) != c.kept {
				t.Errorf("kept is %q, %v", log, err)
			}
		})
	}
}

// A play of short stories ends after three hours at most, and one of all has the time that they take.
func TestPlayHasTime(t *testing.T) {
	dir := t.TempDir()
	stub(t, dir, "echo \"$@\" | grep -o 'timeout=[^ ]*'\n")
	for name, c := range map[string]struct{ argument, want string }{
		"short":    {"-short", "timeout=20m\ntimeout=3h\ntimeout=3h\n"},
		"selected": {"-run=.", "timeout=20m\ntimeout=24h\ntimeout=24h\n"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "./play", c.argument)
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "ARTIFACTS="+dir, "VERBOSE=1")
			if out, err := cmd.CombinedOutput(); string(out) != c.want || err != nil {
				t.Errorf("it says\n%s%v\nwant\n%s", out, err, c.want)
			}
		})
	}
}

// stub makes a program that plays take for go.
func stub(t *testing.T, dir, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}
