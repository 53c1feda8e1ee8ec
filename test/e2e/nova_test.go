//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Nova is asked for by one word, and has one cell. Programs come and go and leave no rows behind, a second cell comes
// and goes, and all pods are killed.
func TestNovaComputes(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	nova := &servicev1.Nova{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-nova"}}
	asked := w.Change(cp)
	asked.Spec.Services.Placement = &controlplanev1.PlacementService{}
	asked.Spec.Services.Glance = &controlplanev1.GlanceService{}
	asked.Spec.Services.Neutron = &controlplanev1.NeutronService{}
	asked.Spec.Services.Nova = &controlplanev1.NovaService{}
	w.Apply(asked.DeepCopy())
	t.Logf("Nova is ready after %s", w.Ready(story.UpToReady, nova))
	t.Logf("the control plane is ready after %s more", w.Ready(time.Minute, cp))
	first := []string{"openstack-nova-cell1-conductor-0", "openstack-nova-conductor-0", "openstack-nova-scheduler-0"}
	w.Eventually(time.Minute, "its programs are up", programs(w, first...))

	asked.Spec.Services.Nova.Scheduler.Replicas = new(int32(2))
	asked.Spec.Services.Nova.Cells = []servicev1.Cell{{Name: "cell1"}, {Name: "far"}}
	w.Apply(asked.DeepCopy())
	w.Eventually(2*time.Minute, "a second scheduler and a second cell are up", programs(w, append(first,
		"openstack-nova-far-conductor-0", "openstack-nova-scheduler-1")...))
	w.Ready(time.Minute, cp)

	asked.Spec.Services.Nova.Scheduler.Replicas = new(int32(1))
	asked.Spec.Services.Nova.Cells = []servicev1.Cell{{Name: "cell1"}}
	w.Apply(asked.DeepCopy())
	w.Eventually(2*time.Minute, "they leave no rows behind", programs(w, first...))
	w.Gone(time.Minute, &servicev1.NovaCell{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace,
		Name: "openstack-nova-far"}})
	w.Ready(time.Minute, cp)

	w.OpenStack("flavor", "create", "kept", "--ram", "64", "--disk", "1")
	t.Logf("%d pods were killed", w.KillAll(2*time.Minute, cp.Namespace, "openstack-nova-"))
	w.Ready(time.Minute, nova)
	w.Eventually(time.Minute, "it knows what it was told", w.Prints("kept", "flavor", "list", "-f", "value", "-c", "Name"))
	w.Eventually(time.Minute, "its programs are up again", programs(w, first...))
	w.OpenStack("flavor", "delete", "kept")

	w.Apply(w.Change(cp))
	w.Gone(2*time.Minute, nova)
	if out := w.OpenStack("catalog", "list"); strings.Contains(out, "nova") {
		t.Errorf("without Nova the catalog is %s", out)
	}
}

// programs checks that Nova knows its own programs on these hosts and no others, and that all of them are up.
func programs(w *story.World, hosts ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		out, err := w.Cluster.Stackwright(ctx, "openstack", "compute", "service", "list", "-f", "value", "-c", "Host", "-c",
			"State")
		if err != nil {
			return err
		}
		for _, host := range hosts {
			if !strings.Contains(out, host+" up") {
				return errors.New(host + " is not up in\n" + out)
			}
		}
		// Hosts of stories before may be known still.
		if n := strings.Count(out, "openstack-nova-"); n != len(hosts) {
			return fmt.Errorf("there are %d programs, want %d:\n%s", n, len(hosts), out)
		}
		return nil
	}
}
