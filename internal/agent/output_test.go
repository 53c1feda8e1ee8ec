package agent

import (
	"strings"
	"testing"
)

// What a program says beside what it prints is no part of that, and is told when the program fails.
func TestOutput(t *testing.T) {
	got, err := Output(t.Context(), "sh", "-c", `echo '{"data":[]}'; echo 'WARN|connection attempt failed' >&2`)
	if err != nil || got != `{"data":[]}` {
		t.Errorf("the output is %q, %v", got, err)
	}
	got, err = Output(t.Context(), "sh", "-c", "echo half; echo no such row >&2; exit 3")
	if err == nil || got != "" {
		t.Fatalf("the output of what fails is %q, %v", got, err)
	}
	for _, part := range []string{"running sh -c", "exit status 3", "half", "no such row"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q: %v", part, err)
		}
	}
	if _, err := Output(t.Context(), "there-is-no-such-program"); err == nil {
		t.Error("what does not exist has run")
	}
}
