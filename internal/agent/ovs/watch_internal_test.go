package ovs

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// northd stands for a daemon that has an answer to each command.
type northd struct {
	mu      sync.Mutex
	answers map[string]string
	asked   []string
}

func (n *northd) serve(t *testing.T) (socket string) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "northd.ctl")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			var q struct{ Method string }
			_ = json.NewDecoder(c).Decode(&q)
			n.mu.Lock()
			n.asked = append(n.asked, q.Method)
			_, _ = fmt.Fprintf(c, `{"id":0,"result":%q,"error":null}`, n.answers[q.Method])
			n.mu.Unlock()
			_ = c.Close()
		}
	}()
	return socket
}

// says sets an answer, and returns what was asked so far.
func (n *northd) says(command, answer string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers[command] = answer
	return slices.Clone(n.asked)
}

func parsed(t *testing.T, args ...string) Config {
	t.Helper()
	var c Config
	f := flag.NewFlagSet("ovs", flag.ContinueOnError)
	c.Flags(f)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return c
}

// Each question has an answer of its own, and a daemon is in service when all are right.
func TestAllQuestionsArePut(t *testing.T) {
	n := &northd{answers: map[string]string{"status": "Status: standby", "nb": "connected", "sb": "connected"}}
	c := parsed(t, "--socket="+n.serve(t), "--ask=status", "--expect=^Status: (active|standby)", "--ask=nb",
		"--expect=^connected$", "--ask=sb", "--expect=^connected$", "--remedy=reset", "--after=1h")
	look, err := c.look()
	if err != nil {
		t.Fatal(err)
	}
	if err := look(t.Context()); err != nil {
		t.Errorf("all answers are right: %v", err)
	}
	n.says("nb", "not connected")
	if err := look(t.Context()); err == nil || err.Error() != "nb says: not connected" {
		t.Errorf("the error is %v", err)
	}
	n.says("status", "Status: paused")
	n.says("nb", "connected")
	if err := look(t.Context()); err == nil || err.Error() != "status says: Status: paused" {
		t.Errorf("the error is %v", err)
	}
	n.says("sb", "not connected")
	for range 2 {
		_ = look(t.Context())
	}
	if asked := n.says("", ""); slices.Contains(asked, "reset") {
		t.Errorf("the daemon got its remedy at once: %v", asked)
	}
}

// A daemon that has had no database for long enough is told to take one that knows less than the one before: no sooner,
// and after each such time once.
func TestRemedy(t *testing.T) {
	n := &northd{answers: map[string]string{"nb": "not connected"}}
	q := &inquiry{Question: Question{Command: "nb", Remedy: "reset", After: time.Minute}, socket: n.serve(t),
		want: regexp.MustCompile("^connected$")}
	look := func(past time.Duration, want ...string) {
		t.Helper()
		if !q.wrong.IsZero() {
			q.wrong = q.wrong.Add(-past)
		}
		before := len(n.says("", ""))
		if err := q.put(t.Context()); (err == nil) != (q.right > 0) {
			t.Errorf("the error is %v", err)
		}
		if diff := cmp.Diff(want, n.says("", "")[before:]); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
	}
	look(0, "nb")
	look(59*time.Second, "nb")
	look(2*time.Second, "nb", "reset")
	look(0, "nb")
	look(59*time.Second, "nb")
	n.says("nb", "connected") // for a moment
	look(time.Second, "nb")
	n.says("nb", "not connected")
	look(time.Second, "nb", "reset")
	look(0, "nb")
	n.says("nb", "connected")
	look(time.Minute, "nb")
	look(time.Minute, "nb")
	n.says("nb", "not connected")
	look(0, "nb")
	look(59*time.Second, "nb")
}

func TestFlagsOfAQuestionComeBehindIt(t *testing.T) {
	for _, arg := range []string{"--expect=x", "--remedy=x", "--after=1m"} {
		var c Config
		f := flag.NewFlagSet("ovs", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		c.Flags(f)
		if err := f.Parse([]string{arg}); err == nil || !strings.Contains(err.Error(), "behind the --ask") {
			t.Errorf("%s: the error is %v", arg, err)
		}
	}
}
