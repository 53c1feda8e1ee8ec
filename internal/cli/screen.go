package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"stackwright.dev/kit/condition"
)

// screenLine is a line of what status says.
type screenLine struct {
	text string
	// rank says how soon the line may be left out where there is no room: the greater, the sooner.
	rank int
}

// height is how many lines of a terminal the line takes.
func (l screenLine) height(width int) int {
	n := 0
	for part := range strings.SplitSeq(l.text, "\n") {
		n++
		if width > 0 {
			n += max(0, utf8.RuneCountInString(part)-1) / width
		}
	}
	return n
}

// The ranks of lines. What is wrong is never left out for what is well, and services not for hosts.
const (
	rankWrong = iota
	rankService
	rankBrokenHost
	rankHost
	rankEndpoint
)

// head is what a survey is of, and how that is.
func (s *survey) head() (what, how string) {
	if s.Name == "" {
		return s.Namespace + "  no control plane; these objects stand alone", cmp.Or(s.Message, "all of them are ready")
	}
	what = fmt.Sprintf("%s/%s  release %s (OpenStack %s), size %s", s.Namespace, s.Name, orDash(s.Release),
		orDash(s.OpenStack), s.Size)
	switch {
	case s.Ready:
		return what, "ready since " + age(s.Since.Time)
	case s.Reason == condition.Paused:
		return what, "paused since " + age(s.Since.Time) + ": " + s.Message
	}
	return what, "not ready: " + s.Reason + ": " + s.Message
}

// lines are what status says.
func (s *survey) lines() []screenLine {
	what, how := s.head()
	out := []screenLine{{text: what}, {text: how}}
	if len(s.Services)+len(s.Steps) > 0 {
		out = append(append(out, screenLine{}), s.services()...)
	}
	if len(s.Blocks) > 0 {
		out = append(append(out, screenLine{rank: rankBrokenHost}), hostLines(s.Blocks)...)
	}
	for i, e := range s.Endpoints {
		if i == 0 {
			out = append(out, screenLine{rank: rankEndpoint})
		}
		out = append(out, screenLine{e.Service + "  " + e.Public, rankEndpoint})
	}
	if !s.Ready {
		out = append(out, screenLine{}, screenLine{text: "To see what it waits for: stackwright why"})
	}
	return out
}

// services are a line for each service, and for each of its steps that waits, below those of the control plane itself.
func (s *survey) services() []screenLine {
	head := "SERVICE"
	if s.Name == "" {
		head = "OBJECT"
	}
	rows := append([][]string{{head, "READY", "PODS", "SINCE", "MESSAGE"}}, stepRows(s.Steps, "", 1)...)
	ranks := slices.Repeat([]int{rankWrong}, len(rows))
	for i := range s.Services {
		p := &s.Services[i]
		pods, rank := "", rankWrong
		if p.Pods > 0 {
			pods = fmt.Sprintf("%d/%d", p.PodsReady, p.Pods)
		}
		if p.Ready && len(p.Steps) == 0 || p.ToCome {
			rank = rankService
		}
		rows = append(rows, []string{p.Name, p.word(), pods, age(p.Since.Time), firstLine(p.Message)})
		ranks = append(ranks, rank)
		steps := stepRows(p.Steps, "  ", 1)
		rows, ranks = append(rows, steps...), append(ranks, slices.Repeat([]int{rank}, len(steps))...)
	}
	return ranked(rows, ranks)
}

// hostLines are a line for each block and for its hosts: those that do not work, and some that do.
func hostLines(blocks []blockState) []screenLine {
	rows := [][]string{{"HOSTS", "STATE", "SERVERS", "VCPUS", "MEMORY", "SINCE", "MESSAGE"}}
	ranks := []int{rankBrokenHost}
	for i := range blocks {
		more, of := blocks[i].rows()
		rows, ranks = append(rows, more...), append(ranks, of...)
	}
	return ranked(rows, ranks)
}

// ranked are the lines of a table.
func ranked(rows [][]string, ranks []int) []screenLine {
	var text strings.Builder
	writeTable(&text, rows)
	var out []screenLine
	for i, line := range strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n") {
		out = append(out, screenLine{line, ranks[i]})
	}
	return out
}

// fit leaves out what a terminal has no room for, and says how much that is. What scrolled off at the top would be what
// matters most.
func fit(all []screenLine, size func() (width, height int)) []screenLine {
	if size == nil {
		return all
	}
	width, height := size()
	room := height - 1 // the cursor has the last line
	for _, l := range all {
		room -= l.height(width)
	}
	if height <= 0 || room >= 0 {
		return all
	}
	last := screenLine{text: "… %d more lines; make the window taller or run without -w"}
	room = height - 1 - last.height(width)
	kept := make([]bool, len(all))
	for rank := rankWrong; rank <= rankEndpoint; rank++ {
		for i, l := range all {
			if l.rank != rank {
				continue
			}
			if room -= l.height(width); room < 0 {
				break
			}
			kept[i] = true
		}
	}
	var out []screenLine
	left := 0
	for i, l := range all {
		switch {
		case l.text == "" && (i+1 == len(all) || !kept[i+1]): // nothing is left for it to set apart
		case kept[i]:
			out = append(out, l)
		case l.text != "":
			left++
		}
	}
	return append(out, screenLine{text: fmt.Sprintf(last.text, left)})
}
