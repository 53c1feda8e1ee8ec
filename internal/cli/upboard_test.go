package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal returns both ends of a new terminal of that width.
func terminal(t *testing.T, width uint16) (screen, program *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	must(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	must(t, err)
	must(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: width}))
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	return screen, program
}

// show has a board write what happens to one part.
func show(t *testing.T, errs io.Writer) {
	t.Helper()
	b := (&app{err: errs}).board()
	p := b.Start("images")
	p.Note("%s", strings.Repeat("x", 100))
	must(t, p.End(nil))
	b.Close()
}

// On a terminal up draws in place, in lines that fit; a file and a pipe get a log, and so does what has no descriptor.
func TestUpDrawsOnTerminalsOnly(t *testing.T) {
	screen, program := terminal(t, 57)
	show(t, program)
	must(t, program.Close())
	drawn, _ := io.ReadAll(screen) // ends in an error when the other end is closed
	lines := strings.Split(strings.TrimSpace(string(drawn)), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[2], "\x1b[1A\x1b[2K✔ images") {
		t.Errorf("the terminal shows %q", drawn)
	} else if n := len([]rune(strings.TrimSpace(strings.TrimPrefix(lines[1], "\x1b[1A\x1b[2K")))); n != 56 {
		t.Errorf("a long line has %d columns of 57", n)
	}

	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	must(t, err)
	show(t, file)
	must(t, file.Close())
	logged, err := os.ReadFile(file.Name())
	must(t, err)
	var built strings.Builder
	show(t, &built)
	r, w, err := os.Pipe()
	must(t, err)
	show(t, w)
	must(t, w.Close())
	piped, err := io.ReadAll(r)
	must(t, err)
	for name, text := range map[string]string{"file": string(logged), "pipe": string(piped), "writer": built.String()} {
		if strings.Contains(text, "\x1b") || strings.Count(text, "\n") != 3 ||
			!strings.Contains(text, " images        started\n") {
			t.Errorf("a %s gets %q", name, text)
		}
	}
}
