//go:build e2e

package e2e

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Two charts under their own names make an identity service that gives tokens; an upgrade changes it, and its object
// goes with the release.
func TestChartsMakeAnIdentityService(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	release := &controlplanev1.OpenStackRelease{}
	if err := w.Get(t.Context(), client.ObjectKey{Name: "epoxy"}, release); err != nil {
		t.Fatal(err)
	}
	galera := map[string]any{"image": string(release.Spec.Images["mariadb"]), "replicas": 1,
		"storage": map[string]any{"size": "1Gi"}, "deletionPolicy": "Delete"}
	values := map[string]any{"image": string(release.Spec.Images["keystone"]), "workers": 1,
		"database": map[string]any{"deletionPolicy": "Delete"}}

	helm := helmOf(w, w.Namespace)
	for name, values := range map[string]map[string]any{"galera": galera, "keystone": values} {
		install := action.NewInstall(helm)
		install.ReleaseName, install.Namespace, install.WaitStrategy = name, w.Namespace, kube.HookOnlyStrategy
		chart, err := loader.LoadDir("../../charts/" + name)
		if err == nil {
			_, err = install.RunWithContext(t.Context(), chart, values)
		}
		if err != nil {
			t.Fatalf("installing chart %s: %v", name, err)
		}
	}
	keystone := &servicev1.Keystone{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "keystone"}}
	took := w.Ready(story.UpToReady, keystone)
	users := w.Identity(client.ObjectKey{Namespace: w.Namespace, Name: "keystone-clouds"})
	if _, err := users.Token(t.Context()); err != nil {
		t.Errorf("asking for a token: %v", err)
	}
	t.Logf("Keystone was ready %s after its charts", took.Round(time.Second))

	upgrade := action.NewUpgrade(helm)
	upgrade.Namespace, upgrade.ResetValues, upgrade.WaitStrategy = w.Namespace, true, kube.StatusWatcherStrategy
	upgrade.Timeout = story.UpToReady
	values["config"] = map[string]any{"token": map[string]any{"expiration": 7200}}
	chart, err := loader.LoadDir("../../charts/keystone")
	if err == nil {
		_, err = upgrade.RunWithContext(t.Context(), "keystone", chart, values)
	}
	if err != nil {
		t.Fatalf("upgrading the release: %v", err)
	}
	// Helm has waited.
	if err := w.Get(t.Context(), w.Key(keystone), keystone); err != nil {
		t.Fatal(err)
	}
	w.Ready(time.Second, keystone)
	if _, err := users.Token(t.Context()); err != nil {
		t.Errorf("asking for a token after the upgrade: %v", err)
	}

	remove := action.NewUninstall(helm)
	remove.WaitStrategy, remove.Timeout = kube.StatusWatcherStrategy, 2*time.Minute
	if _, err := remove.Run("keystone"); err != nil {
		t.Fatalf("uninstalling the release: %v", err)
	}
	w.Gone(time.Second, keystone)
}

// helmOf works in a namespace, as the command does.
func helmOf(w *story.World, namespace string) *action.Configuration {
	w.Helper()
	flags := genericclioptions.NewConfigFlags(false)
	kubeconfig := w.Cluster.Kubeconfig()
	flags.KubeConfig, flags.Namespace = &kubeconfig, &namespace
	cfg := action.NewConfiguration(action.ConfigurationSetLogger(slog.NewTextHandler(io.Discard, nil)))
	if err := cfg.Init(flags, namespace, "secret"); err != nil {
		w.Fatalf("preparing Helm: %v", err)
	}
	return cfg
}
