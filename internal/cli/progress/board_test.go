package progress

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var errBroken = errors.New("it broke")

// play has a board show two parts side by side, of which the second fails, and looks at what is written after the
// first two seconds and at the end.
func play(t *testing.T, live bool, width int) (early, end string, timings []Timing) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		pass := func(d time.Duration) {
			<-time.After(d)
			synctest.Wait()
		}
		b := New(&out, live, width)
		images := b.Start("images")
		pass(time.Second)
		cluster := b.Start("cluster")
		images.Note("building %s", "base")
		images.Note("building base")
		images.Note(" ")
		pass(time.Second + 50*time.Millisecond)
		early = out.String()
		if err := images.End(nil); err != nil {
			t.Errorf("a part that went well ends with %v", err)
		}
		pass(time.Minute)
		if err := cluster.End(errBroken); !errors.Is(err, errBroken) {
			t.Errorf("a part that failed ends with %v", err)
		}
		b.Close()
		end, timings = out.String(), b.Timings()
	})
	return early, end, timings
}

// A plain log has a line for each thing that happens, no two for one, and nothing that moves.
func TestPlainLog(t *testing.T) {
	_, log, timings := play(t, false, 80)
	clock := func(after time.Duration) string {
		return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(after).Local().Format(time.TimeOnly)
	}
	want := fmt.Sprintf(`%s images        started
%[2]s cluster       started
%[2]s images        building base
%[3]s images        done in 2.0s
%[4]s cluster       failed after 1m1s
`, clock(0), clock(time.Second), clock(2*time.Second), clock(62*time.Second))
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("the log differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Timing{{"images", 2.1}}, timings); diff != "" {
		t.Errorf("the timings differ (-want +got):\n%s", diff)
	}
}

// screen is what a terminal shows after some output, of which it knows as much as a board uses.
func screen(t *testing.T, output string) []string {
	t.Helper()
	var lines []string
	row := 0
	up := regexp.MustCompile(`^\x1b\[(\d+)A`)
	for _, text := range strings.SplitAfter(output, "\n") {
		if m := up.FindStringSubmatch(text); m != nil {
			n, err := strconv.Atoi(m[1])
			if row -= n; err != nil || row < 0 {
				t.Fatalf("it draws above what it has drawn: %q", text)
			}
			text = strings.TrimPrefix(text, m[0])
		}
		if text == "" {
			continue
		}
		line, ok := strings.CutPrefix(text, "\x1b[2K")
		if !ok || !strings.HasSuffix(line, "\n") {
			t.Fatalf("a line is not cleared, or has no end: %q", text)
		}
		if row == len(lines) {
			lines = append(lines, "")
		}
		lines[row] = strings.TrimRight(line, " \n")
		row++
	}
	return lines
}

// A terminal shows a line for each part, in place, with a clock that moves, and no line that would wrap.
func TestTerminal(t *testing.T) {
	early, end, _ := play(t, true, 40)
	want := []string{"⠦ images           2.0s  building base", "⠇ cluster          1.0s"}
	if diff := cmp.Diff(want, screen(t, early)); diff != "" {
		t.Errorf("after two seconds the screen differs (-want +got):\n%s", diff)
	}
	want = []string{"✔ images           2.0s", "✘ cluster          1m1s  failed"}
	if diff := cmp.Diff(want, screen(t, end)); diff != "" {
		t.Errorf("at the end the screen differs (-want +got):\n%s", diff)
	}
	if got := cut(strings.Repeat("é", 40), 39); got != strings.Repeat("é", 38)+"…" {
		t.Errorf("a long line becomes %q", got)
	}
}

// The lines of a program become notes, of a line that it draws again and again the last state; the last lines are kept.
func TestProgram(t *testing.T) {
	var out bytes.Buffer
	b := New(&out, false, 80)
	w := b.Start("images").Writer()
	for _, text := range []string{"one\ntw", "o\n\n10 %\r50 %\r90 %\r\n", "the rest"} {
		if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%d of %d bytes are taken: %v", n, len(text), err)
		}
	}
	var notes []string
	for line := range strings.Lines(out.String()) {
		notes = append(notes, strings.Join(strings.Fields(line)[2:], " "))
	}
	if diff := cmp.Diff([]string{"started", "one", "two", "90 %"}, notes); diff != "" {
		t.Errorf("the notes differ (-want +got):\n%s", diff)
	}
	if got := w.Tail(); got != "one\ntwo\n90 %\nthe rest" {
		t.Errorf("the last lines are %q", got)
	}
	for i := range 2 * tailLines {
		fmt.Fprintf(w, "%d\n", i)
	}
	if got := strings.Split(w.Tail(), "\n"); len(got) != tailLines+1 || got[tailLines-1] != strconv.Itoa(2*tailLines-1) {
		t.Errorf("the last lines are %q", got)
	}
}
