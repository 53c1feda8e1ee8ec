package kittest

import (
	"slices"
	"strings"
)

// Applied returns what the operator applied in the play, as Golden compares it.
func (p *Play) Applied() string {
	p.T.Helper()
	return strings.Join(p.intents(), "---\n")
}

// Diff returns in which lines got differs from base, object by object: a variant of a scenario is then a golden that
// shows what an option means and nothing else.
func Diff(base, got string) string {
	before, after := documents(base), documents(got)
	var out strings.Builder
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append(keys(before), keys(after)...)))) {
		lines := changes(before.lines(name), after.lines(name))
		if len(lines) > 0 {
			out.WriteString("@ " + name + "\n" + strings.Join(lines, "\n") + "\n")
		}
	}
	return out.String()
}

// document is one object of a golden.
type document struct {
	name  string
	lines []string
}

type bundle []document

// documents splits a golden into its objects, named by kind and name.
func documents(text string) bundle {
	var out bundle
	for doc := range strings.SplitSeq(text, "\n---\n") {
		d := document{lines: strings.Split(strings.TrimRight(doc, "\n"), "\n")}
		kind, name := "", ""
		for _, line := range d.lines {
			if k, ok := strings.CutPrefix(line, "kind: "); ok {
				kind = k
			}
			if n, ok := strings.CutPrefix(line, "  name: "); ok && name == "" {
				name = n
			}
		}
		d.name = kind + "/" + name
		out = append(out, d)
	}
	return out
}

func keys(b bundle) []string {
	var names []string
	for _, d := range b {
		names = append(names, d.name)
	}
	return names
}

func (b bundle) lines(name string) []string {
	for _, d := range b {
		if d.name == name {
			return d.lines
		}
	}
	return nil
}

// changes returns the lines of a that b lacks, with a minus, and those that b has more, with a plus, in order.
func changes(a, b []string) []string {
	// common[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, v := range slices.Backward(a) {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if v == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var out []string
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || (i < len(a) && common[i+1][j] >= common[i][j+1]):
			out, i = append(out, "-"+a[i]), i+1
		default:
			out, j = append(out, "+"+b[j]), j+1
		}
	}
	return out
}
