package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func keystone() []Node {
	return []Node{
		{Name: "api", After: []string{"expand", "keys"}},
		{Name: "database"},
		{Name: "keys"},
		{Name: "expand", After: []string{"database"}},
		{Name: "contract", After: []string{"api", "expand", "api"}},
	}
}

func TestLevels(t *testing.T) {
	g, err := New(keystone())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]int{{1, 2}, {3}, {0}, {4}}, g.Levels()); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 3}, g.Before(4)); diff != "" {
		t.Errorf("a repeated edge counts once (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 4}, g.After(3)); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
}

func TestLeads(t *testing.T) {
	g, err := New(keystone())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]int{"contract": {0, 1, 2, 3, 4}, "expand": {1, 3}, "keys": {2}} {
		var got []int
		for i := range g.Len() {
			if g.Leads(i, name) {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v lead to %s, want %v", got, name, want)
		}
	}
}

// On the way back a node that stays keeps those that it comes after, and nobody else.
func TestBackward(t *testing.T) {
	g, err := New(keystone())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		stays, visited []int
	}{
		"all go":        {nil, []int{4, 0, 3, 1, 2}},
		"one stays":     {[]int{3}, []int{4, 0, 3, 2}},
		"the last ones": {[]int{4}, []int{4}},
		"the first one": {[]int{1}, []int{4, 0, 3, 1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			var visited []int
			all := g.Backward(func(i int) bool {
				visited = append(visited, i)
				return !slices.Contains(c.stays, i)
			})
			if diff := cmp.Diff(c.visited, visited); diff != "" {
				t.Errorf("visited (-want +got):\n%s", diff)
			}
			if want := len(c.stays) == 0; all != want {
				t.Errorf("all are gone is %v, want %v", all, want)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		nodes []Node
		want  []string
	}{
		"cycle": {
			nodes: []Node{{Name: "root"}, {Name: "a", After: []string{"root", "c"}}, {Name: "b", After: []string{"a"}},
				{Name: "c", After: []string{"b"}}, {Name: "d", After: []string{"c"}}},
			want: []string{"a after c after b after a"},
		},
		"itself": {nodes: []Node{{Name: "a", After: []string{"a"}}}, want: []string{"a after a"}},
		"unknown name": {
			nodes: []Node{{Name: "a"}, {Name: "b", After: []string{"x"}}},
			want:  []string{`"b" comes after "x"`, "a, b"},
		},
		"two names": {nodes: []Node{{Name: "a"}, {Name: "a"}}, want: []string{`two steps are named "a"`}},
		"no name":   {nodes: []Node{{}}, want: []string{"step 0 has no name"}},
		"all at once": {
			nodes: []Node{
				{Name: "a"},
				{Name: "a", After: []string{"y"}},
			},
			want: []string{`two steps are named "a"`, `"y", which is no step`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := New(c.nodes)
			if err == nil {
				t.Fatalf("accepted:\n%s", g.Text())
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q does not say %q", err, w)
				}
			}
		})
	}
}

// Any graph whose edges go from later to earlier names of some order is accepted, and its levels respect the edges.
func TestRandomOrdersHold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + r.IntN(30)
		place := r.Perm(n)
		nodes := make([]Node, n)
		for i := range nodes {
			nodes[i].Name = fmt.Sprint(i)
			for j := range n {
				if place[j] < place[i] && r.IntN(4) == 0 {
					nodes[i].After = append(nodes[i].After, fmt.Sprint(j))
				}
			}
		}
		g, err := New(nodes)
		if err != nil {
			t.Fatal(err)
		}
		checkLevels(t, g)
	}
}

func checkLevels(t *testing.T, g *Graph) {
	t.Helper()
	level := map[int]int{}
	for l, nodes := range g.Levels() {
		for _, i := range nodes {
			level[i] = l
		}
	}
	if len(level) != g.Len() {
		t.Fatalf("%d of %d nodes have a level", len(level), g.Len())
	}
	for i := range g.Len() {
		earliest := 0
		for _, j := range g.Before(i) {
			earliest = max(earliest, level[j]+1)
		}
		if level[i] != earliest {
			t.Fatalf("node %s is in level %d, its earliest is %d", g.Name(i), level[i], earliest)
		}
	}
}

func TestRender(t *testing.T) {
	g, err := New(keystone())
	if err != nil {
		t.Fatal(err)
	}
	want := `0 database
0 keys
1 expand after database
2 api after keys, expand
3 contract after api, expand
`
	if diff := cmp.Diff(want, g.Text()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	for _, line := range []string{"digraph steps {", `"api"`, `"expand" -> "api"`} {
		if !strings.Contains(g.Dot(), line) {
			t.Errorf("dot lacks %s:\n%s", line, g.Dot())
		}
	}
}
