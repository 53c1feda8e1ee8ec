package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// Bounds of what has none of its own, so that the API server can tell what a rule costs.
const (
	maxString  = 1024
	maxStrings = 256
	maxObjects = 64
)

// source is a file with the types of one service.
type source struct {
	Banner, Label string
	JSON          bool
	Kinds         []goKind
}

// goKind is a kind as Go and controller-gen see it.
type goKind struct {
	*d.Kind
	ShortNames    string
	Rules         []rule
	ResourceRules []rule
	Structs       []goStruct
}

// goStruct is the type of spec.resource, or of an object in it.
type goStruct struct {
	Name, Doc string
	Rules     []rule
	Fields    []goField
}

// goField is one field of a type.
type goField struct {
	Doc, Name, Type, Tag string
	Markers              []string
}

func newTypes(list []*d.Kind) source {
	s := source{Banner: banner, Label: label}
	for _, k := range list {
		g := goKind{Kind: k, ShortNames: strings.Join(shortNames(k), ";"), Rules: specRules(k)}
		structs := structsOf(k.Name, k.Fields)
		structs[0].Name = k.Name + "Resource"
		structs[0].Doc = k.Name + "Resource has what is declared of the resource."
		structs[0].Rules = resourceRules(k)
		g.Structs = structs
		for _, t := range structs {
			for _, f := range t.Fields {
				s.JSON = s.JSON || strings.Contains(f.Type, "apiextensionsv1.")
			}
		}
		s.Kinds = append(s.Kinds, g)
	}
	return s
}

// shortNames of kubectl. A kind that has none gets its name with os in front, which is nobody else's.
func shortNames(k *d.Kind) []string {
	if len(k.Short) > 0 {
		return k.Short
	}
	return []string{"os" + strings.ToLower(k.Name)}
}

// structsOf returns the type with these fields and those that it is made of.
func structsOf(name string, fields []d.Field) []goStruct {
	list := []goStruct{{Name: name}}
	for _, f := range fields {
		if f.Const != nil {
			continue
		}
		inner := name + goName(f.Spec())
		list[0].Fields = append(list[0].Fields, goField{
			Doc: doc(f), Name: goName(f.Spec()), Type: goType(inner, f), Tag: tag(f), Markers: markers(f),
		})
		if f.Type == d.Object || f.Type == d.Objects {
			below := structsOf(inner, inside(f))
			below[0].Doc, below[0].Rules = inner+" is what "+f.Spec()+" has in it.", noneRules(f)
			list = append(list, below...)
		}
	}
	return list
}

// inside are the fields of an object. In one that may be none all are optional, beside the word for that.
func inside(f d.Field) []d.Field {
	if !f.Nullable {
		return f.Fields
	}
	list := slices.Clone(f.Fields)
	for i := range list {
		list[i].Required = false
	}
	return append(list, d.Field{API: d.NoneWord, Type: d.Bool, Doc: "True says that there is none, and stands alone."})
}

func doc(f d.Field) string {
	text := f.Doc + noneDoc(f)
	if f.CreateOnly {
		text += " It cannot be changed after creation."
	}
	if f.Since != "" {
		text += " It needs microversion " + f.Since + "."
	}
	return text
}

// noneDoc tells how a field is emptied.
func noneDoc(f d.Field) string {
	if !f.Nullable {
		return ""
	}
	return " `{" + d.NoneWord + ": true}` says that there is none."
}

// goType is the type of a field; optional ones are pointers, so that false and 0 can be declared.
func goType(inner string, f d.Field) string {
	pointer := "*"
	if f.Required {
		pointer = ""
	}
	switch {
	case f.IsRef() && f.Type == d.Strings:
		return "[]Reference"
	case f.IsRef() && f.Nullable:
		return pointer + "ReferenceOrNone"
	case f.IsRef():
		return pointer + "Reference"
	}
	switch f.Type {
	case d.Int:
		return pointer + "int64"
	case d.Bool:
		return pointer + "bool"
	case d.Strings:
		return "[]string"
	case d.Map:
		return "map[string]Text"
	case d.Object:
		return pointer + inner
	case d.Objects:
		return "[]" + inner
	case d.JSON:
		return pointer + "apiextensionsv1.JSON"
	case d.Secret:
		return pointer + "SecretKey"
	default:
		return pointer + "string"
	}
}

// tag lets empty lists and maps through when they are optional: they declare that there is nothing.
func tag(f d.Field) string {
	switch {
	case f.Required:
		return f.Spec()
	case f.Type == d.Strings, f.Type == d.Objects, f.Type == d.Map:
		return f.Spec() + ",omitzero"
	default:
		return f.Spec() + ",omitempty"
	}
}

// markers are what controller-gen makes the schema of a field from.
func markers(f d.Field) []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if !f.Required {
		add("optional")
	}
	switch {
	case f.IsRef() && f.Type == d.Strings, f.Type == d.Objects:
		add("listType=atomic")
		add("kubebuilder:validation:MaxItems=%d", maxObjects)
	case f.Type == d.Strings:
		add("listType=%s", map[bool]string{true: "set", false: "atomic"}[f.Normal == d.Set])
		add("kubebuilder:validation:MaxItems=%d", maxStrings)
		list = append(list, text("kubebuilder:validation:items:", f, 0)...)
	case f.Type == d.Map:
		add("kubebuilder:validation:MaxProperties=%d", maxStrings)
	case f.API == d.NoneWord && f.Type == d.Bool:
		add("kubebuilder:validation:Enum=true")
	case f.Type == d.JSON:
		add("kubebuilder:pruning:PreserveUnknownFields")
		if f.CreateOnly {
			// Rules see values with a type only.
			add("kubebuilder:validation:Type=object")
		}
	case f.Type == d.Int:
		list = append(list, limits(f)...)
	case f.Type == d.String && !f.IsRef():
		least := f.Min
		if f.Required || f.Named {
			least = max(least, 1)
		}
		list = append(list, text("kubebuilder:validation:", f, least)...)
	}
	return list
}

// text are the bounds of a string.
func text(prefix string, f d.Field, least int64) []string {
	if len(f.Enum) > 0 {
		var quoted []string
		for _, v := range f.Enum {
			quoted = append(quoted, strconv.Quote(v))
		}
		return []string{prefix + "Enum=" + strings.Join(quoted, ";")}
	}
	var list []string
	if least > 0 {
		list = append(list, fmt.Sprintf("%sMinLength=%d", prefix, least))
	}
	list = append(list, fmt.Sprintf("%sMaxLength=%d", prefix, cmp.Or(f.Max, maxString)))
	if f.Pattern != "" {
		list = append(list, prefix+"Pattern="+strconv.Quote(f.Pattern))
	}
	return list
}

// limits are the bounds of a number.
func limits(f d.Field) []string {
	var list []string
	if f.HasMin || f.Min != 0 {
		list = append(list, fmt.Sprintf("kubebuilder:validation:Minimum=%d", f.Min))
	}
	if f.Max != 0 {
		list = append(list, fmt.Sprintf("kubebuilder:validation:Maximum=%d", f.Max))
	}
	return list
}
