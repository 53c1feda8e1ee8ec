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
	fake := "#!/bin/sh\ncat <<'EOT'\n" + played + "EOT\nexit $CODE\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
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
