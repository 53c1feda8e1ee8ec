//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// All kinds of identity become real in Keystone, stay as they are declared, and go with their namespace.
func TestIdentityIsDeclared(t *testing.T) {
	w := story.Start(t)
	w.Cloud()
	offerCloud(w)
	objects := manifest(w, "testdata/identity.yaml")
	everyKind(w, objects, "identity")
	for _, o := range objects {
		w.Apply(o)
	}
	ready := func(ctx context.Context) error { return allReady(ctx, w, objects) }
	w.Eventually(time.Minute, "everything is ready", ready)
	must := func(f func(context.Context) error) {
		t.Helper()
		if err := f(t.Context()); err != nil {
			t.Error(err)
		}
	}
	must(w.Prints("auditor shop-admin@north  shop@north", "role", "assignment", "list", "--names", "-f", "value",
		"-c", "Role", "-c", "User", "-c", "Group", "-c", "Project", "--user", "shop-admin", "--user-domain", "north",
		"--project", "shop", "--project-domain", "north"))
	must(w.Prints("key-manager", "endpoint", "list", "--service", "key-manager", "-f", "value", "-c", "Service Type"))

	must(w.Prints("", "project", "set", "--domain", "north", "--description", "changed behind our back", "shop"))
	w.Eventually(30*time.Second, "drift is corrected",
		w.Prints("Web shop", "project", "show", "--domain", "north", "shop"))
	must(w.Prints("", "role", "delete", "auditor"))
	w.Eventually(30*time.Second, "what was deleted is made again", w.Prints("auditor", "role", "list"))
	w.Eventually(30*time.Second, "everything is ready again", ready)

	removeAll(w, objects)
	for _, list := range []string{"domain", "region", "service", "role"} {
		out, err := w.Cluster.Stackwright(t.Context(), "openstack", list, "list")
		for _, name := range []string{"north", "key-manager", "auditor"} {
			if err != nil || strings.Contains(out, name) {
				t.Errorf("%s is left in Keystone: %s (%v)", name, out, err)
			}
		}
	}
}

// manifest reads the objects of a file into the namespace of the story.
func manifest(w *story.World, file string) (out []*unstructured.Unstructured) {
	w.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		w.Fatal(err)
	}
	return decoded(w, string(raw))
}

// decoded are the objects of a text, in the story's namespace.
func decoded(w *story.World, text string) (out []*unstructured.Unstructured) {
	w.Helper()
	d := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		u := &unstructured.Unstructured{}
		err := d.Decode(&u.Object)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			w.Fatal(err)
		}
		u.SetNamespace(w.Namespace)
		out = append(out, u)
	}
}

func allReady(ctx context.Context, w *story.World, objects []*unstructured.Unstructured) error {
	errs := []error{}
	for _, o := range objects {
		if o.GetKind() == "Secret" {
			continue
		}
		now := o.DeepCopy()
		if err := w.Get(ctx, w.Key(o), now); err != nil {
			return err
		}
		if says := unready(now); says != "" {
			errs = append(errs, fmt.Errorf("%s %s: %s", o.GetKind(), o.GetName(), says))
		}
	}
	return errors.Join(errs...)
}

// unready is what an object says of itself as long as it is not ready, and empty then.
func unready(o *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		if m, _ := c.(map[string]any); m["type"] == "Ready" && m["status"] == "True" {
			return ""
		} else if m["type"] == "Ready" {
			return fmt.Sprintf("%v since %v: %v", m["reason"], m["lastTransitionTime"], m["message"])
		}
	}
	return "has no condition Ready"
}

// removeAll deletes objects in any order and waits until they are gone.
func removeAll(w *story.World, objects []*unstructured.Unstructured) {
	w.Helper()
	for _, o := range objects {
		if err := client.IgnoreNotFound(w.Delete(w.Context(), o)); err != nil {
			w.Fatal(err)
		}
	}
	w.Eventually(2*time.Minute, "all objects are gone", func(ctx context.Context) error {
		for _, o := range objects {
			if err := w.Get(ctx, w.Key(o), o.DeepCopy()); client.IgnoreNotFound(err) != nil || err == nil {
				return errors.Join(fmt.Errorf("%s %s is still there", o.GetKind(), o.GetName()), err)
			}
		}
		return nil
	})
}

// offerCloud makes the cloud of all stories the one that objects in the namespace of this story use. sources are hosts
// that images may come from although they are private.
func offerCloud(w *story.World, sources ...string) {
	w.Helper()
	cloud := &openstackv1.ClusterCloud{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	cloud.Spec.SecretRef = openstackv1.CloudSecret{Name: "openstack-keystone-clouds", Namespace: "openstack"}
	cloud.Spec.Entry, cloud.Spec.SyncPeriod.Duration = "internal", 10*time.Second
	cloud.Spec.NamespaceSelector.MatchLabels = map[string]string{corev1.LabelMetadataName: w.Namespace}
	cloud.Spec.ImageSources = sources
	w.Apply(cloud)
	w.Cleanup(func() {
		if err := client.IgnoreNotFound(w.Delete(context.WithoutCancel(w.Context()), cloud)); err != nil {
			w.Error(err)
		}
	})
}
