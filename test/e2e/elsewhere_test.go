//go:build e2e

package e2e

import (
	"context"
	"testing"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Who has an OpenStack and wants its resources as objects has one operator for these, which has no other rights. It
// reaches the cloud by its public address and a clouds.yaml. Nobody looks after that cloud here: its operators end.
func TestOneOperatorKeepsResources(t *testing.T) {
	story.Slow(t)
	w := story.Own(t, story.Cluster{Name: "elsewhere"})
	clouds := &corev1.Secret{}
	if err := w.Get(t.Context(), client.ObjectKey{Namespace: "openstack", Name: "openstack-keystone-clouds"},
		clouds); err != nil {
		t.Fatal(err)
	}
	alone(w)
	w.Apply(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "clouds"}, Data: clouds.Data})
	cloud := &openstackv1.Cloud{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "default"}}
	cloud.Spec.SecretRef.Name, cloud.Spec.Entry = "clouds", "default"
	w.Apply(cloud.DeepCopy())
	w.Ready(time.Minute, cloud)

	objects := manifest(w, "testdata/identity.yaml")
	for _, o := range objects {
		w.Apply(o.DeepCopy())
	}
	took := w.Eventually(2*time.Minute, "all kinds of identity are ready", func(ctx context.Context) error {
		return allReady(ctx, w, objects)
	})
	t.Logf("%d objects are ready after %s", len(objects), took.Round(time.Second))
	project := w.Prints("shop", "project", "show", "shop", "-f", "value", "-c", "name")
	w.Eventually(time.Minute, "the cloud has the project", project)
	removeAll(w, objects)
	if err := project(t.Context()); err == nil {
		t.Error("the project is still there when its object has gone")
	}
}

// alone leaves the operator of resources of all that are installed.
func alone(w *story.World) {
	w.Helper()
	upgrade := action.NewUpgrade(helmOf(w, operators))
	upgrade.Namespace, upgrade.ReuseValues, upgrade.ForceConflicts, upgrade.ServerSideApply = operators, true, true, "true"
	upgrade.WaitStrategy, upgrade.Timeout = kube.StatusWatcherStrategy, 2*time.Minute
	chart, err := loader.LoadDir("../../charts/stackwright-operator")
	if err == nil {
		_, err = upgrade.RunWithContext(w.Context(), "stackwright-operator", chart, map[string]any{
			"operators": []any{map[string]any{"name": "resources", "controllers": []any{"resources"}}}})
	}
	if err != nil {
		w.Fatalf("leaving one operator: %v", err)
	}
	left := &appsv1.DeploymentList{}
	if err := w.List(w.Context(), left, client.InNamespace(operators)); err != nil {
		w.Fatal(err)
	}
	if len(left.Items) != 1 || left.Items[0].Name != "stackwright-operator-resources" {
		w.Fatalf("there are %d operators, such as %s", len(left.Items), left.Items[0].Name)
	}
}
