package kittest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"stackwright.dev/kit/kittest/apiserver"
)

// definition is one of Scenario.CRDs. It is shared and must not be changed.
type definition struct {
	*apiextensionsv1.CustomResourceDefinition
	compile func() (*apiserver.Definition, error)
}

// library has the definitions of the files that were read, by digest of their content. Worlds are made by the hundred
// from the same files, and to read and compile these anew took more time than the plays.
type library struct{ files sync.Map }

var shared = sync.OnceValue(func() *library { return &library{} })

// read returns the definitions in YAML files; folders stand for the YAML files in them.
func (l *library) read(paths []string) ([]*definition, error) {
	files, err := expand(paths)
	if err != nil {
		return nil, err
	}
	var out []*definition
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("reading a definition of the scenario: %w", err)
		}
		once, _ := l.files.LoadOrStore(sha256.Sum256(raw), sync.OnceValues(func() ([]*definition, error) {
			return parse(f, raw)
		}))
		defs, err := once.(func() ([]*definition, error))()
		if err != nil {
			return nil, err
		}
		out = append(out, defs...)
	}
	return out, nil
}

func parse(file string, raw []byte) (out []*definition, err error) {
	objs, err := decode(file, raw)
	if err != nil {
		return nil, err
	}
	for _, u := range objs {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, crd); err != nil {
			return nil, fmt.Errorf("reading CustomResourceDefinition %s: %w", u.GetName(), err)
		}
		out = append(out, &definition{crd, sync.OnceValues(func() (*apiserver.Definition, error) {
			return apiserver.Compile(crd)
		})})
	}
	return out, nil
}

// serve returns a server in memory with these definitions.
func serve(defs []*definition) (*apiserver.Server, error) {
	compiled := make([]*apiserver.Definition, 0, len(defs))
	for _, d := range defs {
		c, err := d.compile()
		if err != nil {
			return nil, err
		}
		compiled = append(compiled, c)
	}
	return apiserver.With(compiled...)
}

// expand replaces folders by the YAML files in them.
func expand(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, fmt.Errorf("finding the objects of the scenario: %w", err)
		}
		if !info.IsDir() {
			out = append(out, p)
			continue
		}
		files, err := filepath.Glob(filepath.Join(p, "*.yaml"))
		if err != nil {
			return nil, fmt.Errorf("listing %s: %w", p, err)
		}
		out = append(out, files...)
	}
	return out, nil
}
