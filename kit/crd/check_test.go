package crd

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func definition(change func(*apiextensionsv1.CustomResourceDefinition,
	*apiextensionsv1.JSONSchemaProps)) *apiextensionsv1.CustomResourceDefinition {
	spec := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"size": {Type: "string", Enum: []apiextensionsv1.JSON{{Raw: []byte(`"small"`)}, {Raw: []byte(`"large"`)}}},
		"name": {Type: "string", MaxLength: new(int64(63))},
		"port": {Type: "integer", Format: "int32", Minimum: new(0.0), Maximum: new(65535.0), Nullable: true},
		"list": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{
			Schema: &apiextensionsv1.JSONSchemaProps{Type: "string"}}},
	}}
	c := &apiextensionsv1.CustomResourceDefinition{}
	c.Name = "apps.example"
	c.Spec.Scope = apiextensionsv1.NamespaceScoped
	c.Status.StoredVersions = []string{"v1alpha1"}
	if change != nil {
		change(c, &spec)
	}
	if c.Spec.Versions == nil {
		c.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1alpha1",
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object",
				Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec}}}}}
	}
	return c
}

type (
	crd   = apiextensionsv1.CustomResourceDefinition
	props = apiextensionsv1.JSONSchemaProps
)

func set(s *props, name string, f func(*props)) {
	p := s.Properties[name]
	f(&p)
	s.Properties[name] = p
}

// change is one of a definition, and what it breaks; empty for nothing.
type change struct {
	change func(*crd, *props)
	want   string
}

func TestCheck(t *testing.T) {
	check(t, map[string]change{
		"same":         {},
		"new optional": {change: func(_ *crd, s *props) { s.Properties["x"] = props{Type: "string"} }},
		"longer enum": {change: func(_ *crd, s *props) {
			set(s, "size", func(p *props) { p.Enum = append(p.Enum, apiextensionsv1.JSON{Raw: []byte(`"xl"`)}) })
		}},
		"looser limit": {change: func(_ *crd,
			s *props) {
			set(s, "name", func(p *props) { p.MaxLength = new(int64(253)) })
		}},
		"shorter enum": {change: func(_ *crd, s *props) { set(s, "size", func(p *props) { p.Enum = p.Enum[:1] }) },
			want: `.spec.size loses the values "large"`},
		"tighter limit": {change: func(_ *crd, s *props) {
			set(s, "name",
				func(p *props) { p.MaxLength = new(int64(10)) })
		}, want: ".spec.name changes its maxLength from 63 to 10"},
		"new minimum": {change: func(_ *crd, s *props) { set(s, "list", func(p *props) { p.MinItems = new(int64(1)) }) },
			want: ".spec.list gets a minItems of 1"},
		"other type": {change: func(_ *crd,
			s *props) {
			set(s, "list",
				func(p *props) { p.Items.Schema.Type = "integer" })
		}, want: ".spec.list[] changes its type from string to integer"},
		"new required": {change: func(_ *crd, s *props) { s.Required = []string{"name"} },
			want: ".spec.name becomes required without a default"},
		"field removed": {change: func(_ *crd, s *props) { delete(s.Properties, "name") }, want: ".spec.name is removed"},
		"scope": {change: func(c *crd, _ *props) { c.Spec.Scope = apiextensionsv1.ClusterScoped },
			want: "scope changes from Namespaced to Cluster"},
		"version dropped": {change: func(c *crd, _ *props) {
			c.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1"}}
		}, want: "objects are stored as v1alpha1"},
	})
}

// What is narrower than it was, and what is not.
func TestCheckOfNarrowing(t *testing.T) {
	check(t, map[string]change{
		"wider format": {change: func(_ *crd, s *props) { set(s, "port", func(p *props) { p.Format = "int64" }) }},
		"free format":  {change: func(_ *crd, s *props) { set(s, "port", func(p *props) { p.Format = "" }) }},
		"lower minimum": {change: func(_ *crd, s *props) {
			set(s, "port", func(p *props) { p.Minimum, p.ExclusiveMinimum = new(-1.0), true })
		}},
		"new format": {change: func(_ *crd, s *props) { set(s, "name", func(p *props) { p.Format = "uuid" }) },
			want: ".spec.name gets the format uuid"},
		"not null": {change: func(_ *crd, s *props) { set(s, "port", func(p *props) { p.Nullable = false }) },
			want: ".spec.port may not be null any more"},
		"exclusive minimum": {change: func(_ *crd, s *props) {
			set(s, "port", func(p *props) { p.ExclusiveMinimum = true })
		}, want: ".spec.port excludes its minimum of 0"},
		"exclusive maximum": {change: func(_ *crd, s *props) {
			set(s, "port", func(p *props) { p.ExclusiveMaximum = true })
		}, want: ".spec.port excludes its maximum of 65535"},
	})
}

func check(t *testing.T, tests map[string]change) {
	t.Helper()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := Check(definition(nil), definition(tc.change))
			switch {
			case tc.want == "" && err != nil:
				t.Fatalf("got %v, want no error", err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Fatalf("got %v, want %q", err, tc.want)
			}
		})
	}
}
