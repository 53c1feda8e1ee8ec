package resources

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func at(name string) node {
	return node{"Thing", types.NamespacedName{Namespace: "default", Name: name}}
}

func TestLinks(t *testing.T) {
	l := &links{}
	l.set(at("user"), []node{at("project"), at("domain")})
	l.set(at("project"), []node{at("domain")})
	for name, want := range map[string]string{"domain": "Thing project, Thing user", "project": "Thing user", "user": ""} {
		if got := l.needed(at(name)); got != want {
			t.Errorf("%s is needed by %q, want %q", name, got, want)
		}
	}
	if freed := l.set(at("user"), []node{at("domain")}); len(freed) != 1 || freed[0] != at("project") {
		t.Errorf("freed are %v, want the project", freed)
	}
	if got := l.needed(at("project")); got != "" {
		t.Errorf("the project is still needed by %s", got)
	}
	l.set(at("user"), nil)
	l.set(at("project"), nil)
	if len(l.to)+len(l.from) > 0 {
		t.Errorf("left are %v and %v", l.to, l.from)
	}
}

// Objects that refer to each other in a circle do not wait for each other.
func TestLinksInACircle(t *testing.T) {
	l := &links{}
	l.set(at("a"), []node{at("b")})
	l.set(at("b"), []node{at("c")})
	l.set(at("c"), []node{at("a")})
	l.set(at("d"), []node{at("a")})
	for name, want := range map[string]string{"a": "Thing d", "b": "", "c": ""} {
		if got := l.needed(at(name)); got != want {
			t.Errorf("%s is needed by %q, want %q", name, got, want)
		}
	}
}
