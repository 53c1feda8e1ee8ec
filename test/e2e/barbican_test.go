//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Barbican is asked for by one word. What is stored can be read: by the client and by objects, while the key-encryption
// key is rotated and after that, when the pods were killed, and when Barbican was away. The worker makes what orders
// ask for.
func TestBarbicanKeeps(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	barbican := &servicev1.Barbican{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-barbican"}}
	asked := w.Change(cp)
	asked.Spec.Services.Barbican = &controlplanev1.BarbicanService{}
	enable := func() {
		t.Helper()
		w.Apply(asked.DeepCopy())
		t.Logf("Barbican is ready after %s", w.Ready(story.UpToReady, barbican))
		w.Ready(time.Minute, cp)
	}
	enable()
	href := w.OpenStack("secret", "store", "--name", "greeting", "--payload", "hello", "-f", "value", "-c", "Secret href")
	if !strings.HasPrefix(href, "https://") {
		t.Errorf("the secret's address is %s", href)
	}
	read := w.Prints("hello", "secret", "get", href, "--payload", "-f", "value")
	w.Eventually(time.Minute, "the secret can be read", read)
	order(w)
	forgets(w, asked, barbican)
	rotate(w, asked, read)
	w.Ready(2*time.Minute, barbican) // its listener, too, which nobody waits for to rotate
	if n := w.KillAll(2*time.Minute, cp.Namespace, "openstack-barbican-"); n < 3 {
		t.Errorf("there were %d pods", n)
	}
	w.Ready(time.Minute, barbican)
	w.Eventually(time.Minute, "the secret can be read by new pods", read)

	w.Apply(w.Change(cp))
	w.Gone(time.Minute, barbican)
	unlisted(w, "barbican")
	keys := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-barbican-kek"}}
	if err := w.Get(t.Context(), w.Key(keys), keys); err != nil || len(keys.Data) != 2 {
		t.Errorf("without Barbican there are %d keys: %v", len(keys.Data), err)
	}
	enable()
	w.Eventually(time.Minute, "it is taken up again with its data", read)
	w.OpenStack("secret", "delete", href)
}

// order lets the worker make a pair of keys, and has secrets as objects.
func order(w *story.World) {
	w.Helper()
	href := w.OpenStack("secret", "order", "create", "--name", "pair", "--algorithm", "rsa", "--bit-length", "2048",
		"asymmetric", "-f", "value", "-c", "Order href")
	offerCloud(w)
	objects := manifest(w, "testdata/keymanager.yaml")
	everyKind(w, objects, "key-manager")
	for _, o := range objects {
		w.Apply(o)
	}
	w.Eventually(time.Minute, "the worker makes what was ordered",
		w.Prints("ACTIVE", "secret", "order", "get", href, "-f", "value", "-c", "Status"))
	w.Eventually(time.Minute, "objects are ready", func(ctx context.Context) error { return allReady(ctx, w, objects) })
	removeAll(w, objects)
}

// forgets deletes a project that has a secret, and another after the listener and the broker were killed.
func forgets(w *story.World, asked *controlplanev1.OpenStackControlPlane, barbican *servicev1.Barbican) {
	w.Helper()
	asked.Spec.Services.Keystone = &controlplanev1.KeystoneService{Notifications: true}
	w.Apply(asked.DeepCopy())
	listener := "openstack-barbican-keystone-listener"
	w.Ready(3*time.Minute, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: asked.Namespace, Name: listener}})
	w.Ready(2*time.Minute, barbican)
	leave := func(project string) {
		w.OpenStack("project", "create", project)
		w.OpenStack("role", "add", "--project", project, "--user", "admin", "admin")
		w.OpenStack("--os-project-name", project, "secret", "store", "--name", project, "--payload", "bye")
		if n := keeps(w, asked.Namespace, project); n != "1" {
			w.Errorf("of project %s %s secrets are kept, want 1", project, n)
		}
		w.OpenStack("project", "delete", project)
	}
	gone := func(project string) {
		w.Helper()
		w.Eventually(2*time.Minute, "what project "+project+" had stored is removed", func(context.Context) error {
			if n := keeps(w, asked.Namespace, project); n != "0" {
				return fmt.Errorf("of project %s %s secrets are kept", project, n)
			}
			return nil
		})
	}
	leave("first-leaver")
	gone("first-leaver")
	if n := w.KillAll(2*time.Minute, asked.Namespace, listener, "openstack-rabbitmq-"); n != 2 {
		w.Errorf("%d pods were killed, want the listener and the broker", n)
	}
	leave("second-leaver")
	gone("second-leaver")
}

// keeps counts the secrets of a name in Barbican's database that are not deleted.
func keeps(w *story.World, namespace, secret string) string {
	w.Helper()
	const query = "SELECT count(*) FROM openstack_barbican.secrets WHERE deleted=0 AND name='%s'"
	out, err := w.Cluster.Kubectl(w.Context(), "-n", namespace, "exec", "openstack-galera-0", "--", "mariadb", "--batch",
		"--skip-column-names", "-e", fmt.Sprintf(query, secret))
	if err != nil {
		w.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// rotate has the key-encryption key rotated while somebody reads.
func rotate(w *story.World, asked *controlplanev1.OpenStackControlPlane, read func(context.Context) error) {
	w.Helper()
	probe := w.Watch(2*time.Second, 30*time.Second, read)
	asked.Spec.Services.Barbican.KeyGeneration = 2
	w.Apply(asked.DeepCopy())
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: asked.Namespace, Name: "openstack-barbican-key-rewrap-2"}}
	w.Logf("the key is rotated after %s", w.Ready(3*time.Minute, job))
	if got := probe.Stop(); got.Failed > 0 || got.Total == 0 {
		w.Errorf("while the key was rotated %s: %v", got, got.Last)
	}
}

// unlisted: nothing of a service is left in Keystone.
func unlisted(w *story.World, service string) {
	w.Helper()
	for _, command := range [][]string{{"catalog", "list"}, {"user", "list"}, {"endpoint", "list"}} {
		if out := w.OpenStack(command...); strings.Contains(out, service) {
			w.Errorf("without %s, %s prints %s", service, strings.Join(command, " "), out)
		}
	}
}
