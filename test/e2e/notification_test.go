//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Keystone tells of a change behind our back, over the control plane's RabbitMQ, and it is corrected within seconds
// although lists are far apart. Turning notifications on rolls the API.
func TestKeystoneNotifies(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	change := w.Change(w.Cloud())
	change.Spec.Services.Keystone = &controlplanev1.KeystoneService{Notifications: true}
	w.Apply(change)
	cloud := &openstackv1.ClusterCloud{ObjectMeta: metav1.ObjectMeta{Name: "notifying"}}
	cloud.Spec.SecretRef = openstackv1.CloudSecret{Name: "openstack-keystone-clouds", Namespace: "openstack"}
	cloud.Spec.Entry, cloud.Spec.SyncPeriod.Duration = "internal", time.Hour
	cloud.Spec.NamespaceSelector.MatchLabels = map[string]string{corev1.LabelMetadataName: w.Namespace}
	cloud.Spec.Notifications = &openstackv1.CloudNotifications{
		SecretRef: openstackv1.CloudSecret{Name: "openstack-keystone-bus", Namespace: "openstack"}}
	w.Apply(cloud)
	w.Cleanup(func() {
		if err := client.IgnoreNotFound(w.Delete(context.WithoutCancel(w.Context()), cloud)); err != nil {
			w.Error(err)
		}
	})
	project := &openstackv1.Project{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Namespace}}
	project.Spec.CloudRef = &openstackv1.CloudReference{Kind: "ClusterCloud", Name: cloud.Name}
	project.Spec.Resource = &openstackv1.ProjectResource{Description: new("as declared")}
	w.Apply(project)
	w.Eventually(story.UpToReady, "the project is ready and the operator listens", func(ctx context.Context) error {
		return heard(ctx, w, project, cloud)
	})
	set := []string{"openstack", "project", "set", "--description", "changed", project.Name}
	if _, err := w.Cluster.Stackwright(t.Context(), set...); err != nil {
		t.Fatal(err)
	}
	w.Eventually(10*time.Second, "the change is corrected", func(ctx context.Context) error {
		show := []string{"openstack", "project", "show", "-f", "value", "-c", "description", project.Name}
		out, err := w.Cluster.Stackwright(ctx, show...)
		if err == nil && strings.TrimSpace(out) != "as declared" {
			err = fmt.Errorf("the description is %q", out)
		}
		return err
	})
	if err := w.Delete(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	w.Eventually(time.Minute, "the project is gone", func(ctx context.Context) error {
		err := w.Get(ctx, client.ObjectKeyFromObject(project), project)
		if err == nil {
			err = fmt.Errorf("it is still there: %v", project.Status.Conditions)
		}
		return client.IgnoreNotFound(err)
	})
}

// heard tells whether the objects are ready, and the cloud's notifications come in.
func heard(ctx context.Context, w *story.World, project *openstackv1.Project, cloud *openstackv1.ClusterCloud) error {
	if err := w.Get(ctx, client.ObjectKeyFromObject(cloud), cloud); err != nil {
		return err
	}
	if err := w.Get(ctx, client.ObjectKeyFromObject(project), project); err != nil {
		return err
	}
	for what, conditions := range map[string][]metav1.Condition{
		"Listening": cloud.Status.Conditions, "Ready": project.Status.Conditions} {
		if !meta.IsStatusConditionTrue(conditions, what) {
			return fmt.Errorf("%s is not true: %v", what, conditions)
		}
	}
	return nil
}
