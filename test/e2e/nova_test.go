//go:build e2e

package e2e

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Nova is asked for by one word, and has one cell.
func TestNovaComputes(t *testing.T) {
	w := story.Start(t)
	cp := w.Cloud()
	nova := &servicev1.Nova{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-nova"}}
	asked := w.Change(cp)
	asked.Spec.Services.Placement = &controlplanev1.PlacementService{}
	asked.Spec.Services.Glance = &controlplanev1.GlanceService{}
	asked.Spec.Services.Neutron = &controlplanev1.NeutronService{}
	asked.Spec.Services.Nova = &controlplanev1.NovaService{}
	w.Apply(asked)
	t.Logf("Nova is ready after %s", w.Ready(story.UpToReady, nova))
	t.Logf("all is ready after %s more", w.Ready(story.UpToReady, cp))
	services := w.OpenStack("compute", "service", "list", "-f", "value", "-c", "Binary", "-c", "Host", "-c", "State")
	t.Log(services)
	for _, want := range []string{"nova-scheduler openstack-nova-scheduler-0 up",
		"nova-conductor openstack-nova-conductor-0 up", "nova-conductor openstack-nova-cell1-conductor-0 up"} {
		if !strings.Contains(services, want) {
			t.Errorf("there is no %s in\n%s", want, services)
		}
	}
}
