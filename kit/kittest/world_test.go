package kittest_test

import (
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"stackwright.dev/kit"
	"stackwright.dev/kit/examples/app"
	appv1alpha1 "stackwright.dev/kit/examples/app/api/v1alpha1"
	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/kittest/endpoint"
)

// example is the folder of the operator that plays here. Its own tests are beside it, and are those of all checks that
// pass.
const example = "../examples/app/"

func scenario(t *testing.T) kittest.Scenario {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, appv1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return kittest.Scenario{
		Scheme: scheme,
		Controllers: func(outside http.RoundTripper) ([]kit.Controller, error) {
			c, err := kit.New(app.Definition(outside), scheme)
			return []kit.Controller{c}, err
		},
		CRDs:    []string{example + "crd"},
		Files:   []string{example + "testdata/app.yaml"},
		Outside: func() http.RoundTripper { return endpoint.New() },
	}
}
