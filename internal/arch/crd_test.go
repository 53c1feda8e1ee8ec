package arch

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// maxCRD keeps client-side kubectl apply working: it puts the object into an annotation, and all of them have 256 KiB.
const maxCRD = 120_000

type definition = apiextensionsv1.CustomResourceDefinition

// readCRDs reads the CRDs of the charts and of the kit's examples, by kind; once, as they are many.
var readCRDs = sync.OnceValues(func() (map[string]*definition, error) {
	byKind := map[string]*definition{}
	for _, pattern := range []string{"charts/*/crds/*.yaml", "kit/examples/*/crd/*.yaml"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			crd := &definition{}
			if err := yaml.UnmarshalStrict(content, crd); err != nil {
				return nil, fmt.Errorf("reading %s: %w", path, err)
			}
			byKind[crd.Spec.Names.Kind] = crd
		}
	}
	return byKind, nil
})

// crds returns the CRDs of the charts and of the kit's examples, by kind.
func crds(t *testing.T) map[string]*definition {
	t.Helper()
	byKind, err := readCRDs()
	if err != nil {
		t.Fatal(err)
	}
	return maps.Clone(byKind)
}

// kinds returns the CRDs of the charts.
func kinds(t *testing.T) map[string]*definition {
	t.Helper()
	byKind := crds(t)
	maps.DeleteFunc(byKind, func(_ string, d *definition) bool {
		return strings.HasSuffix(d.Spec.Group, ".kit.stackwright.dev")
	})
	if len(byKind) == 0 {
		t.Fatal("found no CRD in charts/*/crds; run make generate")
	}
	return byKind
}

func TestCRDsAreSmall(t *testing.T) {
	for kind, crd := range crds(t) {
		data, err := json.Marshal(crd)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > maxCRD {
			t.Errorf("the CRD of %s has %d bytes, at most %d; shorten descriptions of borrowed types", kind, len(data), maxCRD)
		}
	}
}

func TestKindsAreNiceToList(t *testing.T) {
	for kind, crd := range kinds(t) {
		names := crd.Spec.Names
		if len(names.ShortNames) == 0 {
			t.Errorf("%s has no short name; add +kubebuilder:resource:shortName", kind)
		}
		if !slices.Contains(names.Categories, "stackwright") && !slices.Contains(names.Categories, "openstack") {
			t.Errorf("%s is in no category; add stackwright or openstack to +kubebuilder:resource:categories", kind)
		}
		for _, v := range crd.Spec.Versions {
			for _, want := range columns(v) {
				t.Errorf("%s %s has no print column %s; add +kubebuilder:printcolumn", kind, v.Name, want)
			}
		}
	}
}

// columns returns the print columns that a version lacks. Kinds without a status are data and need no READY.
func columns(v apiextensionsv1.CustomResourceDefinitionVersion) []string {
	missing := map[string]bool{"AGE": true}
	if _, ok := v.Schema.OpenAPIV3Schema.Properties["status"]; ok {
		missing["READY"], missing["REASON"] = true, true
	}
	for _, c := range v.AdditionalPrinterColumns {
		delete(missing, strings.ToUpper(c.Name))
	}
	return slices.Sorted(maps.Keys(missing))
}

func TestFieldsAreDescribedAndBounded(t *testing.T) {
	for kind, crd := range crds(t) {
		for _, v := range crd.Spec.Versions {
			for _, part := range []string{"spec", "status"} {
				s, ok := v.Schema.OpenAPIV3Schema.Properties[part]
				if !ok {
					continue
				}
				for _, complaint := range lint(kind+"."+part, s) {
					t.Error(complaint)
				}
			}
			if _, ok := v.Schema.OpenAPIV3Schema.Properties["status"]; ok && v.Subresources == nil {
				t.Errorf("%s %s has a status but no status subresource; add +kubebuilder:subresource:status", kind, v.Name)
			}
		}
	}
}

// borrowed fields have a type of Kubernetes, whose bounds are not ours to set: the API server checks them where they
// end up.
var borrowed = []string{"resources", "nodeSelector", "tolerations", "topologySpread", "namespaceSelector"}

