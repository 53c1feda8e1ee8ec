package progress

import (
	"bytes"
	"strings"
	"sync"
)

// Writer turns the output of a program into notes of a part, line by line, and keeps the last lines for errors.
type Writer struct {
	part *Part

	mu   sync.Mutex
	rest []byte
	tail []string
}

// tailLines is how many lines of a program are shown when it fails.
const tailLines = 15

// Writer returns a writer whose lines become notes of the part.
func (p *Part) Writer() *Writer { return &Writer{part: p} }

// Write takes output of the program.
func (w *Writer) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, data...)
	for {
		i := bytes.IndexByte(w.rest, '\n')
		if i < 0 {
			return len(data), nil
		}
		w.line(string(w.rest[:i]))
		w.rest = w.rest[i+1:]
	}
}

func (w *Writer) line(s string) {
	// A program that redraws its line separates the states by carriage returns; the last one counts.
	s = strings.TrimRight(s, "\r")
	if i := strings.LastIndexByte(s, '\r'); i >= 0 {
		s = s[i+1:]
	}
	if s == "" {
		return
	}
	w.tail = append(w.tail, s)
	if len(w.tail) > tailLines {
		w.tail = w.tail[1:]
	}
	w.part.Note("%s", s)
}

// Tail returns the last lines.
func (w *Writer) Tail() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(append(w.tail, string(w.rest)), "\n")
}
