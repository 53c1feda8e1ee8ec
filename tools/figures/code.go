package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// sum adds up files.
type sum struct{ code, comments, tests int }

func (s *sum) add(f source) {
	if f.test {
		s.tests += f.code
		return
	}
	s.code += f.code
	s.comments += f.comments
}

func codeFigures(files []source) []figure {
	packages, areas, total := map[string]*sum{}, map[string]*sum{}, &sum{}
	exempt := 0
	var functions []function
	for _, f := range files {
		for _, s := range []*sum{total, at(packages, f.folder), at(areas, area(f.folder))} {
			s.add(f)
		}
		exempt += f.exempt
		if !f.test {
			functions = append(functions, f.functions...)
		}
	}
	list := []figure{
		{"code", total.code, "lines"},
		{"comments", percent(total.comments, total.code+total.comments), "%"},
		{"tests", total.tests, "lines"},
		{"tests-per-code", percent(total.tests, total.code), "%"},
		{"nolint", exempt, "comments"},
	}
	list = append(list, sums("area", areas)...)
	list = append(list, sums("package", packages)...)
	return append(list, functionFigures(functions)...)
}

func at(m map[string]*sum, key string) *sum {
	if m[key] == nil {
		m[key] = &sum{}
	}
	return m[key]
}

// area is the part of the repository that a budget is set for: a module, a folder of internal, a service.
func area(folder string) string {
	parts := strings.Split(folder, "/")
	depth := 1
	if parts[0] == "internal" {
		depth = 2
		if len(parts) > 2 && (parts[1] == "services" || parts[1] == "infra" || parts[1] == "fleet") {
			depth = 3
		}
	}
	return strings.Join(parts[:min(depth, len(parts))], "/")
}

func sums(prefix string, m map[string]*sum) []figure {
	var list []figure
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, figure{prefix + ":" + name, m[name].code, "lines"})
		if m[name].tests > 0 {
			list = append(list, figure{prefix + "-tests:" + name, m[name].tests, "lines"})
		}
	}
	return list
}

// functionFigures tells the median, the ninth decile and the ten longest.
func functionFigures(functions []function) []figure {
	if len(functions) == 0 {
		return nil
	}
	slices.SortFunc(functions, func(a, b function) int {
		return cmp.Or(cmp.Compare(a.lines, b.lines), cmp.Compare(a.name, b.name))
	})
	n := len(functions)
	list := []figure{
		{"functions", n, "functions"},
		{"function-median", functions[n/2].lines, "lines"},
		{"function-ninth-decile", functions[n*9/10].lines, "lines"},
	}
	for _, f := range slices.Backward(functions[max(0, n-10):]) {
		list = append(list, figure{"function-longest:" + f.name, f.lines, "lines"})
	}
	return list
}

func percent(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return part * 100 / whole
}
