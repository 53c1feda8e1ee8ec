package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const sample = `// Package sample is counted.
package sample

import "fmt" // not a comment line

/* two
lines */
func (t *T[K]) Long() {
	fmt.Println(` + "`a\nb`" + `)
	//nolint:errcheck // reason
	_ = "// no comment"
}

func short() {}
`

func TestRead(t *testing.T) {
	s, err := read("kit/sample/sample.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	// package, import, func, two lines of a raw string, assignment, brace, short.
	if s.code != 8 || s.comments != 4 || s.exempt != 1 || s.test {
		t.Errorf("code %d, comments %d, exempt %d, test %t; want 8, 4, 1, false", s.code, s.comments, s.exempt, s.test)
	}
	want := []function{{"kit/sample.T.Long", 6}, {"kit/sample.short", 1}}
	for i, f := range s.functions {
		if f != want[i] {
			t.Errorf("function %d is %v, want %v", i, f, want[i])
		}
	}
}

func TestArea(t *testing.T) {
	for folder, want := range map[string]string{
		"kit/graph":                   "kit",
		".":                           ".",
		"internal/services/keystone":  "internal/services/keystone",
		"internal/services":           "internal/services",
		"internal/infra/galera/probe": "internal/infra/galera",
		"internal/cli/up":             "internal/cli",
	} {
		if got := area(folder); got != want {
			t.Errorf("area of %s is %s, want %s", folder, got, want)
		}
	}
}

func TestCodeFiguresAddUp(t *testing.T) {
	got := map[string]any{}
	for _, f := range codeFigures([]source{
		{folder: "kit/a", code: 30, comments: 10, functions: []function{{"kit/a.F", 9}}},
		{folder: "kit/a", code: 20, test: true, exempt: 2, functions: []function{{"kit/a.TestF", 99}}},
	}) {
		got[f.name] = f.value
	}
	for name, want := range map[string]any{
		"code": 30, "comments": 25, "tests": 20, "tests-per-code": 66, "nolint": 2,
		"area:kit": 30, "package-tests:kit/a": 20, "function-longest:kit/a.F": 9, "functions": 1,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

// The figures of this repository are lines of a name, a value and a unit, with each service and package among them.
func TestCollect(t *testing.T) {
	figures, err := collect("../..")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`^(\S+) \d+ \S+$`)
	var names []string
	for _, f := range figures {
		m := line.FindStringSubmatch(f.String())
		if m == nil {
			t.Fatalf("%q is no line of a name, a value and a unit", f)
		}
		names = append(names, m[1])
	}
	want := []string{"code", "nolint", "function-median", "area:kit", "package:tools/figures",
		"package-tests:tools/figures", "kinds", "crds", "crd:keystones.service.stackwright.dev"}
	services, err := os.ReadDir("../../internal/services")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range services {
		want = append(want, "area:internal/services/"+s.Name(), "package:internal/services/"+s.Name())
	}
	for _, name := range want {
		if !slices.Contains(names, name) {
			t.Errorf("there is no figure %s", name)
		}
	}
	for _, prefix := range []string{"function-longest:", "crd-largest:"} {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, prefix) && n != prefix }) {
			t.Errorf("there is no figure %s...", prefix)
		}
	}
}
