package apiserver

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
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

func newServer(t *testing.T, crds ...*apiextensionsv1.CustomResourceDefinition) *Server {
	t.Helper()
	s, err := New(crds...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newClient(t *testing.T, cfg *rest.Config) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func widget(name string, size int64) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"size": size}}}
	u.SetAPIVersion("test.stackwright.dev/v1alpha1")
	u.SetKind("Widget")
	u.SetNamespace("default")
	u.SetName(name)
	return u
}

func config(name, value string) *corev1.ConfigMap {
	meta := metav1.ObjectMeta{Name: name, Namespace: "default"}
	return &corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"a": value}}
}

func deployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}},
	}}
}

// pass lets fake time go by.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// TestManager runs the real manager, cache and client of controller-runtime against the server in a bubble.
func TestManager(t *testing.T) {
	proto := newServer(t, widgets(t))
	synctest.Test(t, func(t *testing.T) {
		s := proto.Fresh()
		ctx, cancel := context.WithCancel(t.Context())
		mgr, err := ctrl.NewManager(s.Config(), manager.Options{
			Scheme: clientgoscheme.Scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		})
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		count := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
			seen++
			return reconcile.Result{}, nil
		})
		if err := ctrl.NewControllerManagedBy(mgr).Named("test").For(widget("", 0)).Owns(&appsv1.Deployment{}).
			Complete(count); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- mgr.Start(ctx) }()
		pass(time.Second)
		c := mgr.GetClient()
		w := widget("one", 3)
		if err := c.Create(ctx, w); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if seen != 1 {
			t.Errorf("%d reconciles after the owner was made, want 1", seen)
		}
		d := deployment("web")
		d.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(w, w.GroupVersionKind())}
		if err := c.Create(ctx, d); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if seen != 2 {
			t.Errorf("%d reconciles after its child was made, want 2", seen)
		}
		s.DropWatches()
		pass(time.Minute)
		seen, d.Spec.Paused = 0, true // listing again looks like changes
		if err := c.Update(ctx, d); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if seen != 1 {
			t.Errorf("%d reconciles after a change that followed a dropped watch, want 1", seen)
		}
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
}

// TestClients talks with the protobuf, metadata and dynamic clients of client-go.
func TestClients(t *testing.T) {
	ctx := t.Context()
	cfg := newServer(t, widgets(t)).Config()
	proto := rest.CopyConfig(cfg)
	proto.ContentType = runtime.ContentTypeProtobuf
	typed, err := kubernetes.NewForConfig(proto)
	if err != nil {
		t.Fatal(err)
	}
	made, err := typed.CoreV1().ConfigMaps("default").Create(ctx, config("c", "1"), metav1.CreateOptions{})
	if err != nil || made.Data["a"] != "1" || made.UID == "" {
		t.Fatalf("creating by protobuf: %v, %v", made, err)
	}
	meta, err := metadata.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	list, err := meta.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].UID != made.UID {
		t.Fatalf("listing metadata: %v, %v", list, err)
	}
	dyn, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	gvr := schema.GroupVersionResource{Group: "test.stackwright.dev", Version: "v1alpha1", Resource: "widgets"}
	_, err = dyn.Resource(gvr).Namespace("default").Create(ctx, widget("w", 4), metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) {
		t.Errorf("an even size: got %v, want Invalid", err)
	}
	one := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("other")}
	if err := typed.CoreV1().ConfigMaps("default").Delete(ctx, "c", one); !apierrors.IsConflict(err) {
		t.Errorf("deleting under a wrong uid: got %v, want Conflict", err)
	}
	if err := typed.CoreV1().ConfigMaps("default").Delete(ctx, "c", metav1.DeleteOptions{}); err != nil {
		t.Errorf("deleting by protobuf: %v", err)
	}
}

// TestHandler serves over a socket; a watch sees events as they happen.
func TestHandler(t *testing.T) {
	h := httptest.NewServer(newServer(t))
	defer h.Close()
	typed, err := kubernetes.NewForConfig(&rest.Config{Host: h.URL})
	if err != nil {
		t.Fatal(err)
	}
	maps := typed.CoreV1().ConfigMaps("default")
	w, err := maps.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	if _, err := maps.Create(t.Context(), config("c", "1"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case e := <-w.ResultChan():
		if e.Type != watch.Added {
			t.Errorf("got event %s, want ADDED", e.Type)
		}
	case <-time.After(10 * time.Second):
		t.Error("no event within 10 s")
	}
}

// TestDefinition creates, uses and removes a custom kind.
func TestDefinition(t *testing.T) {
	ctx := t.Context()
	c := newClient(t, newServer(t).Config())
	if err := c.Create(ctx, widget("w", 3)); err == nil {
		t.Error("a widget was created before its definition")
	}
	crd := widgets(t)
	if err := c.Create(ctx, crd); err != nil {
		t.Fatal(err)
	}
	if len(crd.Status.Conditions) != 2 || crd.Status.StoredVersions[0] != "v1alpha1" {
		t.Errorf("the definition is not established: %+v", crd.Status)
	}
	if err := c.Create(ctx, widget("w", 3)); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(ctx, crd); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "w"}, widget("w", 0)); !apierrors.IsNotFound(err) {
		t.Errorf("after its definition the widget: got %v, want NotFound", err)
	}
	broken := widgets(t)
	broken.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = apiextensionsv1.JSONSchemaProps{
		Type: "object", XValidations: apiextensionsv1.ValidationRules{{Rule: "self.nothing > 1"}},
	}
	if err := c.Create(ctx, broken); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("a rule that does not compile: got %v, want an error that names it", err)
	}
}

