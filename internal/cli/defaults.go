package cli

import (
	"fmt"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/stackwright/internal/cli/install"
)

// definition is what the API server knows of a kind of ours.
type definition struct {
	schema     *apiextensionsv1.JSONSchemaProps
	namespaced bool
}

// defined are the definitions of our kinds, by the kind of an object.
var defined = sync.OnceValues(func() (map[schema.GroupVersionKind]definition, error) {
	files, err := install.CRDs()
	if err != nil {
		return nil, fmt.Errorf("reading the definitions: %w", err)
	}
	out := map[schema.GroupVersionKind]definition{}
	for name, text := range files {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(text, crd); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		for _, v := range crd.Spec.Versions {
			gvk := schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}
			out[gvk] = definition{v.Schema.OpenAPIV3Schema, crd.Spec.Scope == apiextensionsv1.NamespaceScoped}
		}
	}
	return out, nil
})

// place puts an object of ours that says no namespace into one, unless its kind has none.
func place(o client.Object, namespace string) error {
	all, err := defined()
	if o.GetNamespace() == "" && all[o.GetObjectKind().GroupVersionKind()].namespaced {
		o.SetNamespace(namespace)
	}
	return err
}

// setDefaults sets what the API server would set in an object of ours; others stay as they are.
func setDefaults(o client.Object) error {
	all, err := defined()
	if err != nil {
		return err
	}
	published := all[o.GetObjectKind().GroupVersionKind()].schema
	if published == nil {
		return nil
	}
	internal := &apiextensions.JSONSchemaProps{}
	err = apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(published, internal, nil)
	if err != nil {
		return fmt.Errorf("converting the schema: %w", err)
	}
	s, err := structural.NewStructural(internal)
	if err != nil {
		return fmt.Errorf("reading the schema: %w", err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return fmt.Errorf("encoding the object: %w", err)
	}
	defaulting.Default(content, s)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, o); err != nil {
		return fmt.Errorf("decoding the object: %w", err)
	}
	return nil
}
