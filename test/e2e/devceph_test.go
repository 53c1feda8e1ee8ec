//go:build e2e

package e2e

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// newCeph is a Ceph with room for little, for these clients with the pools that each writes. The story still has to
// apply it.
func newCeph(w *story.World, namespace string, clients ...infrav1.DevCephClient) *infrav1.DevCeph {
	c := &infrav1.DevCeph{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "ceph"}}
	c.Spec.Image, c.Spec.DeletionPolicy = image(w, "ceph"), infrav1.DeleteData
	c.Spec.Storage.Size.Set(4 << 30)
	c.Spec.Clients = clients
	for _, client := range clients {
		for _, p := range client.Pools {
			c.Spec.Pools = append(c.Spec.Pools, infrav1.DevCephPool{Name: p})
		}
	}
	return c
}

// cephClient is a pod that knows Ceph by the Secret of a client and nothing else.
func cephClient(w *story.World, c *infrav1.DevCeph, client string) {
	w.Helper()
	const uid = 64045
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: client}}
	pod.Spec.TerminationGracePeriodSeconds = new(int64(0))
	pod.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: new(true), RunAsUser: new(int64(uid)),
		FSGroup: new(int64(uid)), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "ceph", VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: c.Name + "-" + client}}}}
	pod.Spec.Containers = []corev1.Container{{
		Name: "client", Image: c.Spec.Image, Command: []string{"sleep", "infinity"},
		SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
		VolumeMounts: []corev1.VolumeMount{{Name: "ceph", MountPath: "/etc/ceph", ReadOnly: true}},
	}}
	w.Apply(pod)
	w.Ready(time.Minute, pod)
}

// rbd runs a command about images of block devices in a client's pod.
func rbd(ctx context.Context, w *story.World, c *infrav1.DevCeph, client string, args ...string) (string, error) {
	return w.Cluster.Kubectl(ctx, append([]string{"-n", c.Namespace, "exec", client, "--", "timeout", "30", "rbd",
		"--id=" + client}, args...)...)
}

// A Ceph for development is there in seconds. A client with nothing but its Secret keeps data in it, which outlives the
// pod; it cannot touch what is another's; and its key is worth nothing once it is taken out.
func TestCephKeeps(t *testing.T) {
	story.InCI(t)
	w := story.Start(t)
	ceph := newCeph(w, w.Namespace, infrav1.DevCephClient{Name: "writer", Pools: []string{"volumes"}},
		infrav1.DevCephClient{Name: "other", Pools: []string{"images"}})
	asked := ceph.DeepCopy()
	w.Apply(ceph)
	t.Logf("ready after %s", w.Ready(2*time.Minute, ceph))
	cephClient(w, ceph, "writer")
	const data = "/usr/bin/ceph-mon"
	if _, err := rbd(t.Context(), w, ceph, "writer", "import", data, "volumes/kept"); err != nil {
		t.Fatal(err)
	}
	if out, err := rbd(t.Context(), w, ceph, "writer", "import", data, "images/another"); err == nil {
		t.Errorf("a client writes into the pool of another: %s", out)
	}

	w.Kill(ceph.Namespace, "ceph-0")
	same := func(ctx context.Context) error {
		_, err := w.Cluster.Kubectl(ctx, "-n", ceph.Namespace, "exec", "writer", "--", "sh", "-ec",
			"rm -f /tmp/back; timeout 10 rbd --id=writer export volumes/kept /tmp/back; cmp "+data+" /tmp/back")
		return err
	}
	t.Logf("data is read %s after the pod was killed", w.Eventually(time.Minute, "the data is there", same))
	w.Ready(time.Minute, ceph)

	asked.Spec.Clients = asked.Spec.Clients[1:]
	w.Apply(asked)
	w.Eventually(time.Minute, "the key of a client that was taken out is refused", func(ctx context.Context) error {
		out, err := rbd(ctx, w, ceph, "writer", "ls", "volumes")
		switch {
		case err == nil:
			return errors.New("it still lists " + out)
		case strings.Contains(err.Error(), "Permission denied"), strings.Contains(err.Error(), "not permitted"):
			return nil
		}
		return err
	})
}
