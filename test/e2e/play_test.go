package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
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
`

const toldOfThem = `
FAIL	example.org/e2e	12.0s
TestBad
    bad_test.go:12: ready: 2s
    bad_test.go:30: kept logs
TestBad/node-1
    bad_test.go:20: the answer is no:
        because of the weather
`

// What failed is told at the end of a play, without what clusters printed; the whole is kept.
func TestPlayTellsWhatFailed(t *testing.T) {
	dir := t.TempDir()
	fake := "#!/bin/sh\ncat <<'EOT'\n" + played + "EOT\nexit $CODE\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]string{
		"0": played + played,
		"1": played + "\nWhat failed (the whole is in " + dir + "/stories.log)\n" + toldOfThem,
	} {
		cmd := exec.CommandContext(t.Context(), "./play", "-short")
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "ARTIFACTS="+dir, "CODE="+code)
		out, err := cmd.CombinedOutput()
		if (err == nil) != (code == "0") {
			t.Errorf("go test ended with %s and the play with %v", code, err)
		}
		if got := string(out); got != want {
			t.Errorf("code %s: it says\n%s\nwant\n%s", code, got, want)
		}
		if log, err := os.ReadFile(filepath.Join(dir, "stories.log")); err != nil || !strings.HasPrefix(want, string(log)) {
			t.Errorf("code %s: kept is %q, %v", code, log, err)
		}
	}
}
