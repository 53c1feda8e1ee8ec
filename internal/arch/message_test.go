package arch

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stackwright.dev/kit/kittest"
)

// formats says which argument of a function is the message for people: of kit/outcome, and of folders of their own.
var formats = map[string]int{
	"outcome.Wait": 1, "outcome.Poll": 2, "outcome.Refuse": 1, "outcome.Invalidf": 0, "outcome.Fail": 1,
	"internal/fleet/hypervisor.awaited": 2, "internal/openstack.refuse": 0,
	"internal/resources/fetch.failed": 0, "internal/resources/fetch.refused": 1,
}

// verb is a place in a format that something else is put into: a name, say.
var verb = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]`)

// forwarders join what somebody else says, up to the end of the sentence, to what it is about.
var forwarders = []string{"internal/openstack/config.go", "internal/service/ceph.go",
	"internal/services/glance/secret.go", "kit/apply/errors.go", "kit/reconcile/component.go"}

// Plays look at the messages that they meet (kittest.Sound); here are those that no play meets, as far as they are
// written where an outcome is made.
func TestMessagesTellWhatToDo(t *testing.T) {
	found := 0
	for _, path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "kit/kittest/") {
			continue
		}
		set, f := parse(t, path)
		ast.Inspect(f, func(n ast.Node) bool {
			e := message(filepath.Dir(path), n)
			if e == nil {
				return true
			}
			said := text(e)
			if strings.Trim(verb.ReplaceAllString(said, ""), ".") == "" ||
				slices.Contains(forwarders, path) && verb.FindString(said[len(said)-2:]) != "" {
				return true
			}
			found++
			if err := kittest.Sound(strings.ReplaceAll(verb.ReplaceAllString(said, "a-name"), "%%", "%")); err != nil {
				t.Errorf("%s: %v: %q", set.Position(n.Pos()), err, said)
			}
			return true
		})
	}
	if found < 190 {
		t.Errorf("%d messages were looked at", found)
	}
}

// message is the message in a call or literal that makes an outcome in a folder, or nil.
func message(folder string, n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := "outcome." + of("outcome", n.Fun)
		if id, ok := n.Fun.(*ast.Ident); ok {
			name = folder + "." + id.Name
		}
		if i, ok := formats[name]; ok && len(n.Args) > i {
			return n.Args[i]
		}
	case *ast.CompositeLit:
		if name := of("outcome", n.Type); name != "Missing" && name != "Error" && name != "Outcome" {
			return nil
		}
		for _, e := range n.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			if key, ok := kv.Key.(*ast.Ident); ok && (key.Name == "Message" || key.Name == "Err") {
				return kv.Value
			}
		}
	}
	return nil
}

// of is the name that an expression takes from a package, or empty.
func of(pkg string, e ast.Expr) string {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if id, ok := s.X.(*ast.Ident); !ok || id.Name != pkg {
		return ""
	}
	return s.Sel.Name
}

// text is the format that an expression is made of; what is no literal is a place in it.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return s
		}
	case *ast.BinaryExpr:
		return text(e.X) + text(e.Y)
	case *ast.ParenExpr:
		return text(e.X)
	case *ast.CallExpr:
		if name := of("fmt", e.Fun); (name == "Errorf" || name == "Sprintf") && len(e.Args) > 0 {
			return text(e.Args[0])
		}
	}
	return "%s"
}
