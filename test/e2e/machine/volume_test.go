//go:build e2e

package machine

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// demo is the namespace of the server by which up shows that the cloud works.
const demo = "demo"

// volume takes the volume of the server away, makes a snapshot of it and another volume of the snapshot, and gives the
// server both in turn. The server counts its starts on its volume: the first volume knows of two in the end, and the
// other one, which is as the first was before the second start, of two as well.
//
// It is a long story: once, after the second of its starts, the server had no network. Its tap dropped all that the
// server sent, as the kernel does with one that is down; see keepTaps of internal/agent/chassis.
func (a *ascent) volume(t *testing.T) {
	t.Helper()
	story.Slow(t)
	w := story.Join(t, a.c)
	began := time.Now()
	take(w, "web")
	snapshot := &openstackv1.Snapshot{ObjectMeta: metav1.ObjectMeta{Namespace: demo, Name: "then"}}
	snapshot.Spec.Resource = &openstackv1.SnapshotResource{VolumeRef: openstackv1.Reference{Name: "web"}}
	w.Apply(snapshot.DeepCopy())
	other := &openstackv1.Volume{ObjectMeta: metav1.ObjectMeta{Namespace: demo, Name: "other"}}
	other.Spec.Resource = &openstackv1.VolumeResource{Size: 2, SnapshotRef: &openstackv1.Reference{Name: "then"}}
	w.Apply(other.DeepCopy())
	w.Ready(2*time.Minute, other)
	t.Logf("a volume of a snapshot of the server's is there after %s", time.Since(began).Round(time.Second))

	restart(w, "web", "has kept: start 2", "1 GiB")
	take(w, "web")
	restart(w, "other", "has kept: start 2", "2 GiB")
	// As up left it: the volume is the server's again, and what was made here is gone.
	take(w, "other")
	give(w, "web")
	for _, o := range []client.Object{other, snapshot} {
		if err := w.Delete(w.Context(), o); err != nil {
			t.Fatal(err)
		}
		w.Gone(time.Minute, o)
	}
}

// attachment gives a volume to the server.
func attachment(volume string) *openstackv1.ServerVolumeAttachment {
	a := &openstackv1.ServerVolumeAttachment{ObjectMeta: metav1.ObjectMeta{Namespace: demo, Name: volume}}
	a.Spec.Resource = &openstackv1.ServerVolumeAttachmentResource{ServerRef: openstackv1.Reference{Name: "web"},
		VolumeRef: openstackv1.Reference{Name: volume}}
	return a
}

func give(w *story.World, volume string) {
	w.Helper()
	w.Apply(attachment(volume))
	w.Ready(time.Minute, attachment(volume))
}

func take(w *story.World, volume string) {
	w.Helper()
	if err := w.Delete(w.Context(), attachment(volume)); err != nil {
		w.Fatal(err)
	}
	w.Gone(time.Minute, attachment(volume))
}

// restart starts the server with a volume, and waits for what it says of that.
func restart(w *story.World, volume, says, size string) {
	w.Helper()
	give(w, volume)
	w.OpenStack("server", "reboot", "--hard", "--wait", "web")
	w.Eventually(2*time.Minute, "the server says of its volume "+volume+" that it "+says,
		w.Prints("says its volume of "+size+" "+says, "console", "log", "show", "web"))
}
