package install

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	"stackwright.dev/stackwright/charts"
)

const galeras = "galeras.infra.stackwright.dev"

// later gives a definition a field that this program does not know.
func later(d *apiextensionsv1.CustomResourceDefinition) map[string]apiextensionsv1.JSONSchemaProps {
	spec := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties
	spec["later"] = apiextensionsv1.JSONSchemaProps{Type: "string"}
	return spec
}

// refusal are the words of a refusal: what would break, that nothing has, and the two ways out.
func refusal() []string {
	return []string{galeras + " v1alpha1: field .spec.later is removed, and its stored values with it",
		"nothing was changed", "at least as new", "stackwright crds | kubectl apply"}
}

// An older program must not take fields away from objects that a newer one keeps in them.
func TestDefinitionsOfANewerProgramStay(t *testing.T) {
	text, err := fs.ReadFile(charts.Operator, folder+"/crds/infra.stackwright.dev_galeras.yaml")
	if err != nil {
		t.Fatal(err)
	}
	newer := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(text, newer); err != nil {
		t.Fatal(err)
	}
	later(newer)
	s := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	applied := 0
	c := fake.NewClientBuilder().WithScheme(s).WithObjects(newer).WithInterceptorFuncs(interceptor.Funcs{
		Apply: func(context.Context, client.WithWatch, runtime.ApplyConfiguration, ...client.ApplyOption) error {
			applied++
			return context.Canceled
		}}).Build()
	err = ApplyCRDs(t.Context(), c)
	for _, want := range refusal() {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the answer is %v\nwant %s", err, want)
		}
	}
	if applied != 0 {
		t.Errorf("%d definitions were applied, want none", applied)
	}
}
