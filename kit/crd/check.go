package crd

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Check tells what a change from have to want would break for objects that are stored, as one joined error:
// another scope, a stored version that is gone, and in each version a field with another type or format, a shorter
// enum, a tighter limit, null that is allowed no more, or a new required field without a default. Rules in CEL are not
// compared: whether one is tighter cannot be read off it, and since Kubernetes 1.30 (validation ratcheting) an update
// is not refused for a field that it leaves as it was.
func Check(have, want *apiextensionsv1.CustomResourceDefinition) error {
	var errs []error
	if have.Spec.Scope != want.Spec.Scope {
		errs = append(errs, fmt.Errorf("%s: scope changes from %s to %s; delete the definition and its objects first",
			want.Name, have.Spec.Scope, want.Spec.Scope))
	}
	next := map[string]*apiextensionsv1.CustomResourceDefinitionVersion{}
	for i := range want.Spec.Versions {
		next[want.Spec.Versions[i].Name] = &want.Spec.Versions[i]
	}
	for _, v := range have.Status.StoredVersions {
		if next[v] == nil {
			errs = append(errs, fmt.Errorf("%s: objects are stored as %s, which the new definition does not have; migrate "+
				"them first",
				want.Name, v))
		}
	}
	for i := range have.Spec.Versions {
		old := &have.Spec.Versions[i]
		v := next[old.Name]
		if v == nil || v.Schema == nil || old.Schema == nil {
			continue
		}
		c := comparison{prefix: want.Name + " " + old.Name}
		c.compare("", old.Schema.OpenAPIV3Schema, v.Schema.OpenAPIV3Schema)
		errs = append(errs, c.errs...)
	}
	return errors.Join(errs...)
}

type comparison struct {
	prefix string
	errs   []error
}

func (c *comparison) fail(path, format string, args ...any) {
	if path == "" {
		path = "."
	}
	c.errs = append(c.errs, fmt.Errorf("%s: field %s %s", c.prefix, path, fmt.Sprintf(format, args...)))
}

func (c *comparison) compare(path string, old, next *apiextensionsv1.JSONSchemaProps) {
	if old == nil || next == nil {
		return
	}
	if old.Type != next.Type {
		c.fail(path, "changes its type from %s to %s", old.Type, next.Type)
		return
	}
	c.enum(path, old, next)
	c.limits(path, old, next)
	for _, name := range next.Required {
		prop, ok := next.Properties[name]
		if !slices.Contains(old.Required, name) && (!ok || prop.Default == nil) {
			c.fail(path+"."+name, "becomes required without a default")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(old.Properties)) {
		o := old.Properties[name]
		if n, ok := next.Properties[name]; ok {
			c.compare(path+"."+name, &o, &n)
		} else if next.XPreserveUnknownFields == nil || !*next.XPreserveUnknownFields {
			c.fail(path+"."+name, "is removed, and its stored values with it")
		}
	}
	if old.Items != nil && next.Items != nil {
		c.compare(path+"[]", old.Items.Schema, next.Items.Schema)
	}
	if old.AdditionalProperties != nil && next.AdditionalProperties != nil {
		c.compare(path+"{}", old.AdditionalProperties.Schema, next.AdditionalProperties.Schema)
	}
}

func (c *comparison) enum(path string, old, next *apiextensionsv1.JSONSchemaProps) {
	if len(next.Enum) == 0 {
		return
	}
	if len(old.Enum) == 0 {
		c.fail(path, "is restricted to an enum")
		return
	}
	var gone []string
	for _, v := range old.Enum {
		if !slices.ContainsFunc(next.Enum, func(n apiextensionsv1.JSON) bool { return string(n.Raw) == string(v.Raw) }) {
			gone = append(gone, string(v.Raw))
		}
	}
	if len(gone) > 0 {
		c.fail(path, "loses the values %s", strings.Join(gone, ", "))
	}
}

func (c *comparison) limits(path string, old, next *apiextensionsv1.JSONSchemaProps) {
	tighter(c, path, limit[int64]{"maxLength", old.MaxLength, next.MaxLength, -1, false})
	tighter(c, path, limit[int64]{"minLength", old.MinLength, next.MinLength, 1, false})
	tighter(c, path, limit[int64]{"maxItems", old.MaxItems, next.MaxItems, -1, false})
	tighter(c, path, limit[int64]{"minItems", old.MinItems, next.MinItems, 1, false})
	tighter(c, path, limit[float64]{"maximum", old.Maximum, next.Maximum, -1,
		next.ExclusiveMaximum && !old.ExclusiveMaximum})
	tighter(c, path, limit[float64]{"minimum", old.Minimum, next.Minimum, 1,
		next.ExclusiveMinimum && !old.ExclusiveMinimum})
	if next.Pattern != "" && next.Pattern != old.Pattern {
		c.fail(path, "changes its pattern")
	}
	if f := next.Format; f != "" && f != old.Format && f != "int64" { // which every integer has
		c.fail(path, "gets the format %s", f)
	}
	if old.Nullable && !next.Nullable {
		c.fail(path, "may not be null any more")
	}
}

// limit is one bound of a schema before and after; sign is 1 for lower bounds and -1 for upper ones. excludes tells
// that the bound itself is no longer allowed.
type limit[N int64 | float64] struct {
	name      string
	old, next *N
	sign      N
	excludes  bool
}

// tighter reports a limit that excludes values which were allowed.
func tighter[N int64 | float64](c *comparison, path string, l limit[N]) {
	switch {
	case l.excludes && l.next != nil && l.old != nil && *l.next == *l.old:
		c.fail(path, "excludes its %s of %v", l.name, *l.next)
	case l.next == nil, l.old != nil && *l.next*l.sign <= *l.old*l.sign:
	case l.old == nil:
		c.fail(path, "gets a %s of %v", l.name, *l.next)
	default:
		c.fail(path, "changes its %s from %v to %v", l.name, *l.old, *l.next)
	}
}
