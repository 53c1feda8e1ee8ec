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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/stackwright/test/e2e/story"
)

// knock tries to connect to each address that it is given, and says how that went.
const knock = `
import socket, sys
for address in sys.argv[1:]:
    host, port = address.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), 3).close()
        print(address, "opens", flush=True)
    except OSError as e:
        print(address, "refuses:", e, flush=True)
print("done", flush=True)
`

// A pod of another namespace reaches the API of the cloud, and neither its database nor its cache nor the programs that
// run these.
func TestStrangersAreKeptOut(t *testing.T) {
	w := story.Start(t)
	cp := w.Cloud()
	host := func(name string, port int) string { return fmt.Sprintf("%s.%s.svc:%d", name, cp.Namespace, port) }
	closed := []string{host("openstack-galera", 3306), host("openstack-galera-0.openstack-galera-pods", 3306),
		host("openstack-galera-0.openstack-galera-pods", 8443), host("openstack-memcached", 11211)}
	keptOut(w, host("openstack-keystone-internal", 5000), closed...)
}

// keptOut checks that a pod which is nobody's client or member reaches one address, and that it is kept waiting at the
// others.
func keptOut(w *story.World, open string, closed ...string) {
	w.Helper()
	said := stranger(w, append(closed, open)...)
	if !strings.Contains(said, open+" opens") {
		w.Fatalf("a stranger does not reach %s, so this says nothing of the others:\n%s", open, said)
	}
	for _, address := range closed {
		if !strings.Contains(said, address+" refuses: timed out") {
			w.Errorf("%s does not keep a stranger waiting:\n%s", address, said)
		}
	}
}

// stranger is what a pod of the story's namespace says that knocks at addresses.
func stranger(w *story.World, addresses ...string) (said string) {
	w.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "stranger"}, Spec: corev1.PodSpec{
		AutomountServiceAccountToken: new(false), RestartPolicy: corev1.RestartPolicyNever,
		SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: new(true), RunAsUser: new(int64(42400)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{{Name: "stranger", Image: image(w, "openstackclient"),
			Command: append([]string{"python3", "-c", knock}, addresses...),
			SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false),
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}}},
	}}
	w.Apply(pod)
	w.Eventually(time.Minute, "the stranger has knocked everywhere", func(ctx context.Context) (err error) {
		said, err = w.Cluster.Kubectl(ctx, "-n", w.Namespace, "logs", pod.Name)
		if err == nil && !strings.HasSuffix(said, "done\n") {
			err = errors.New("it has said " + said)
		}
		return err
	})
	return said
}
