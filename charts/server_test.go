//go:build apiserver

package charts_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/kube"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/cli/install"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

// connect makes a client of the cluster, which has our kinds from the first one on.
var connect = sync.OnceValues(func() (client.Client, error) {
	s := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(s), apiextensionsv1.AddToScheme(s)); err != nil {
		return nil, err
	}
	c, err := client.New(live, client.Options{Scheme: s})
	if err != nil {
		return nil, err
	}
	return c, install.ApplyCRDs(context.Background(), c)
})

// served is a client of the cluster and a namespace for the test.
func served(t *testing.T) (client.Client, string) {
	t.Helper()
	c, err := connect()
	must(t, err)
	ns := strings.ReplaceAll(strings.ToLower(t.Name()), "/", "-")
	must(t, c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}))
	return c, ns
}

// helm works in a namespace of the cluster.
func helm(t *testing.T, ns string) *action.Configuration {
	t.Helper()
	flags := genericclioptions.NewConfigFlags(false)
	flags.APIServer, flags.Namespace = &live.Host, &ns
	flags.WithWrapConfigFn(func(*rest.Config) *rest.Config { return rest.CopyConfig(live) })
	cfg := action.NewConfiguration(action.ConfigurationSetLogger(slog.NewTextHandler(io.Discard, nil)))
	must(t, cfg.Init(flags, ns, "secret"))
	return cfg
}

// What a chart renders passes the rules that only the API server has, and has no field that it does not know.
func TestServerTakesWhatChartsRender(t *testing.T) {
	c, ns := served(t)
	for name, chart := range published(t) {
		given := sample(t, kindOf(t, chart))
		smallest := map[string]any{}
		for _, field := range []string{"image", "stores", "nodeSelector", "cell", "hosts"} {
			if v, ok := given[field]; ok {
				smallest[field] = v
			}
		}
		for what, values := range map[string]map[string]any{"its sample": given, "defaults": smallest} {
			u, err := render(t, chart, maps.Clone(values))
			must(t, err)
			u.SetNamespace(ns)
			if err := c.Create(t.Context(), u, client.DryRunAll, client.FieldValidation("Strict")); err != nil {
				t.Errorf("%s with %s: %v", name, what, err)
			}
		}
	}
}

// A release by Helm itself: what it stores, changes and removes, and what the API server refuses of it.
func TestServerHelmInstallsUpgradesAndUninstalls(t *testing.T) {
	c, ns := served(t)
	cfg := helm(t, ns)
	add := action.NewInstall(cfg)
	add.ReleaseName, add.Namespace, add.WaitStrategy = "identity", ns, kube.HookOnlyStrategy
	values := map[string]any{"image": "example.test/keystone:1", "replicas": 2.0}
	_, err := add.RunWithContext(t.Context(), load(t, "keystone"), values)
	must(t, err)
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: "service.stackwright.dev", Version: "v1alpha1", Kind: "Keystone"})
	key := client.ObjectKey{Namespace: ns, Name: "identity"}
	must(t, c.Get(t.Context(), key, u))
	spec := u.Object["spec"].(map[string]any)
	for field, want := range map[string]any{"image": "example.test/keystone:1", "replicas": int64(2),
		"region": "RegionOne", "database": map[string]any{"galera": "galera", "deletionPolicy": "Retain"}} {
		if diff := cmp.Diff(want, spec[field]); diff != "" {
			t.Errorf("%s of the stored object (-want +got):\n%s", field, diff)
		}
	}

	change := action.NewUpgrade(cfg)
	change.Namespace, change.ReuseValues, change.WaitStrategy = ns, true, kube.HookOnlyStrategy
	change.ServerSideApply = "true"
	_, err = change.RunWithContext(t.Context(), "identity", load(t, "keystone"), map[string]any{"region": "Elsewhere"})
	if err == nil || !strings.Contains(err.Error(), "spec.region") {
		t.Errorf("a change that the rules of the kind forbid: error is %v, want one that names spec.region", err)
	}
	more := map[string]any{"image": "example.test/keystone:2", "workers": 4.0}
	change.ReuseValues, change.ResetValues = false, true
	_, err = change.RunWithContext(t.Context(), "identity", load(t, "keystone"), more)
	must(t, err)
	must(t, c.Get(t.Context(), key, u))
	spec = u.Object["spec"].(map[string]any)
	if spec["workers"] != int64(4) || spec["replicas"] != int64(1) {
		t.Errorf("spec after the upgrade is %v, want 4 workers and replicas as by default", spec)
	}

	remove := action.NewUninstall(cfg)
	remove.WaitStrategy = kube.HookOnlyStrategy
	_, err = remove.Run("identity")
	must(t, err)
	if err := c.Get(t.Context(), key, u); !apierrors.IsNotFound(err) {
		t.Errorf("looking for the object of an uninstalled release: %v, want that it is not there", err)
	}
}

// A release has the whole chart, with the schema, in one Secret, and Helm keeps ten of them.
func TestServerReleaseOfTheLargestChartIsSmall(t *testing.T) {
	c, ns := served(t)
	cfg := helm(t, ns)
	add := action.NewInstall(cfg)
	add.ReleaseName, add.Namespace, add.WaitStrategy = "openstack", ns, kube.HookOnlyStrategy
	_, err := add.RunWithContext(t.Context(), load(t, "openstack"), map[string]any{})
	must(t, err)
	secret := &corev1.Secret{}
	must(t, c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "sh.helm.release.v1.openstack.v1"}, secret))
	t.Logf("a release of chart openstack takes %d bytes", len(secret.Data["release"]))
	if size := len(secret.Data["release"]); size > 100_000 {
		t.Errorf("a release of chart openstack takes %d bytes, at most 100,000 of the 1 MiB of a Secret", size)
	}
}
