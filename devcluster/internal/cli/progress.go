package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progress tells what is being waited for: on a terminal the current line is kept up to date, elsewhere only what has
// been reached is printed.
type progress struct {
	out      io.Writer
	terminal bool
	began    time.Time
}

func newProgress(out *os.File) *progress {
	return &progress{out: out, terminal: term.IsTerminal(int(out.Fd())), began: time.Now()}
}

// waiting shows what has not been reached yet.
func (p *progress) waiting(text string) {
	if p.terminal {
		fmt.Fprintf(p.out, "\r\033[Kdevcluster: %s ... %.0fs", text, time.Since(p.began).Seconds())
	}
}

// reached tells that something was, seconds after the beginning.
func (p *progress) reached(text string, seconds float64) {
	if p.terminal {
		fmt.Fprint(p.out, "\r\033[K")
	}
	fmt.Fprintf(p.out, "devcluster: %-28s %5.1fs\n", text, seconds)
}

func (p *progress) seconds() float64 { return time.Since(p.began).Seconds() }
