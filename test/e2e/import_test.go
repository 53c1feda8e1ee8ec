//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// What was made by hand is taken in by a Job with the rights that the page about imports gives it.
func TestAJobImports(t *testing.T) {
	w := story.Start(t)
	cp := w.Cloud()
	north(w, cp.Namespace, cp.Status.Clouds)
	w.OpenStack("project", "create", "--description", "made by hand", "by-hand")
	t.Cleanup(func() {
		_, _ = w.Cluster.Stackwright(context.Background(), "openstack", "project", "delete", "by-hand")
	})

	for _, o := range jobOfThePage(w) {
		w.Apply(o)
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "import"}}
	w.Eventually(2*time.Minute, "the Job has come to its end", func(ctx context.Context) error {
		if err := w.Get(ctx, w.Key(job), job); err != nil {
			return err
		}
		if job.Status.Succeeded == 0 {
			return fmt.Errorf("%d pods run, %d have failed", job.Status.Active, job.Status.Failed)
		}
		return nil
	})
	project := &openstackv1.Project{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "by-hand"}}
	w.Ready(time.Minute, project)
	if p := project.Spec.Policy; p != "observe" {
		t.Errorf("the project is taken in with %s, want observe", p)
	}
}

// north is a Cloud of the story's namespace with a Secret of its own.
func north(w *story.World, namespace, clouds string) {
	w.Helper()
	given := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: clouds}}
	if err := w.Get(w.Context(), w.Key(given), given); err != nil {
		w.Fatal(err)
	}
	w.Apply(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "north"}, Data: given.Data})
	cloud := &openstackv1.Cloud{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "north"}}
	cloud.Spec.SecretRef.Name, cloud.Spec.Entry = "north", "internal"
	w.Apply(cloud)
}

// jobOfThePage are the objects that docs/how-to/import-resources.md gives, in the story's namespace.
func jobOfThePage(w *story.World) []*unstructured.Unstructured {
	w.Helper()
	page, err := os.ReadFile("../../docs/how-to/import-resources.md")
	if err != nil {
		w.Fatal(err)
	}
	for block := range strings.SplitSeq(string(page), "```") {
		text, ok := strings.CutPrefix(block, "yaml\n")
		if !ok || !strings.Contains(text, "kind: Job\n") {
			continue
		}
		text = strings.ReplaceAll(text, "namespace: shop", "namespace: "+w.Namespace)
		text = strings.ReplaceAll(text, "-n, shop,", "-n, "+w.Namespace+",")
		_, reference, _ := strings.Cut(text, "image: ")
		reference, _, _ = strings.Cut(reference, "\n")
		return decoded(w, strings.ReplaceAll(text, reference, image(w, "openstackclient")))
	}
	w.Fatal("the page has no Job")
	return nil
}
