//go:build apiserver

package install

import (
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What this server has is taken again, and what a newer program has put there is not taken away.
func TestServerKeepsDefinitionsOfANewerProgram(t *testing.T) {
	c, _ := installed(t)
	begin := time.Now()
	must(t, ApplyCRDs(t.Context(), c))
	t.Logf("the same definitions took %v", time.Since(begin))
	d := &apiextensionsv1.CustomResourceDefinition{}
	change := func(f func()) {
		must(t, c.Get(t.Context(), client.ObjectKey{Name: galeras}, d))
		f()
		must(t, c.Update(t.Context(), d))
	}
	change(func() { later(d) })
	refused(t, ApplyCRDs(t.Context(), c), refusal()...)
	must(t, c.Get(t.Context(), client.ObjectKey{Name: galeras}, d))
	if _, ok := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["later"]; !ok {
		t.Error("the field is gone")
	}
	change(func() { delete(later(d), "later") })
	must(t, ApplyCRDs(t.Context(), c))
}
