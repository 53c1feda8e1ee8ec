//go:build e2e

package e2e

import (
	"context"
	"errors"
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
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Services tell of changes behind our back, each over a virtual host of its own, and these are corrected within seconds
// although lists are far apart. Turning notifications on rolls the APIs.
func TestServicesNotify(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	change := w.Change(cp)
	change.Spec.Notifications = true
	change.Spec.Services.Neutron = &controlplanev1.NeutronService{}
	w.Apply(change)
	neutron := &servicev1.Neutron{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-neutron"}}
	w.Ready(story.UpToReady, neutron)
	cloud := &openstackv1.ClusterCloud{ObjectMeta: metav1.ObjectMeta{Name: "notifying"}}
	cloud.Spec.SecretRef = openstackv1.CloudSecret{Name: "openstack-keystone-clouds", Namespace: cp.Namespace}
	cloud.Spec.Entry, cloud.Spec.SyncPeriod.Duration = "internal", time.Hour
	cloud.Spec.NamespaceSelector.MatchLabels = map[string]string{corev1.LabelMetadataName: w.Namespace}
	cloud.Spec.Notifications = &openstackv1.CloudNotifications{
		SecretRef: openstackv1.CloudSecret{Name: "openstack-notifications", Namespace: cp.Namespace}}
	w.Apply(cloud)
	w.Cleanup(func() {
		if err := client.IgnoreNotFound(w.Delete(context.WithoutCancel(w.Context()), cloud)); err != nil {
			w.Error(err)
		}
	})
	of := &openstackv1.CloudReference{Kind: "ClusterCloud", Name: cloud.Name}
	project := &openstackv1.Project{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Namespace}}
	project.Spec.CloudRef, project.Spec.Resource = of, &openstackv1.ProjectResource{Description: new("as declared")}
	network := &openstackv1.Network{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Namespace}}
	network.Spec.CloudRef, network.Spec.Resource = of, &openstackv1.NetworkResource{Description: new("as declared")}
	w.Apply(project)
	w.Apply(network)
	w.Ready(story.UpToReady, project)
	w.Ready(story.UpToReady, network)
	w.Eventually(time.Minute, "both are heard", func(ctx context.Context) error { return hears(ctx, w, cloud) })
	corrected(w, "project", project.Name)
	corrected(w, "network", network.Name)
	// Those of the control plane's own Cloud, which it lets listen by itself.
	own := &openstackv1.Cloud{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-keystone"}}
	w.Eventually(time.Minute, "the control plane's own Cloud listens", func(ctx context.Context) error {
		return listening(w.Get(ctx, client.ObjectKeyFromObject(own), own), own.Status.Conditions)
	})
	for _, o := range []client.Object{project, network} {
		if err := w.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		w.Gone(time.Minute, o)
	}
	w.Apply(w.Change(cp))
	w.Gone(2*time.Minute, neutron)
	w.Ready(story.UpToReady, cp)
}

// corrected changes the description of a resource behind our back and waits until it is as declared again.
func corrected(w *story.World, kind, name string) {
	w.Helper()
	w.OpenStack(kind, "set", "--description", "changed", name)
	w.Eventually(10*time.Second, "the change of a "+kind+" is corrected", func(ctx context.Context) error {
		out, err := w.Cluster.Stackwright(ctx, "openstack", kind, "show", "-f", "value", "-c", "description", name)
		if err == nil && strings.TrimSpace(out) != "as declared" {
			err = fmt.Errorf("the description is %q", out)
		}
		return err
	})
}

// hears tells whether notifications of both services come in.
func hears(ctx context.Context, w *story.World, cloud *openstackv1.ClusterCloud) error {
	err := listening(w.Get(ctx, client.ObjectKeyFromObject(cloud), cloud), cloud.Status.Conditions)
	if err != nil {
		return err
	}
	c := meta.FindStatusCondition(cloud.Status.Conditions, "Listening")
	if !strings.Contains(c.Message, "keystone") || !strings.Contains(c.Message, "neutron") {
		err = errors.New(c.Message)
	}
	return err
}

func listening(err error, conditions []metav1.Condition) error {
	if err == nil && !meta.IsStatusConditionTrue(conditions, "Listening") {
		err = fmt.Errorf("it does not listen: %v", conditions)
	}
	return err
}
