package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Package variables are tables and sentinel errors: nothing writes to them after they are declared.
func TestPackagesHaveNoMutableState(t *testing.T) {
	for dir, names := range sourcesByFolder(t) {
		set := token.NewFileSet()
		var parsed []*ast.File
		for _, name := range names {
			f, err := parser.ParseFile(set, name, readFile(t, name), parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
		}
		for _, w := range writes(dir, set, parsed) {
			t.Errorf("%s is package state; give it to the function that needs it", w)
		}
	}
}

func sourcesByFolder(t *testing.T) map[string][]string {
	t.Helper()
	byFolder := map[string][]string{}
	for _, path := range goFiles(t) {
		if !strings.HasSuffix(path, "_test.go") {
			byFolder[filepath.Dir(path)] = append(byFolder[filepath.Dir(path)], path)
		}
	}
	return byFolder
}

// writes lists the places where a package variable is assigned to, taken the address of or has an element set. Names
// are resolved within the package only; imports need not be there.
func writes(dir string, set *token.FileSet, parsed []*ast.File) []string {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: nothing{}, Error: func(error) {}, FakeImportC: true}
	pkg, _ := conf.Check(dir, set, parsed, info)
	var list []string
	report := func(e ast.Expr) {
		id := variable(e)
		if id == nil {
			return
		}
		if v, ok := info.Uses[id].(*types.Var); ok && v.Parent() == pkg.Scope() {
			list = append(list, set.Position(id.Pos()).String()+": "+id.Name)
		}
	}
	for _, f := range parsed {
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.AssignStmt:
				for _, e := range x.Lhs {
					report(e)
				}
			case *ast.IncDecStmt:
				report(x.X)
			case *ast.UnaryExpr:
				if x.Op == token.AND {
					report(x.X)
				}
			}
			return true
		})
	}
	return list
}

// variable returns the identifier that an expression starts from, when writing to the expression changes its variable.
func variable(e ast.Expr) *ast.Ident {
	switch x := e.(type) {
	case *ast.Ident:
		return x
	case *ast.IndexExpr:
		return variable(x.X)
	case *ast.SelectorExpr:
		return variable(x.X)
	case *ast.ParenExpr:
		return variable(x.X)
	}
	return nil
}

// nothing is an importer without packages.
type nothing struct{}

// Import refuses.
func (nothing) Import(string) (*types.Package, error) { return nil, os.ErrNotExist }

func TestWrites(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"reads":     {"_ = table[1] + n", 0},
		"shadowed":  {"n := 1; n++; _ = n", 0},
		"assigns":   {"n = 2", 1},
		"counts":    {"n++", 1},
		"sets":      {"table[1] = 1", 1},
		"field":     {"s.x = 1", 1},
		"address":   {"_ = &s.x", 1},
		"parameter": {"p.x = 1", 0},
	} {
		t.Run(name, func(t *testing.T) {
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, "x.go", "package x\nvar n int\nvar table = map[int]int{}\ntype t struct{x int}\n"+
				"var s t\nfunc f(p *t) {"+c.body+"}", parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if got := writes("x", set, []*ast.File{f}); len(got) != c.want {
				t.Errorf("writes are %v, want %d", got, c.want)
			}
		})
	}
}
