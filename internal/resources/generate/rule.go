package main

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/cel"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// rule is a validation rule of the API server, and what it says to those who break it.
type rule struct{ Rule, Message string }

// resourceRules are the rules of spec.resource.
func resourceRules(k *d.Kind) []rule {
	var list []rule
	for _, path := range createOnly(k.Fields, nil) {
		list = append(list, constant(path))
	}
	for _, names := range k.OneOf {
		list = append(list, rule{which(k, names) + ".exists_one(x, x)",
			"set exactly one of " + strings.Join(specNames(k, names), ", ")})
	}
	for _, names := range k.AtMostOne {
		list = append(list, rule{which(k, names) + ".filter(x, x).size() < 2",
			"set at most one of " + strings.Join(specNames(k, names), ", ")})
	}
	return list
}

// which is a list that tells of each field whether it is declared.
func which(k *d.Kind, names []string) string {
	var has []string
	for _, api := range names {
		f, _ := k.Field(api)
		has = append(has, present("self", []d.Field{f}))
	}
	return "[" + strings.Join(has, ", ") + "]"
}

// noneRules are the rules of an object that may be none: then nothing else is in it, and else all that is needed.
func noneRules(f d.Field) []rule {
	if !f.Nullable {
		return nil
	}
	var some, needed, names []string
	for _, inner := range f.Fields {
		has := "has(" + value("self", []d.Field{inner}) + ")"
		some = append(some, has)
		if inner.Required {
			needed, names = append(needed, has), append(names, inner.Spec())
		}
	}
	none := "has(" + value("self", []d.Field{{API: d.NoneWord}}) + ")"
	return []rule{{fmt.Sprintf("%s ? !(%s) : %s", none, strings.Join(some, " || "), strings.Join(needed, " && ")),
		"set " + strings.Join(names, " and ") + ", or none alone"}}
}

// createOnly are the paths of the fields that cannot be changed. Entries of a list have no identity, so that what is in
// them can only be constant as a whole.
func createOnly(fields []d.Field, above []d.Field) [][]d.Field {
	var list [][]d.Field
	for _, f := range fields {
		path := append(slices.Clone(above), f)
		switch {
		case f.Const != nil:
		case f.CreateOnly:
			list = append(list, path)
		case f.Type == d.Object:
			list = append(list, createOnly(f.Fields, path)...)
		}
	}
	return list
}

// constant is the rule for a field that is neither changed, nor added, nor removed.
func constant(path []d.Field) rule {
	now, old := present("self", path), present("oldSelf", path)
	same := value("self", path) + " == " + value("oldSelf", path)
	message := shown(path) +
		" cannot be changed after creation: put back what was there, or delete the object and make another"
	if now == "" {
		return rule{same, message}
	}
	return rule{fmt.Sprintf("%s ? %s && %s : !(%s)", now, old, same, old), message}
}

// present is the condition that a field is declared; empty when it always is.
func present(self string, path []d.Field) string {
	var list []string
	for i := range path {
		if !path[i].Required {
			list = append(list, "has("+value(self, path[:i+1])+")")
		}
	}
	return strings.Join(list, " && ")
}

func value(self string, path []d.Field) string {
	names := []string{self}
	for _, f := range path {
		// Names in camel case can always be escaped.
		name, _ := cel.Escape(f.Spec())
		names = append(names, name)
	}
	return strings.Join(names, ".")
}

// shown is how people write the path of a field.
func shown(path []d.Field) string {
	var names []string
	for _, f := range path {
		names = append(names, f.Spec())
	}
	return strings.Join(names, ".")
}

// observes is the condition that an object may not change anything.
const observes = "(has(self.policies) && size(self.policies) > 0 ? !self.policies.exists(p, p != 'Observe') : " +
	"has(self.policy) && self.policy == 'observe')"

// specRules are the rules of spec.
func specRules(k *d.Kind) []rule {
	list := []rule{{"has(self.cloudRef) == has(oldSelf.cloudRef)",
		"cloudRef cannot be added or removed after creation: the resource would be left behind; make another object"}}
	named := slices.ContainsFunc(k.Fields, func(f d.Field) bool { return f.Named })
	parents, needed := parents(k)
	switch {
	case k.Shape != d.Resource:
		list = append(list, rule{"has(self.resource)", "declare it in spec.resource: its fields tell which one it is"})
	case len(parents) > 0:
		list = append(list, rule{needed,
			"declare " + strings.Join(parents, " and ") + " in spec.resource, with an import too: it is found there only"})
	default:
		list = append(list, rule{"has(self.resource) || has(self.__import__)",
			"declare what is wanted in spec.resource, or say in spec.import which one is taken over"})
	}
	if named && k.Shape == d.Resource {
		some := "has(self.__import__) || has(self.resource) && has(self.resource.name)"
		if !k.ReadOnly {
			some = "!" + observes + " || " + some
		}
		list = append(list, rule{some,
			"say which one is observed: set spec.import or spec.resource.name"})
	}
	return list
}

// parents are the fields without which the place of a resource is unknown, and the condition that they are there.
func parents(k *d.Kind) ([]string, string) {
	var names []string
	needed := []string{"has(self.resource)"}
	for _, f := range k.Fields {
		if !strings.Contains(k.Path, "{"+f.API+"}") || f.Own || f.Const != nil {
			continue
		}
		names = append(names, f.Spec())
		if has := present("self.resource", []d.Field{f}); has != "" {
			needed = append(needed, has)
		}
	}
	return names, strings.Join(needed, " && ")
}
