package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// custom makes the kind that a CustomResourceDefinition defines. It refuses what the real server refuses: schemas that
// are not structural, rules that do not compile or cost too much.
func custom(crd *apiextensionsv1.CustomResourceDefinition) (*kind, error) {
	in := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(
		crd.DeepCopy(), in, nil); err != nil {
		return nil, fmt.Errorf("reading CustomResourceDefinition %s: %w", crd.Name, err)
	}
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			in.Status.StoredVersions = []string{v.Name}
		}
	}
	if errs := validation.ValidateCustomResourceDefinition(context.Background(), in); len(errs) > 0 {
		return nil, fmt.Errorf("checking CustomResourceDefinition %s: %w", crd.Name, errs.ToAggregate())
	}
	names := crd.Spec.Names
	k := &kind{
		plural: names.Plural, singular: names.Singular, list: names.ListKind, short: names.ShortNames,
		categories: names.Categories, namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
		strategies: map[string]map[string]strategy{},
	}
	schemas := map[string]*structuralschema.Structural{}
	models := metaModels()
	for _, v := range crd.Spec.Versions {
		gvk := schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: names.Kind}
		if v.Storage {
			k.gvk = gvk
			k.status = v.Subresources != nil && v.Subresources.Status != nil
		}
		if !v.Served {
			continue
		}
		k.versions = append(k.versions, v.Name)
		s, err := k.version(gvk, v)
		if err != nil {
			return nil, fmt.Errorf("reading version %s of CustomResourceDefinition %s: %w", v.Name, crd.Name, err)
		}
		schemas[v.Name] = s
		models[gvk.String()] = model(gvk, s)
	}
	var err error
	if k.converter, err = managedfields.NewTypeConverter(models, false); err != nil {
		return nil, fmt.Errorf("reading the schemas of CustomResourceDefinition %s: %w", crd.Name, err)
	}
	k.clean = func(u *unstructured.Unstructured) error { return prune(u, schemas[u.GroupVersionKind().Version]) }
	k.fill = func(u *unstructured.Unstructured) {
		defaulting.Default(u.Object, schemas[u.GroupVersionKind().Version])
	}
	return k, nil
}

// version sets the strategies of one version and returns its schema.
func (k *kind) version(gvk schema.GroupVersionKind, v apiextensionsv1.CustomResourceDefinitionVersion) (
	*structuralschema.Structural, error) {
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return nil, fmt.Errorf("there is no schema; a CustomResourceDefinition of apiextensions.k8s.io/v1 needs one")
	}
	in := &apiextensions.CustomResourceValidation{}
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(
		v.Schema, in, nil); err != nil {
		return nil, err
	}
	s, err := structuralschema.NewStructural(in.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	s = s.DeepCopy()
	if err := defaulting.PruneDefaults(s); err != nil {
		return nil, err
	}
	whole, _, err := schemavalidation.NewSchemaValidator(in.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	var status *apiextensions.CustomResourceSubresourceStatus
	var statusValidator schemavalidation.SchemaValidator
	if v.Subresources != nil && v.Subresources.Status != nil {
		status = &apiextensions.CustomResourceSubresourceStatus{}
		if p, ok := in.OpenAPIV3Schema.Properties["status"]; ok {
			if statusValidator, _, err = schemavalidation.NewSchemaValidator(&p); err != nil {
				return nil, err
			}
		}
	}
	main := customresource.NewStrategy(unstructuredscheme.NewUnstructuredObjectTyper(), k.namespaced, gvk, whole,
		statusValidator, s, status, nil, v.SelectableFields)
	k.strategies[gvk.Version] = map[string]strategy{"": main}
	if status != nil {
		k.strategies[gvk.Version]["status"] = customresource.NewStatusStrategy(main)
	}
	return s, nil
}

// prune removes unknown fields, nulls that the schema does not allow and malformed metadata.
func prune(u *unstructured.Unstructured, s *structuralschema.Structural) error {
	m, found, err := objectmeta.GetObjectMeta(u.Object, false)
	if err != nil {
		return err
	}
	pruning.Prune(u.Object, s, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, s)
	if err := objectmeta.Coerce(nil, u.Object, s, false, false); err != nil {
		return err
	}
	if found {
		return objectmeta.SetObjectMeta(u.Object, m)
	}
	return nil
}

// model turns the schema of a version into the OpenAPI model that field ownership is computed with.
func model(gvk schema.GroupVersionKind, s *structuralschema.Structural) *spec.Schema {
	out := s.Unfold().ToKubeOpenAPI()
	identify(out)
	embed(out)
	out.AddExtension("x-kubernetes-group-version-kind", []any{
		map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind},
	})
	return out
}

// identify gives a schema the properties that every object has.
func identify(s *spec.Schema) {
	s.SetProperty("apiVersion", *spec.StringProperty())
	s.SetProperty("kind", *spec.StringProperty())
	s.SetProperty("metadata", *spec.RefSchema("#/components/schemas/" + objectMeta))
}

// embed does it for objects inside of the object.
func embed(s *spec.Schema) {
	for name, p := range s.Properties {
		embed(&p)
		s.Properties[name] = p
	}
	if s.Items != nil && s.Items.Schema != nil {
		embed(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		embed(s.AdditionalProperties.Schema)
	}
	if yes, _ := s.Extensions.GetBool("x-kubernetes-embedded-resource"); yes {
		identify(s)
	}
}

// metaModels returns the OpenAPI models of ObjectMeta and what it refers to.
func metaModels() map[string]*spec.Schema {
	out := map[string]*spec.Schema{}
	all := generatedopenapi.GetOpenAPIDefinitions(func(name string) spec.Ref {
		return spec.MustCreateRef("#/components/schemas/" + name)
	})
	wanted := []string{objectMeta}
	for len(wanted) > 0 {
		name := wanted[0]
		wanted = wanted[1:]
		if out[name] == nil {
			d := all[name]
			out[name] = &d.Schema
			wanted = append(wanted, d.Dependencies...)
		}
	}
	return out
}

// catalog keeps compiled custom kinds, so that a server made by Fresh need not compile them again.
type catalog struct{ kinds map[string]*kind }

func (c *catalog) clone() *catalog { return &catalog{maps.Clone(c.kinds)} }

func (c *catalog) kind(crd *apiextensionsv1.CustomResourceDefinition) (*kind, error) {
	raw, err := json.Marshal(crd.Spec)
	if err != nil {
		return nil, fmt.Errorf("encoding CustomResourceDefinition %s: %w", crd.Name, err)
	}
	if k := c.kinds[string(raw)]; k != nil {
		return k, nil
	}
	k, err := custom(crd)
	if err != nil {
		return nil, err
	}
	c.kinds[string(raw)] = k
	return k, nil
}

// crdName tells whether a name fits its CustomResourceDefinition.
func crdName(crd *apiextensionsv1.CustomResourceDefinition) bool {
	return crd.Name == strings.Join([]string{crd.Spec.Names.Plural, crd.Spec.Group}, ".")
}
