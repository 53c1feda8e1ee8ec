//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// A control plane is deleted and made again. Over data that was kept it knows what it knew, and a token of before is
// good; without data it begins anew.
func TestCloudIsMadeAgain(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.NewCloud("again")
	cp.Spec.Services.Placement = &controlplanev1.PlacementService{}
	cp.Spec.Services.Glance = &controlplanev1.GlanceService{}
	w.Apply(cp.DeepCopy())
	w.Ready(story.UpToReady, cp)
	for _, command := range []string{"project create shop", "resource class create CUSTOM_SHOP",
		"image create shop --disk-format raw --container-format bare --file " + some} {
		inCloud(w, cp, command)
	}
	const know = "project list; openstack resource class list | grep CUSTOM; openstack image list; " +
		"openstack image save --file /tmp/shop shop; sha256sum < /tmp/shop"
	known := inCloud(w, cp, know)
	token, err := w.Users(cp).Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	t.Logf("with its data kept it is ready again after %s", remake(w, cp))
	if err := w.Users(cp).Validate(t.Context(), token); err != nil {
		t.Errorf("a token of before is not good: %v", err)
	}
	if now := inCloud(w, cp, know); now != known {
		t.Errorf("it knew\n%s\nand knows\n%s", known, now)
	}

	cp.Spec.DeletionPolicy = controlplanev1.Delete
	w.Apply(fresh(cp))
	t.Logf("without its data it is ready again after %s", remake(w, cp))
	now := inCloud(w, cp, "project list; openstack resource class list; openstack image list")
	if strings.Contains(strings.ToLower(now), "shop") {
		t.Errorf("without its data it knows\n%s", now)
	}
}

// inCloud runs a command in the client's pod of a control plane of the story's own.
func inCloud(w *story.World, cp *controlplanev1.OpenStackControlPlane, command string) string {
	w.Helper()
	out, err := w.Cluster.Kubectl(w.Context(), "-n", cp.Namespace, "exec", "deployment/"+cp.Name+"-client", "--",
		"sh", "-ec", "openstack "+command)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// fresh is an object to apply: what the API server added is left out.
func fresh(cp *controlplanev1.OpenStackControlPlane) *controlplanev1.OpenStackControlPlane {
	return &controlplanev1.OpenStackControlPlane{Spec: cp.Spec,
		ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: cp.Name}}
}

// remake deletes a control plane, waits until it and its pods are gone, and applies it again.
func remake(w *story.World, cp *controlplanev1.OpenStackControlPlane) time.Duration {
	w.Helper()
	again := fresh(cp)
	if err := w.Delete(w.Context(), cp); err != nil {
		w.Fatal(err)
	}
	w.Gone(3*time.Minute, cp)
	w.Eventually(time.Minute, "its pods are gone", func(ctx context.Context) error {
		pods := &corev1.PodList{}
		err := w.List(ctx, pods, client.InNamespace(cp.Namespace))
		if err == nil && len(pods.Items) > 0 {
			err = fmt.Errorf("there are %d pods, such as %s", len(pods.Items), pods.Items[0].Name)
		}
		return err
	})
	w.Apply(again.DeepCopy())
	again.DeepCopyInto(cp)
	return w.Ready(story.UpToReady, cp)
}

// identified checks that an object has a resource in OpenStack.
func identified(ctx context.Context, w *story.World, o *unstructured.Unstructured) error {
	now := o.DeepCopy()
	err := w.Get(ctx, w.Key(o), now)
	if id, _, _ := unstructured.NestedString(now.Object, "status", "id"); err == nil && id == "" {
		err = fmt.Errorf("%s %s has no id", o.GetKind(), o.GetName())
	}
	return err
}
