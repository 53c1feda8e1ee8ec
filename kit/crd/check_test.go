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

func TestCheck(t *testing.T) {
	type crd = apiextensionsv1.CustomResourceDefinition
	type schema = apiextensionsv1.JSONSchemaProps
	set := func(s *schema, name string, f func(*schema)) {
		p := s.Properties[name]
		f(&p)
		s.Properties[name] = p
	}
	tests := map[string]struct {
		change func(*crd, *schema)
		want   string
	}{
		"same":         {},
		"new optional": {change: func(_ *crd, s *schema) { s.Properties["x"] = schema{Type: "string"} }},
		"longer enum": {change: func(_ *crd, s *schema) {
			set(s, "size", func(p *schema) { p.Enum = append(p.Enum, apiextensionsv1.JSON{Raw: []byte(`"xl"`)}) })
		}},
		"looser limit": {change: func(_ *crd,
			s *schema) {
			set(s, "name", func(p *schema) { p.MaxLength = new(int64(253)) })
		}},
		"shorter enum": {change: func(_ *crd, s *schema) { set(s, "size", func(p *schema) { p.Enum = p.Enum[:1] }) },
			want: `.spec.size loses the values "large"`},
		"tighter limit": {change: func(_ *crd, s *schema) {
			set(s, "name",
				func(p *schema) { p.MaxLength = new(int64(10)) })
		}, want: ".spec.name changes its maxLength from 63 to 10"},
		"new minimum": {change: func(_ *crd, s *schema) { set(s, "list", func(p *schema) { p.MinItems = new(int64(1)) }) },
			want: ".spec.list gets a minItems of 1"},
		"other type": {change: func(_ *crd,
			s *schema) {
			set(s, "list",
				func(p *schema) { p.Items.Schema.Type = "integer" })
		}, want: ".spec.list[] changes its type from string to integer"},
		"new required": {change: func(_ *crd, s *schema) { s.Required = []string{"name"} },
			want: ".spec.name becomes required without a default"},
		"field removed": {change: func(_ *crd, s *schema) { delete(s.Properties, "name") }, want: ".spec.name is removed"},
		"scope": {change: func(c *crd, _ *schema) { c.Spec.Scope = apiextensionsv1.ClusterScoped },
			want: "scope changes from Namespaced to Cluster"},
		"version dropped": {change: func(c *crd, _ *schema) {
			c.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1"}}
		}, want: "objects are stored as v1alpha1"},
	}
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
