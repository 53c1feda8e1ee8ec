package timeline

import (
	"bytes"
	"fmt"
	"html"
	"time"
)

// Sizes of the picture, in pixels.
const (
	labels    = 210
	plot      = 960
	rowHeight = 20
	header    = 56
	margin    = 16
)

// colours of the states: those of Okabe and Ito, which colour-blind people tell apart.
var colours = map[State]string{Waits: "#c8ccd0", Works: "#56b4e9", Troubled: "#d55e00"}

// steps of the axis, in seconds.
var steps = []int{1, 2, 5, 10, 15, 30, 60, 120, 300, 600}

// SVG draws the rows: time runs to the right, from the first object to end. What a bar waited for is written in it
// where there is room, and is its title.
func SVG(title string, rows []Row, end time.Time) []byte {
	var b bytes.Buffer
	height := header + rowHeight*len(rows) + margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" `+
		`font-size="11">`+"\n", labels+plot+2*margin, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/>`+"\n")
	fmt.Fprintf(&b, `<text x="%d" y="20" font-size="14">%s</text>`+"\n", margin, html.EscapeString(title))
	key(&b)
	if len(rows) == 0 {
		b.WriteString("</svg>\n")
		return b.Bytes()
	}
	s := scale{began: rows[0].began(), whole: max(end.Sub(rows[0].began()), time.Second)}
	s.axis(&b, height)
	for i, row := range rows {
		s.row(&b, row, header+rowHeight*i, end)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// key tells what the colours mean.
func key(b *bytes.Buffer) {
	x := labels + plot/2
	for _, e := range []struct {
		state State
		text  string
	}{{Waits, "waits for another object"}, {Works, "its Jobs and pods run"}, {Troubled, "tells an error"}} {
		fmt.Fprintf(b, `<rect x="%d" y="11" width="10" height="10" fill="%s"/><text x="%d" y="20">%s</text>`+"\n",
			x, colours[e.state], x+14, e.text)
		x += 170
	}
}

// scale turns times into places.
type scale struct {
	began time.Time
	whole time.Duration
}

func (s scale) x(t time.Time) float64 {
	return labels + margin + plot*float64(t.Sub(s.began))/float64(s.whole)
}

// axis draws a line every so many seconds, twelve at most.
func (s scale) axis(b *bytes.Buffer, height int) {
	step := steps[len(steps)-1]
	for _, n := range steps {
		if s.whole <= time.Duration(n)*12*time.Second {
			step = n
			break
		}
	}
	for t := 0; time.Duration(t)*time.Second <= s.whole; t += step {
		x := s.x(s.began.Add(time.Duration(t) * time.Second))
		fmt.Fprintf(b, `<path d="M%.1f %dV%d" stroke="#e4e6e8"/><text x="%.1f" y="%d" text-anchor="middle" `+
			`fill="#666">%d s</text>`+"\n", x, header-6, height-margin, x, header-10, t)
	}
}

// row draws a bar per moment until the object is ready, and when that was.
func (s scale) row(b *bytes.Buffer, r Row, y int, end time.Time) {
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", labels+margin-8, y+14,
		html.EscapeString(r.Label()))
	for i, m := range r.Moments {
		until := end
		if i+1 < len(r.Moments) {
			until = r.Moments[i+1].At
		}
		if m.State == Ready {
			continue
		}
		s.bar(b, m, until, y)
	}
	if at, ok := r.ReadyAt(); ok {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" fill="#007a5a">✓ %.0f s</text>`+"\n", s.x(at)+3, y+14,
			at.Sub(s.began).Seconds())
	}
}

// bar has its text in it, cut off at its end.
func (s scale) bar(b *bytes.Buffer, m Moment, until time.Time, y int) {
	x, width := s.x(m.At), s.x(until)-s.x(m.At)
	text := html.EscapeString(m.Text)
	fmt.Fprintf(b, `<svg x="%.1f" y="%d" width="%.1f" height="%d"><title>%.1f s: %s</title>`+
		`<rect width="100%%" height="100%%" fill="%s"/>`, x, y+3, max(width, 1), rowHeight-4,
		until.Sub(m.At).Seconds(), text, colours[m.State])
	const readable = 60
	if width > readable {
		fmt.Fprintf(b, `<text x="3" y="12" font-size="10">%s</text>`, text)
	}
	b.WriteString("</svg>\n")
}
