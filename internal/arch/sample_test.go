package arch

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// checker says what the API server would say about an object of one version of one kind.
type checker struct {
	structural *schema.Structural
	fields     validation.SchemaValidator
	rules      *cel.Validator
}

func newChecker(v apiextensionsv1.CustomResourceDefinitionVersion) (*checker, error) {
	internal := &apiextensions.JSONSchemaProps{}
	convert := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps
	err := convert(v.Schema.OpenAPIV3Schema, internal, nil)
	if err != nil {
		return nil, fmt.Errorf("converting the schema: %w", err)
	}
	structural, err := schema.NewStructural(internal)
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	fields, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return nil, fmt.Errorf("compiling the schema: %w", err)
	}
	return &checker{structural, fields, cel.NewValidator(structural, true, celconfig.PerCallLimit)}, nil
}

// complaints are what the API server would refuse, and fields that it would drop in silence.
func (c *checker) complaints(t *testing.T, object map[string]any) []string {
	t.Helper()
	defaulting.Default(object, c.structural)
	var list []string
	for _, err := range validation.ValidateCustomResource(nil, object, c.fields) {
		list = append(list, err.Error())
	}
	errs, _ := c.rules.Validate(t.Context(), nil, c.structural, object, nil, celconfig.RuntimeCELCostBudget)
	for _, err := range errs {
		list = append(list, err.Error())
	}
	unknown := pruning.PruneWithOptions(object, c.structural, true,
		schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	for _, path := range unknown {
		list = append(list, path+": no such field")
	}
	return list
}

// validate returns what is wrong with a YAML document that may hold several objects. Objects of groups that are not
// ours only have to be objects. The kinds of ours that occur are added to seen.
func validate(t *testing.T, text string, seen map[string]bool) []string {
	t.Helper()
	var list []string
	for doc := range strings.SplitSeq(text, "\n---\n") {
		object, err := decode(doc)
		if err != nil {
			list = append(list, err.Error())
			continue
		}
		u := unstructured.Unstructured{Object: object}
		gvk := u.GroupVersionKind()
		if !strings.HasSuffix(gvk.Group, ".stackwright.dev") {
			continue
		}
		seen[gvk.Kind] = true
		v := version(crds(t)[gvk.Kind], gvk.Version)
		if v == nil {
			list = append(list, fmt.Sprintf("%s is no kind of ours", gvk))
			continue
		}
		c, err := newChecker(*v)
		if err != nil {
			list = append(list, gvk.Kind+": "+err.Error())
			continue
		}
		for _, complaint := range c.complaints(t, object) {
			list = append(list, gvk.Kind+": "+complaint)
		}
	}
	return list
}

// decode reads YAML as the API server does, with whole numbers as integers.
func decode(doc string) (map[string]any, error) {
	data, err := yaml.YAMLToJSONStrict([]byte(doc))
	if err != nil {
		return nil, err
	}
	object := map[string]any{}
	return object, json.Unmarshal(data, &object)
}

func version(crd *definition, name string) *apiextensionsv1.CustomResourceDefinitionVersion {
	if crd == nil {
		return nil
	}
	for i, v := range crd.Spec.Versions {
		if v.Name == name {
			return &crd.Spec.Versions[i]
		}
	}
	return nil
}

// Every CRD must be one that an API server accepts, or no sample can be checked against it.
func TestSchemasAreStructural(t *testing.T) {
	for kind, crd := range crds(t) {
		for _, v := range crd.Spec.Versions {
			c, err := newChecker(v)
			if err != nil {
				t.Errorf("%s %s: %v", kind, v.Name, err)
				continue
			}
			for _, err := range schema.ValidateStructural(nil, c.structural) {
				t.Errorf("%s %s: %v", kind, v.Name, err)
			}
		}
	}
}

func TestValidateRefuses(t *testing.T) {
	const head = "apiVersion: controlplane.stackwright.dev/v1alpha1\nkind: OpenStackControlPlane\nmetadata: {name: x}\n"
	for name, c := range map[string]struct{ text, want string }{
		"unknown field": {head + "spec: {release: epoxy, colour: red}", "spec.colour: no such field"},
		"wrong type":    {head + "spec: {release: 7}", "spec.release"},
		"unknown kind":  {"apiVersion: infra.stackwright.dev/v1alpha1\nkind: Gallera", "is no kind of ours"},
		"foreign":       {"apiVersion: v1\nkind: Secret", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(validate(t, c.text, map[string]bool{}), "\n")
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("validate says %q, want %q", got, c.want)
			}
		})
	}
}
