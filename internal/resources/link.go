package resources

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// node is an object of some kind.
type node struct {
	kind string
	types.NamespacedName
}

func (n node) String() string { return n.kind + " " + n.Name }

// from names a node for people in a namespace.
func (n node) from(namespace string) string {
	if n.Namespace == namespace {
		return n.String()
	}
	return n.kind + " " + n.Namespace + "/" + n.Name
}

// links remember which objects refer to which, so that none is deleted before those that need it.
type links struct {
	mu   sync.Mutex
	to   map[node][]node
	from map[node]map[node]bool
}

// set records what an object refers to, and returns what it does not refer to any more.
func (l *links) set(who node, to []node) (freed []node) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to == nil {
		l.to, l.from = map[node][]node{}, map[node]map[node]bool{}
	}
	for _, n := range l.to[who] {
		if slices.Contains(to, n) {
			continue
		}
		freed = append(freed, n)
		delete(l.from[n], who)
		if len(l.from[n]) == 0 {
			delete(l.from, n)
		}
	}
	for _, n := range to {
		if l.from[n] == nil {
			l.from[n] = map[node]bool{}
		}
		l.from[n][who] = true
	}
	if len(to) == 0 {
		delete(l.to, who)
		return freed
	}
	l.to[who] = to
	return freed
}

// needed names the objects that refer to one. Those that it refers to itself, over however many others, are left out:
// they would wait for each other for ever.
func (l *links) needed(n node) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	reached := map[node]bool{}
	l.reach(n, reached)
	var names []string
	for who := range l.from[n] {
		if !reached[who] {
			names = append(names, who.from(n.Namespace))
		}
	}
	return few(names)
}

// reaches tells whether one object refers to another, over however many others.
func (l *links) reaches(from, to node) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	reached := map[node]bool{}
	l.reach(from, reached)
	return reached[to]
}

func (l *links) reach(n node, reached map[node]bool) {
	if reached[n] {
		return
	}
	reached[n] = true
	for _, next := range l.to[n] {
		l.reach(next, reached)
	}
}
