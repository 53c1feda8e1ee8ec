// Package progress shows what a long command is at: a live view on a terminal, a plain log elsewhere.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Board shows parts of a piece of work, some of them at the same time.
type Board struct {
	mu    sync.Mutex
	out   io.Writer
	live  bool
	width int
	now   func() time.Time
	parts []*Part
	drawn int
	stop  chan struct{}
	done  sync.WaitGroup
}

// Part is one part of the work.
type Part struct {
	board      *Board
	name, note string
	began      time.Time
	took       time.Duration
	state      state
}

type state int

const (
	running state = iota
	finished
	failed
)

// New returns a board on out. live redraws in place, which only a terminal of that width can show.
func New(out io.Writer, live bool, width int) *Board {
	b := &Board{out: out, live: live, width: max(width, 40), now: time.Now, stop: make(chan struct{})}
	if live {
		b.done.Go(b.redraw)
	}
	return b
}

// redraw moves the clocks of running parts.
func (b *Board) redraw() {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-tick.C:
			b.mu.Lock()
			b.draw()
			b.mu.Unlock()
		}
	}
}

// Close ends the live view and leaves its last state on the terminal.
func (b *Board) Close() {
	close(b.stop)
	b.done.Wait()
}

// Start begins a part.
func (b *Board) Start(name string) *Part {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := &Part{board: b, name: name, began: b.now()}
	b.parts = append(b.parts, p)
	b.say(p, "started")
	return p
}

// Note tells what the part is at. The same note twice is one.
func (p *Part) Note(format string, args ...any) {
	p.board.mu.Lock()
	defer p.board.mu.Unlock()
	note := strings.TrimSpace(fmt.Sprintf(format, args...))
	if note == "" || note == p.note {
		return
	}
	p.note = note
	p.board.say(p, note)
}

// End ends the part: well when err is nil. It returns err.
func (p *Part) End(err error) error {
	p.board.mu.Lock()
	defer p.board.mu.Unlock()
	p.took = p.board.now().Sub(p.began)
	p.state, p.note = finished, ""
	word := "done in " + seconds(p.took)
	if err != nil {
		p.state, p.note = failed, "failed"
		word = "failed after " + seconds(p.took)
	}
	p.board.say(p, word)
	return err
}

// say writes a line of the plain log, or draws the live view anew.
func (b *Board) say(p *Part, text string) {
	if b.live {
		b.draw()
		return
	}
	fmt.Fprintf(b.out, "%s %-13s %s\n", b.now().Format("15:04:05"), p.name, text)
}

func (b *Board) draw() {
	var s strings.Builder
	if b.drawn > 0 {
		fmt.Fprintf(&s, "\x1b[%dA", b.drawn)
	}
	for _, p := range b.parts {
		s.WriteString("\x1b[2K" + cut(p.line(b.now()), b.width-1) + "\n")
	}
	b.drawn = len(b.parts)
	_, _ = io.WriteString(b.out, s.String())
}

func (p *Part) line(now time.Time) string {
	mark, took := "✔", p.took
	switch p.state {
	case failed:
		mark = "✘"
	case running:
		took = now.Sub(p.began)
		mark = string([]rune("⠋⠙⠸⠴⠦⠇")[int(took/(200*time.Millisecond))%6])
	}
	return fmt.Sprintf("%s %-13s %7s  %s", mark, p.name, seconds(took), p.note)
}

func cut(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}

// Timing tells how long a part took.
type Timing struct {
	Part    string  `json:"part"`
	Seconds float64 `json:"seconds"`
}

// Timings lists how long each part took, in the order in which they began.
func (b *Board) Timings() []Timing {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []Timing
	for _, p := range b.parts {
		if p.state == finished {
			out = append(out, Timing{p.name, p.took.Round(100 * time.Millisecond).Seconds()})
		}
	}
	return out
}

func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
