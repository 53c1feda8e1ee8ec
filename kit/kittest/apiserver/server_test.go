package apiserver

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"
)

func widgets(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	raw, err := os.ReadFile("testdata/widgets.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(raw, crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

func widget(name string, size int64) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"size": size}}}
	u.SetAPIVersion("test.stackwright.dev/v1alpha1")
	u.SetKind("Widget")
	u.SetNamespace("default")
	u.SetName(name)
	return u
}

// pass lets fake time go by.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// TestManager runs the real manager, cache and client of controller-runtime against the server in a bubble.
func TestManager(t *testing.T) {
	start := time.Now()
	s, err := New(widgets(t))
	t.Log("new", time.Since(start))
	if err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	synctest.Test(t, func(t *testing.T) {
		s, err := s.Fresh()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		mgr, err := ctrl.NewManager(s.Config(), manager.Options{
			Scheme: clientgoscheme.Scheme, Metrics: server.Options{BindAddress: "0"},
		})
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		err = ctrl.NewControllerManagedBy(mgr).Named("test").For(widget("", 0)).Owns(&appsv1.Deployment{}).
			Complete(reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
				seen++
				return reconcile.Result{}, nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() { done <- mgr.Start(ctx) }()
		pass(time.Second)
		c := mgr.GetClient()
		w := widget("one", 3)
		if err := c.Create(ctx, w); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if seen != 1 {
			t.Fatalf("%d reconciles, want 1", seen)
		}
		d := &appsv1.Deployment{}
		d.Name, d.Namespace = "web", "default"
		d.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
		d.Spec.Template.Labels = d.Spec.Selector.MatchLabels
		d.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(w, w.GroupVersionKind())}
		if err := c.Create(ctx, d); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if seen != 2 {
			t.Fatalf("%d reconciles, want 2", seen)
		}
		got := &appsv1.Deployment{}
		if err := c.Get(ctx, client.ObjectKeyFromObject(d), got); err != nil {
			t.Fatal(err)
		}
		y, _ := yaml.Marshal(got)
		t.Logf("%s", y)
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
	t.Log("bubble", time.Since(start))
}
