//go:build e2e

package e2e

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// A namespace goes with the control plane that is in it, and with objects in that cloud: Kubernetes ends Keystone while
// what is registered there still waits to be deleted.
func TestNamespaceGoesWithItsCloud(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.NewCloud("leaving")
	cp.Spec.Services.Placement = &controlplanev1.PlacementService{}
	w.Apply(cp.DeepCopy())
	w.Ready(story.UpToReady, cp)
	project := &openstackv1.Project{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "shop"}}
	project.Spec.CloudRef = &openstackv1.CloudReference{Name: "leaving-keystone"}
	project.Spec.Resource = &openstackv1.ProjectResource{}
	w.Apply(project.DeepCopy())
	w.Ready(time.Minute, project)

	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
	if err := w.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	w.Gone(5*time.Minute, namespace)
}
