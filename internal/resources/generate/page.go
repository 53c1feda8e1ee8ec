package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/sample"
)

// page is what the page of a kind tells.
type page struct {
	*d.Kind
	Banner, File, Page, Short string
	// Example is the name of the object in the example, Spec its spec.resource.
	Example, Spec string
	Rows          []row
	// Groups tell which fields exclude each other.
	Groups []string
	// Filters are the fields by which an import finds a resource.
	Filters string
	// Again tells how the resource is known again.
	Again string
}

// row is one field in the table of a page.
type row struct{ Field, Value, Text string }

func newPage(k *d.Kind, all []*d.Kind) page {
	var filters []string
	for _, f := range k.Fields {
		if f.Const == nil && (slices.Contains(k.Key, f.API) || slices.Contains(k.List.Filters, f.API)) {
			filters = append(filters, f.Shown())
		}
	}
	var groups []string
	for _, names := range k.OneOf {
		groups = append(groups, "Exactly one of "+quoted(specNames(k, names))+" must be set.")
	}
	for _, names := range k.AtMostOne {
		groups = append(groups, "At most one of "+quoted(specNames(k, names))+" can be set.")
	}
	file := strings.ToLower(k.Name)
	return page{
		Kind: k, Banner: banner, File: file + ".go", Page: file + ".md", Short: shortNames(k)[0],
		Example: sample.Name(k, all), Spec: strings.ReplaceAll("    "+k.Sample, "\n", "\n    "),
		Rows: rows(k.Fields, ""), Groups: groups, Filters: quoted(filters), Again: again(k),
	}
}

// quoted is a list of names as pages show it.
func quoted(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

// specNames are the names in spec.resource of fields that are given by API name.
func specNames(k *d.Kind, api []string) []string {
	var list []string
	for _, a := range api {
		if f, ok := k.Field(a); ok && f.Const == nil {
			list = append(list, f.Spec())
		}
	}
	return list
}

func rows(fields []d.Field, above string) []row {
	var list []row
	for _, f := range fields {
		if f.Const != nil {
			continue
		}
		name := above + f.Spec()
		list = append(list, row{"`" + name + "`", kindOfValue(f), notes(f)})
		switch f.Type {
		case d.Object:
			list = append(list, rows(f.Fields, name+".")...)
		case d.Objects:
			list = append(list, rows(f.Fields, name+"[].")...)
		}
	}
	return list
}

// kindOfValue tells what a field takes.
func kindOfValue(f d.Field) string {
	refers := referents(f)
	switch {
	case f.IsRef() && f.Type == d.Strings:
		return "list of references to " + refers
	case f.IsRef():
		return "reference to " + refers
	}
	switch f.Type {
	case d.Int:
		return "number" + span(f)
	case d.Bool:
		return "true or false"
	case d.Strings:
		return "list of " + cmp.Or(quoted(f.Enum), "strings")
	case d.Map:
		return "map of strings"
	case d.Object:
		return "object"
	case d.Objects:
		return "list of objects"
	case d.JSON:
		return "anything"
	case d.Secret:
		return "`name` and `key` of a Secret"
	default:
		return cmp.Or(quoted(f.Enum), fmt.Sprintf("string, up to %d", cmp.Or(f.Max, maxString)))
	}
}

// referents are links to the kinds that a field can refer to.
func referents(f d.Field) string {
	var links []string
	for _, kind := range append(slices.Sorted(maps.Values(f.Refs)), f.Ref) {
		if kind != "" {
			links = append(links, "["+kind+"]("+strings.ToLower(kind)+".md)")
		}
	}
	return strings.Join(links, ", ")
}

func span(f d.Field) string {
	switch least := f.HasMin || f.Min != 0; {
	case least && f.Max != 0:
		return fmt.Sprintf(", %d to %d", f.Min, f.Max)
	case least:
		return fmt.Sprintf(", %d or more", f.Min)
	case f.Max != 0:
		return fmt.Sprintf(", up to %d", f.Max)
	}
	return ""
}

func notes(f d.Field) string {
	text := strings.ReplaceAll(f.Doc, "|", `\|`) + noneDoc(f)
	if f.Required {
		text += " **Required.**"
	}
	if f.CreateOnly {
		text += " Cannot be changed."
	}
	if f.WriteOnly {
		text += " OpenStack does not show it: a change of what is declared is sent, drift is not seen."
	}
	if f.Since != "" {
		text += " Microversion " + f.Since + "."
	}
	return text
}

// again tells how a resource is known to belong to its object after a crash.
func again(k *d.Kind) string {
	one := "There can be only one with the same " + quoted(specNames(k, k.Key)) + "."
	switch {
	case k.ReadOnly:
		return "OpenStack itself makes it: an object observes one, and neither changes nor deletes it."
	case k.Shape == d.Singleton:
		return "It always exists. Deleting the object sets it back to what OpenStack has by itself."
	case k.Shape == d.Relation:
		return one + " One that was there before is left there when the object goes."
	}
	switch k.Marker.Channel {
	case d.MarkByID:
		return "Its id is chosen before it is made, so that a second try finds the first one."
	case d.MarkByTag:
		return "It is made with a tag that names its object."
	case d.MarkByTagLater:
		return "It gets a tag that names its object, right after it is made; what was intended is recorded before."
	case d.MarkByMetadata:
		return "It is made with an item in `" + k.Marker.Field + "` that names its object."
	case d.MarkByExtra:
		return "It is made with the attribute `" + k.Marker.Field + "`, which names its object."
	default:
		return one + " One that exists is not taken over unless `spec.policy` is `adopt`, or `spec.import` names it."
	}
}

// index lists the kinds of each service.
type index struct {
	Banner   string
	Services []service
}

type service struct {
	Type  string
	Kinds []page
}

func newIndex(all []*d.Kind) index {
	by := map[string][]page{}
	for _, k := range all {
		by[k.Service] = append(by[k.Service], newPage(k, all))
	}
	i := index{Banner: banner}
	for _, t := range slices.Sorted(maps.Keys(by)) {
		i.Services = append(i.Services, service{t, by[t]})
	}
	return i
}
