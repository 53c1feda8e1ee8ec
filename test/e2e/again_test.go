//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// ours are objects of the cloud again.
const ours = `
apiVersion: openstack.stackwright.dev/v1alpha1
kind: Project
metadata: {name: shop}
spec: {cloudRef: {name: again-keystone}, resource: {}}
---
apiVersion: openstack.stackwright.dev/v1alpha1
kind: Image
metadata: {name: shop}
spec: {cloudRef: {name: again-keystone}, resource: {content: {diskFormat: raw}}}
---
apiVersion: openstack.stackwright.dev/v1alpha1
kind: ResourceClass
metadata: {name: shop}
spec: {cloudRef: {name: again-keystone}, resource: {name: CUSTOM_SHOP}}
`

// A control plane is deleted and made again. Over data that was kept it finds what it knew, and tokens of before are
// good; without data it begins anew, and what is declared is made again.
func TestCloudIsMadeAgain(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.NewCloud("again")
	cp.Spec.Services.Placement = &controlplanev1.PlacementService{}
	cp.Spec.Services.Glance = &controlplanev1.GlanceService{}
	w.Apply(cp.DeepCopy())
	w.Ready(story.UpToReady, cp)
	objects := decoded(w, ours)
	for _, o := range objects {
		w.Apply(o.DeepCopy())
	}
	// An image without data waits for it.
	known := objects[:1:1]
	known = append(known, objects[2])
	ready := func(ctx context.Context) error { return allReady(ctx, w, known) }
	w.Eventually(time.Minute, "everything is there", func(ctx context.Context) error {
		return errors.Join(ready(ctx), identified(ctx, w, objects[1]))
	})
	before := ids(w, objects)
	token, err := w.Users(cp).Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	t.Logf("with its data kept it is ready again after %s", remake(w, cp))
	w.Eventually(time.Minute, "a token of before is good", func(ctx context.Context) error {
		return w.Users(cp).Validate(ctx, token)
	})
	w.Eventually(time.Minute, "everything is there", ready)
	if after := ids(w, objects); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("after it was made again the ids are %v, and were %v", after, before)
	}

	cp.Spec.DeletionPolicy = controlplanev1.Delete
	w.Apply(fresh(cp))
	t.Logf("without its data it is ready again after %s", remake(w, cp))
	w.Eventually(2*time.Minute, "what is declared is made again", func(ctx context.Context) error {
		if err := errors.Join(ready(ctx), identified(ctx, w, objects[1])); err != nil {
			return err
		}
		after := ids(w, objects)
		for name, id := range after {
			if id == before[name] && name != "shop ResourceClass" {
				return fmt.Errorf("%s still has id %s", name, id)
			}
		}
		return nil
	})
	removeAll(w, objects)
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

// ids are what objects are called in OpenStack, by kind and name.
func ids(w *story.World, objects []*unstructured.Unstructured) map[string]string {
	w.Helper()
	out := map[string]string{}
	for _, o := range objects {
		now := o.DeepCopy()
		if err := w.Get(w.Context(), w.Key(o), now); err != nil {
			w.Fatal(err)
		}
		out[o.GetName()+" "+o.GetKind()], _, _ = unstructured.NestedString(now.Object, "status", "id")
	}
	return out
}