// TestConcurrent lets writers race for one object by optimistic locking; none of their increments is lost.
func TestConcurrent(t *testing.T) {
	ctx := t.Context()
	cfg := newServer(t).Config()
	c := newClient(t, cfg)
	if err := c.Create(ctx, config("c", "")); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := 0; i < 10; {
				got := &corev1.ConfigMap{}
				if err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "c"}, got); err != nil {
					t.Error(err)
					return
				}
				got.Data[fmt.Sprintf("w%d-%d", w, i)] = ""
				switch err := c.Update(ctx, got); {
				case err == nil:
					i++
				case !apierrors.IsConflict(err):
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	got := &corev1.ConfigMap{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "c"}, got); err != nil || len(got.Data) != 41 {
		t.Errorf("%d keys and %v, want 41", len(got.Data), err)
	}
}

// TestExpired asks for a version that the server has forgotten, and for one that it does not have yet.
func TestExpired(t *testing.T) {
	ctx := t.Context()
	s := newServer(t)
	typed, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		t.Fatal(err)
	}
	maps := typed.CoreV1().ConfigMaps("default")
	made, err := maps.Create(ctx, config("c", "1"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.DropWatches("configmaps")
	_, err = maps.Watch(ctx, metav1.ListOptions{ResourceVersion: made.ResourceVersion})
	if !apierrors.IsResourceExpired(err) {
		t.Errorf("watching from a forgotten version: got %v, want Expired", err)
	}
	if _, err := maps.List(ctx, metav1.ListOptions{ResourceVersion: "99999"}); !apierrors.IsTimeout(err) {
		t.Errorf("listing at a version to come: got %v, want Timeout", err)
	}
}

func TestPodLog(t *testing.T) {
	s := newServer(t)
	typed, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		t.Fatal(err)
	}
	s.SetLog(client.ObjectKey{Namespace: "default", Name: "p"}, "last words")
	pods := typed.CoreV1().Pods("default")
	got, err := pods.GetLogs("p", &corev1.PodLogOptions{}).DoRaw(t.Context())
	if err != nil || string(got) != "last words" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := pods.GetLogs("q", &corev1.PodLogOptions{}).DoRaw(t.Context()); !apierrors.IsNotFound(err) {
		t.Errorf("the log of no pod: got %v, want NotFound", err)
	}
}

// BenchmarkApply measures one server-side apply that changes nothing, and one that does.
func BenchmarkApply(b *testing.B) {
	s, err := New()
	if err != nil {
		b.Fatal(err)
	}
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		b.Fatal(err)
	}
	c, err := client.New(s.Config(), client.Options{Scheme: scheme})
	if err != nil {
		b.Fatal(err)
	}
	apply := func(replicas int64) {
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "d", "namespace": "default"},
			"spec": map[string]any{
				"replicas": replicas, "selector": map[string]any{"matchLabels": map[string]any{"a": "b"}},
				"template": map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}},
					"spec": map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}}},
			},
		}}
		if err := c.Apply(b.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("kit")); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("same", func(b *testing.B) {
		for b.Loop() {
			apply(1)
		}
	})
	b.Run("changed", func(b *testing.B) {
		for i := int64(0); b.Loop(); i++ {
			apply(i)
		}
	})
}

// TestPagesMissNothing has namespaces of which one's name begins the other's: "a-b/" comes before "a/".
func TestPagesMissNothing(t *testing.T) {
	t.Parallel()
	c := newClient(t, newServer(t).Config())
	for _, ns := range []string{"a", "a-b", "b"} {
		for _, o := range []client.Object{
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}},
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "x"}},
		} {
			if err := c.Create(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	page := &corev1.ConfigMapList{}
	for more := true; more && len(got) < 9; more = page.Continue != "" {
		if err := c.List(t.Context(), page, client.Limit(1), client.Continue(page.Continue)); err != nil {
			t.Fatal(err)
		}
		for i := range page.Items {
			got = append(got, page.Items[i].Namespace)
		}
	}
	if fmt.Sprint(got) != "[a-b a b]" {
		t.Errorf("pages have the namespaces %v, want a-b, a and b", got)
	}
}
