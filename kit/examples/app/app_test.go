package app_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"stackwright.dev/kit"
	"stackwright.dev/kit/examples/app"
	"stackwright.dev/kit/examples/app/api/v1alpha1"
)

// Example is the main function of the operator.
func Example() { //nolint:testableexamples // it runs until it is stopped: that it compiles is all that can be tested
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme))
	must(err)
	ctl, err := kit.New(app.Definition(nil), scheme)
	must(err)
	cfg, err := ctrl.GetConfig()
	must(err)
	mgr, err := kit.NewManager(cfg, manager.Options{Scheme: scheme}, ctl)
	must(err)
	must(mgr.Start(ctrl.SetupSignalHandler()))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// maxLines is what an author of an operator writes besides its types and imports.
const maxLines = 150

// TestShort counts what an author writes. The example has a Deployment with a Service, a Secret it refers to, a Job and
// an account elsewhere, whose HTTP client is included.
func TestShort(t *testing.T) {
	lines := map[string]bool{}
	for _, path := range []string{"app.go", "directory.go"} {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && (g.Tok == token.TYPE || g.Tok == token.IMPORT) {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if n != nil {
					lines[fmt.Sprint(path, set.Position(n.Pos()).Line)] = true
					lines[fmt.Sprint(path, set.Position(n.End()-1).Line)] = true
				}
				return n != nil
			})
		}
	}
	if len(lines) > maxLines {
		t.Errorf("the example has %d lines besides its types, at most %d", len(lines), maxLines)
	}
}
