package graph

import (
	"fmt"
	"strings"
)

// Text renders the graph, one line per node in the order of levels, for people and golden files.
func (g *Graph) Text() string {
	var b strings.Builder
	for l, level := range g.levels {
		for _, i := range level {
			fmt.Fprintf(&b, "%d %s", l, g.nodes[i].Name)
			if len(g.before[i]) > 0 {
				fmt.Fprintf(&b, " after %s", strings.Join(g.namesOf(g.before[i]), ", "))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Dot renders the graph for Graphviz, in the direction of work.
func (g *Graph) Dot() string {
	var b strings.Builder
	b.WriteString("digraph steps {\n\trankdir=LR\n\tnode [shape=box]\n")
	for i, n := range g.nodes {
		fmt.Fprintf(&b, "\t%q\n", n.Name)
		for _, name := range g.namesOf(g.before[i]) {
			fmt.Fprintf(&b, "\t%q -> %q\n", name, n.Name)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func (g *Graph) namesOf(nodes []int) []string {
	r := make([]string, len(nodes))
	for k, i := range nodes {
		r[k] = g.nodes[i].Name
	}
	return r
}