// repeated fields have their insides described by the services' own kinds, not once more for each in a control plane.
var repeated = regexp.MustCompile(`^OpenStackControlPlane\.spec\.services\..+\.(expose|extraVolumes)\W`)

// lint returns what a schema lacks, with the path of the field.
func lint(path string, s apiextensionsv1.JSONSchemaProps) []string {
	list := unbounded(path, s)
	if s.Description == "" && !strings.HasSuffix(path, "]") && !repeated.MatchString(path) {
		list = append(list, path+" has no description; say what the field is for")
	}
	for inner, child := range children(path, s) {
		list = append(list, lint(inner, child)...)
	}
	slices.Sort(list)
	return list
}

// unbounded tells what could grow without an end.
func unbounded(path string, s apiextensionsv1.JSONSchemaProps) []string {
	var list []string
	complain := func(wrong bool, text string) {
		if wrong {
			list = append(list, path+" "+text)
		}
	}
	switch s.Type {
	case "string":
		complain(s.MaxLength == nil && s.Enum == nil && s.Format == "" && !isDuration(s),
			"is a string without an end; add +kubebuilder:validation:MaxLength or an Enum")
	case "array":
		complain(s.XListType == nil, "is a list without a type; add +listType=map, set or atomic")
		complain(s.MaxItems == nil, "is a list without an end; add +kubebuilder:validation:MaxItems")
	case "object":
		complain(s.AdditionalProperties != nil && s.MaxProperties == nil,
			"is a map without an end; add +kubebuilder:validation:MaxProperties")
	}
	return list
}

// children returns the schemas below s by their paths, but not those inside of borrowed fields.
func children(path string, s apiextensionsv1.JSONSchemaProps) map[string]apiextensionsv1.JSONSchemaProps {
	below := map[string]apiextensionsv1.JSONSchemaProps{}
	if s.Items != nil && s.Items.Schema != nil {
		below[path+"[]"] = *s.Items.Schema
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		below[path+"[*]"] = *s.AdditionalProperties.Schema
	}
	for name, property := range s.Properties {
		if slices.Contains(borrowed, name) {
			property = apiextensionsv1.JSONSchemaProps{Description: property.Description}
		}
		below[path+"."+name] = property
	}
	return below
}

// isDuration tells durations of metav1, to which a length cannot be given; their rule parses them.
func isDuration(s apiextensionsv1.JSONSchemaProps) bool {
	return slices.ContainsFunc(s.XValidations, func(r apiextensionsv1.ValidationRule) bool {
		return strings.Contains(r.Rule, "duration(self)")
	})
}

func TestLintFindsWhatIsMissing(t *testing.T) {
	str := apiextensionsv1.JSONSchemaProps{Type: "string", Description: "d", MaxLength: new(int64(1))}
	for name, c := range map[string]struct {
		change func(*apiextensionsv1.JSONSchemaProps)
		want   string
	}{
		"good":           {func(*apiextensionsv1.JSONSchemaProps) {}, ""},
		"no description": {func(s *apiextensionsv1.JSONSchemaProps) { s.Description = "" }, "no description"},
		"string": {func(s *apiextensionsv1.JSONSchemaProps) {
			s.Properties = map[string]apiextensionsv1.JSONSchemaProps{"a": {Type: "string", Description: "d"}}
		}, "X.a is a string without an end"},
		"list": {func(s *apiextensionsv1.JSONSchemaProps) {
			s.Type, s.Items = "array", &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &str}
		}, "a list without a type"},
		"map": {func(s *apiextensionsv1.JSONSchemaProps) {
			s.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &str}
		}, "a map without an end"},
	} {
		t.Run(name, func(t *testing.T) {
			s := apiextensionsv1.JSONSchemaProps{Type: "object", Description: "d"}
			c.change(&s)
			got := strings.Join(lint("X", s), "\n")
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("lint says %q, want %q", got, c.want)
			}
		})
	}
}
