//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// A broker is asked for with a storage class that there is not, then without one while the cluster has no default, and
// with an image that cannot be had. Each is told with what to do about it, and it comes up once the last is put right.
func TestWrongVolumesAndImagesAreTold(t *testing.T) {
	story.InCI(t)
	w := story.Start(t)
	r := &infrav1.RabbitMQ{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "mq"}}
	r.Spec.Image, r.Spec.Replicas = "registry.invalid/rabbitmq:none", 1
	r.Spec.Storage.Size.Set(1 << 30)
	r.Spec.Storage.ClassName = "fastt"
	apply := func() {
		t.Helper()
		w.Apply(&infrav1.RabbitMQ{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "mq"}, Spec: r.Spec})
	}
	apply()
	w.Eventually(time.Minute, "it is told that there is no such class", w.Says(r, "VolumesReady",
		"StorageClass fastt does not exist; create it, or name one that exists: kubectl get storageclass"))

	defaults(w, false)
	t.Cleanup(func() { defaults(w, true) })
	r.Spec.Storage.ClassName = ""
	apply()
	w.Eventually(time.Minute, "it is told that there is no default", w.Says(r, "VolumesReady",
		"has no storage class, because the cluster has no default one; set spec.storage.className, or mark a StorageClass"))
	defaults(w, true)
	w.Eventually(time.Minute, "it is told that there is no such image", w.Says(r, "DeploymentReady",
		"pod mq-0: its image cannot be pulled: "))

	r.Spec.Image = image(w, "rabbitmq")
	apply()
	w.Ready(2*time.Minute, r)
}

// defaults makes the storage class of devcluster the default one, or not.
func defaults(w *story.World, on bool) {
	w.Helper()
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "devcluster"}}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"storageclass.kubernetes.io/is-default-class":"%t"}}}`, on)
	ctx := context.WithoutCancel(w.Context())
	if err := w.Patch(ctx, class, client.RawPatch(types.MergePatchType, patch)); err != nil {
		w.Fatal(err)
	}
}
