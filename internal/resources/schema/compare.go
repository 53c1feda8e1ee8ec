package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// Compare lists in what a descriptor differs from the schemas. A kind that they do not have is one difference.
func (s Schemas) Compare(k *d.Kind) []string {
	r, ok := s[k.Service][name(k)]
	if !ok {
		return []string{"the packages have no schema"}
	}
	c := comparison{kind: k, resource: r, seen: map[string]bool{}}
	c.fields(k.Fields)
	return append(c.list, c.missing()...)
}

// name is the name of a kind's resource in the schemas: that of its lists, but for these.
func name(k *d.Kind) string {
	switch k.Name {
	case "VolumeType":
		return "types"
	case "ServerVolumeAttachment":
		return "volume_attachments"
	case "ServerInterface":
		return "interfaces"
	}
	switch {
	case k.Item == "quota_set":
		return "quota_sets"
	case k.Shape == d.Singleton:
		return "quotas"
	// Relations are in paths, and the members of images are checked by code.
	case k.Shape == d.Relation && k.Name != "ResourceClass", k.Name == "ImageMember":
		return ""
	}
	return k.Items
}

type comparison struct {
	kind     *d.Kind
	resource Resource
	seen     map[string]bool
	list     []string
}

func (c *comparison) add(f d.Field, format string, args ...any) {
	c.list = append(c.list, f.API+": "+fmt.Sprintf(format, args...))
}

func (c *comparison) fields(fields []d.Field) {
	for _, f := range fields {
		if f.Flat && f.Type == d.Object {
			c.fields(inherit(f))
		} else if !c.skip(f) {
			c.seen[f.API] = true
			c.field(f)
		}
	}
}

// inherit returns the entries of a flat object, which can be changed when the object can.
func inherit(f d.Field) []d.Field {
	list := slices.Clone(f.Fields)
	for i := range list {
		list[i].CreateOnly = list[i].CreateOnly || f.CreateOnly
	}
	return list
}

// skip tells whether bodies do not have the field: it is in a path, is for hooks, or stands for many.
func (c *comparison) skip(f d.Field) bool {
	inPath := "{" + f.API + "}"
	return f.Local || f.Output || f.Flat || strings.Contains(c.kind.Path, inPath) ||
		strings.Contains(c.kind.Create.Path, inPath)
}

func (c *comparison) field(f d.Field) {
	create, inCreate := c.resource.Create[f.API]
	update, inUpdate := c.resource.Update[f.API]
	c.requests(f, inCreate, inUpdate)
	c.answers(f)
	switch {
	case inCreate:
		c.limits(f, create)
		c.required(f, create)
		c.inside(f.API, f.Fields, create.Fields)
	case inUpdate:
		c.limits(f, update)
		c.inside(f.API, f.Fields, update.Fields)
	}
}

// inside compares what is in an object, or in each of a list of objects, as far as the schema tells. What the API has
// more is told of objects that the descriptor has fields for: others are kept as they are written.
func (c *comparison) inside(path string, fields []d.Field, api map[string]Field) {
	if len(fields) == 0 || len(api) == 0 {
		return
	}
	seen := map[string]bool{}
	for _, f := range fields {
		if f.Local || f.Output {
			continue
		}
		entry, ok := api[f.API]
		name := f.API
		seen[name] = true
		f.API = path + "." + name
		if !ok {
			c.add(f, "requests do not take it")
			continue
		}
		c.limits(f, entry)
		if entry.Required && !f.Required && f.Default == nil && f.Const == nil {
			c.add(f, "not required, though the API requires it")
		}
		c.inside(f.API, f.Fields, entry.Fields)
	}
	var more []string
	for _, name := range slices.Sorted(maps.Keys(api)) {
		if !seen[name] {
			more = append(more, name)
		}
	}
	if len(more) > 0 {
		c.list = append(c.list, path+": the API has more in it: "+strings.Join(more, ", "))
	}
}

// requests compares in which requests the field is.
func (c *comparison) requests(f d.Field, inCreate, inUpdate bool) {
	changed := !f.CreateOnly && f.Via == "" && f.Const == nil && !c.kind.ReadOnly
	switch {
	case c.kind.Shape == d.Singleton:
	case f.Later && inCreate:
		c.add(f, "set later, though requests to make it take it")
	case !f.Later && !inCreate && c.kind.Create.Body == "":
		c.add(f, "requests to make it do not take it")
	}
	if changed && !inUpdate {
		c.add(f, "requests to change it do not take it")
	}
	if f.CreateOnly && inUpdate {
		c.add(f, "create-only, though requests to change it take it")
	}
}

// answers tells when drift of a field cannot be seen, for want of the field or of the path that In has.
func (c *comparison) answers(f d.Field) {
	if f.WriteOnly || len(c.resource.Read) == 0 {
		return
	}
	path := f.API
	if f.In != "" {
		path, _, _ = strings.Cut(f.In, ".")
	}
	if _, ok := c.resource.Read[path]; !ok {
		c.add(f, "answers do not show %s", path)
	}
}

func (c *comparison) required(f d.Field, api Field) {
	if api.Required && !f.Required && !f.Named && f.Default == nil && f.Const == nil {
		c.add(f, "not required, though the API requires it")
	}
	if f.Required && !api.Required {
		c.add(f, "required, though the API does not require it")
	}
	if c.kind.Service == "compute" || c.kind.Service == "block-storage" {
		if f.Since != api.Since {
			c.add(f, "since %q, the API says %q", f.Since, api.Since)
		}
	}
}

// limits compares the type and what values there may be.
func (c *comparison) limits(f d.Field, api Field) {
	if f.IsRef() || f.Const != nil || len(f.Values) > 0 {
		return
	}
	if want := apiType(f.Type); want != "" && api.Type != "" && want != api.Type {
		c.add(f, "type %s, the API has %s", want, api.Type)
	}
	if api.Max != nil && f.Max != 0 && f.Max != *api.Max && f.Pattern == "" {
		c.add(f, "at most %d, the API takes %d", f.Max, *api.Max)
	}
	if api.Min != nil && f.Min != *api.Min {
		c.add(f, "at least %d, the API takes %d", f.Min, *api.Min)
	}
	c.values(f, api)
}

func (c *comparison) values(f d.Field, api Field) {
	if f.Type == d.Int || len(api.Enum) == 0 {
		return
	}
	var values []string
	for _, v := range api.Enum {
		values = append(values, fmt.Sprint(v))
	}
	if own := slices.Sorted(slices.Values(f.Enum)); !slices.Equal(own, values) {
		c.add(f, "values %s, the API has %s", own, values)
	}
}

// apiType is the type of a schema for a type of a descriptor; empty when any will do.
func apiType(t d.Type) string {
	switch t {
	case d.String, d.Secret:
		return "string"
	case d.Int:
		return "integer"
	case d.Bool:
		return "boolean"
	case d.Strings, d.Objects:
		return "array"
	case d.Map, d.Object:
		return "object"
	}
	return ""
}

// missing lists the fields of the API that the descriptor lacks.
func (c *comparison) missing() []string {
	names := map[string]bool{}
	for _, fields := range []map[string]Field{c.resource.Create, c.resource.Update} {
		for api := range fields {
			names[api] = !c.seen[api] && api != c.kind.Marker.Field && api != c.kind.IDField()
		}
	}
	maps.DeleteFunc(names, func(_ string, lacking bool) bool { return !lacking })
	if len(names) == 0 {
		return nil
	}
	return []string{"the API has more: " + strings.Join(slices.Sorted(maps.Keys(names)), ", ")}
}
