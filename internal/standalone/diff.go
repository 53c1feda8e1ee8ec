package standalone

import "slices"

// hunk replaces lines from to before to, none when these are equal.
type hunk struct {
	from, to int
	lines    []string
}

// diff returns the hunks that make b of a: as few lines as can be.
func diff(a, b []string) []hunk {
	longest := common(a, b)
	var out []hunk
	for i, j := 0, 0; i < len(a) || j < len(b); {
		if i < len(a) && j < len(b) && a[i] == b[j] {
			i, j = i+1, j+1
			continue
		}
		h := hunk{from: i}
		for (i < len(a) || j < len(b)) && (i == len(a) || j == len(b) || a[i] != b[j]) {
			if j == len(b) || i < len(a) && longest[i+1][j] >= longest[i][j+1] {
				i++
			} else {
				h.lines = append(h.lines, b[j])
				j++
			}
		}
		h.to = i
		out = append(out, h.slide(a))
	}
	return out
}

// common tells how many lines at most a from i on and b from j on have in common, in order.
func common(a, b []string) [][]int {
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i, line := range slices.Backward(a) {
		for j, other := range slices.Backward(b) {
			if line == other {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	return longest
}

// slide moves an insertion to where an item of a list begins, if it can begin there as well.
func (h hunk) slide(a []string) hunk {
	best := h
	for h.from == h.to && h.from > 0 && a[h.from-1] == h.lines[len(h.lines)-1] {
		last := len(h.lines) - 1
		h = hunk{h.from - 1, h.to - 1, append([]string{h.lines[last]}, h.lines[:last]...)}
		if indent(h.lines[0]) < indent(best.lines[0]) {
			best = h
		}
	}
	return best
}

func indent(line string) int {
	return slices.IndexFunc([]byte(line+"x"), func(c byte) bool { return c != ' ' })
}

// within returns what hunks make of the lines from to before to. ok is false when a hunk crosses an end.
func within(base []string, hunks []hunk, from, to int) (lines []string, ok bool) {
	at := from
	for _, h := range hunks {
		switch {
		case h.to < from || h.from > to, h.to == from && h.from < from, h.from == to && h.to > to:
			continue
		case h.from < from || h.to > to:
			return nil, false
		}
		lines = append(append(lines, base[at:h.from]...), h.lines...)
		at = h.to
	}
	return append(lines, base[at:to]...), true
}
