// Package graph is the order of a controller's steps: a directed acyclic graph that refuses cycles and names nobody has
// before the first object is reconciled. It is pure and immutable.
package graph

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Node is one step.
type Node struct {
	// Name of the node, unique in the graph.
	Name string
	// After names the nodes that must be done first.
	After []string
}

// Graph is a validated set of nodes. Nodes are told by their index in the input.
type Graph struct {
	nodes  []Node
	before [][]int
	after  [][]int
	levels [][]int
}

// New checks nodes and orders them. The error joins everything that is wrong, so that one look shows all of it.
func New(nodes []Node) (*Graph, error) {
	g := &Graph{nodes: nodes, before: make([][]int, len(nodes)), after: make([][]int, len(nodes))}
	index, err := names(nodes)
	if err := errors.Join(err, g.connect(index)); err != nil {
		return nil, err
	}
	if err := g.layer(); err != nil {
		return nil, err
	}
	return g, nil
}

// Len returns the number of nodes.
func (g *Graph) Len() int { return len(g.nodes) }

// Name returns the name of node i.
func (g *Graph) Name(i int) string { return g.nodes[i].Name }

// Levels returns the nodes by level: all predecessors of a node are in earlier levels, and a node is in the earliest
// level it can be in. Within a level nodes are in input order.
func (g *Graph) Levels() [][]int { return g.levels }

// Backward visits nodes from last to first, a node only when all that come after it are gone, and returns whether all
// are. gone takes a node away, and tells whether nothing is left of it. What stays keeps its ancestors and nobody else.
func (g *Graph) Backward(gone func(i int) bool) bool {
	left, stays := 0, make([]bool, len(g.nodes))
	for _, level := range slices.Backward(g.levels) {
		for _, i := range level {
			stays[i] = slices.ContainsFunc(g.after[i], func(j int) bool { return stays[j] }) || !gone(i)
			if stays[i] {
				left++
			}
		}
	}
	return left == 0
}

// Before returns the direct predecessors of node i, in input order.
func (g *Graph) Before(i int) []int { return g.before[i] }

// After returns the direct successors of node i, in input order.
func (g *Graph) After(i int) []int { return g.after[i] }

// Leads tells whether node i is the one of that name, or comes before it.
func (g *Graph) Leads(i int, name string) bool {
	return g.Name(i) == name || slices.ContainsFunc(g.after[i], func(j int) bool { return g.Leads(j, name) })
}

func names(nodes []Node) (map[string]int, error) {
	index := make(map[string]int, len(nodes))
	var errs []error
	for i, n := range nodes {
		if n.Name == "" {
			errs = append(errs, fmt.Errorf("step %d has no name; give it one", i))
			continue
		}
		if _, ok := index[n.Name]; ok {
			errs = append(errs, fmt.Errorf("two steps are named %q; rename one", n.Name))
			continue
		}
		index[n.Name] = i
	}
	return index, errors.Join(errs...)
}

func (g *Graph) connect(index map[string]int) error {
	var errs []error
	for i, n := range g.nodes {
		for _, name := range n.After {
			j, ok := index[name]
			switch {
			case !ok:
				errs = append(errs, fmt.Errorf("step %q comes after %q, which is no step; known are %s",
					n.Name, name, strings.Join(slices.Sorted(maps.Keys(index)), ", ")))
			case !slices.Contains(g.before[i], j):
				g.before[i] = append(g.before[i], j)
				g.after[j] = append(g.after[j], i)
			}
		}
		slices.Sort(g.before[i])
	}
	return errors.Join(errs...)
}

// layer takes away, level by level, the nodes whose predecessors are all taken; what remains has a cycle.
func (g *Graph) layer() error {
	open := make([]int, len(g.nodes))
	var level []int
	for i := range g.nodes {
		if open[i] = len(g.before[i]); open[i] == 0 {
			level = append(level, i)
		}
	}
	taken := 0
	for len(level) > 0 {
		g.levels = append(g.levels, level)
		taken += len(level)
		level = g.release(level, open)
	}
	if taken < len(g.nodes) {
		return fmt.Errorf("steps wait for each other: %s; take one of these edges away", g.cycle(open))
	}
	return nil
}

// release closes the edges that leave level and returns the nodes that have no open one left.
func (g *Graph) release(level, open []int) []int {
	var next []int
	for _, i := range level {
		for _, j := range g.after[i] {
			if open[j]--; open[j] == 0 {
				next = append(next, j)
			}
		}
	}
	slices.Sort(next)
	return next
}

// cycle walks from an open node to an open predecessor until a node comes twice.
func (g *Graph) cycle(open []int) string {
	i := slices.IndexFunc(open, func(n int) bool { return n > 0 })
	var path []int
	for !slices.Contains(path, i) {
		path = append(path, i)
		k := slices.IndexFunc(g.before[i], func(j int) bool { return open[j] > 0 })
		i = g.before[i][k]
	}
	path = append(path[slices.Index(path, i):], i)
	words := make([]string, len(path))
	for k, j := range path {
		words[k] = g.nodes[j].Name
	}
	return strings.Join(words, " after ")
}
