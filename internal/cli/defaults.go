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

// schemas are the definitions of our kinds, by the kind of an object.
var schemas = sync.OnceValues(func() (map[schema.GroupVersionKind]*apiextensionsv1.JSONSchemaProps, error) {
	files, err := install.CRDs()
	if err != nil {
		return nil, fmt.Errorf("reading the definitions: %w", err)
	}
	out := map[schema.GroupVersionKind]*apiextensionsv1.JSONSchemaProps{}
	for name, text := range files {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(text, crd); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		for _, v := range crd.Spec.Versions {
			gvk := schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}
			out[gvk] = v.Schema.OpenAPIV3Schema
		}
	}
	return out, nil
})

// setDefaults sets what the API server would set in an object of ours; others stay as they are.
func setDefaults(o client.Object) error {
	all, err := schemas()
	if err != nil {
		return err
	}
	published := all[o.GetObjectKind().GroupVersionKind()]
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
