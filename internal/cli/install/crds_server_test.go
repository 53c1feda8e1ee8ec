//go:build apiserver

package install

import (
	"context"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What this server has is taken again, and what a newer program has put there is not taken away.
func TestServerKeepsDefinitionsOfANewerProgram(t *testing.T) {
	c, _ := installed(t)
	begin := time.Now()
	again := &applies{Client: c}
	must(t, ApplyCRDs(t.Context(), again))
	t.Logf("the same definitions took %v", time.Since(begin))
	if again.n > 0 {
		t.Errorf("%d definitions that are there were applied again", again.n)
	}
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
	change(func() { delete(later(d), "later"); d.Spec.Names.Categories = nil })
	must(t, ApplyCRDs(t.Context(), again))
	must(t, c.Get(t.Context(), client.ObjectKey{Name: galeras}, d))
	if again.n != 1 || len(d.Spec.Names.Categories) == 0 {
		t.Errorf("of a definition that was changed %d were applied, and its categories are %v", again.n,
			d.Spec.Names.Categories)
	}
}

// applies counts what is applied.
type applies struct {
	client.Client

	n int
}

func (a *applies) Apply(ctx context.Context, o runtime.ApplyConfiguration, options ...client.ApplyOption) error {
	a.n++
	return a.Client.Apply(ctx, o, options...)
}
