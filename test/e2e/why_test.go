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
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/test/e2e/story"
)

// While the database is held down, why names its pod and the reason, in less than a second.
func TestWhyNamesTheDatabase(t *testing.T) {
	w := story.Start(t)
	cp := w.Cloud()
	cordon(w, true)
	t.Cleanup(func() { cordon(w, false) })
	w.Kill(cp.Namespace, "openstack-galera-0")
	w.Eventually(time.Minute, "why names the pod", func(ctx context.Context) error {
		began := time.Now()
		out, err := w.Cluster.Stackwright(ctx, "-n", cp.Namespace, "why")
		took := time.Since(began)
		if err == nil || !strings.Contains(err.Error(), "exit status 3") {
			return fmt.Errorf("the exit code is not 3: %w", errors.Join(err, errors.New(out)))
		}
		if !strings.Contains(out, "First cause: Pod openstack/openstack-galera-0, PodScheduled: Unschedulable") {
			return errors.New(out)
		}
		w.Logf("in %s:\n%s", took.Round(time.Millisecond), out)
		if took > time.Second {
			return fmt.Errorf("it took %s", took)
		}
		return nil
	})
}

// cordon keeps new pods from all nodes, or lets them in again.
func cordon(w *story.World, on bool) {
	w.Helper()
	ctx := context.WithoutCancel(w.Context())
	nodes := &corev1.NodeList{}
	if err := w.List(ctx, nodes); err != nil {
		w.Fatal(err)
	}
	for i := range nodes.Items {
		patch := fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, on)
		if err := w.Patch(ctx, &nodes.Items[i], client.RawPatch(types.MergePatchType, patch)); err != nil {
			w.Fatal(err)
		}
	}
}
