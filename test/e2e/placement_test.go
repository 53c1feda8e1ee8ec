//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Placement is asked for by one word, answers the client in the pod, keeps what it is told, and leaves nothing in the
// catalog when it goes. What it was told is there when it comes back.
func TestPlacementServes(t *testing.T) {
	story.InCI(t)
	w := story.Start(t)
	cp := w.Cloud()
	placement := &servicev1.Placement{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-placement"}}
	asked := w.Change(cp)
	asked.Spec.Services.Placement = &controlplanev1.PlacementService{}
	enable := func() {
		t.Helper()
		w.Apply(asked.DeepCopy())
		w.Ready(story.UpToReady, placement)
		w.Ready(time.Minute, cp)
	}
	enable()
	if out := w.OpenStack("resource", "class", "list", "-f", "value"); !strings.Contains(out, "VCPU") {
		t.Errorf("the resource classes are %q", out)
	}
	w.OpenStack("resource", "provider", "create", "host-1")

	if n := w.KillAll(2*time.Minute, cp.Namespace, "openstack-placement-api"); n != 1 {
		t.Errorf("there were %d pods of the API", n)
	}
	w.Ready(time.Minute, placement)
	list := []string{"resource", "provider", "list", "-f", "value", "-c", "name"}
	w.Eventually(time.Minute, "a new pod knows what the old one was told", w.Prints("host-1", list...))

	w.Apply(w.Change(cp))
	w.Gone(time.Minute, placement)
	for _, command := range [][]string{{"catalog", "list"}, {"user", "list"}, {"endpoint", "list"}} {
		if out := w.OpenStack(command...); strings.Contains(out, "placement") {
			t.Errorf("without Placement, %s prints %s", strings.Join(command, " "), out)
		}
	}
	enable()
	w.Eventually(time.Minute, "it is taken up again with its data", w.Prints("host-1", list...))
	w.OpenStack("resource", "provider", "delete",
		w.OpenStack("resource", "provider", "list", "-f", "value", "-c", "uuid"))
}
