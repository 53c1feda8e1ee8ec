//go:build e2e

package e2e

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// odd is a password of which files of options, addresses and shells make something.
const odd = `it's "100%" of $HOME:@/#;`

// Somebody writes another password where a service keeps its own, with a line feed at its end, and then takes it away.
// The service goes on with what is there then, and what was there before is worth nothing.
func TestPasswordsAreEdited(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	asked := w.Change(cp)
	asked.Spec.Services.Placement = &controlplanev1.PlacementService{}
	w.Apply(asked)
	placement := &servicev1.Placement{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-placement"}}
	w.Ready(story.UpToReady, placement)
	w.OpenStack("resource", "provider", "create", "host-2")

	user := func(password string) error {
		_, err := w.Users(cp).As("placement", "service", password).Token(t.Context())
		return err
	}
	account := func(password string) error { return entersDatabase(w, cp.Namespace, "openstack_placement", password) }
	for name, enters := range map[string]func(string) error{
		"openstack-placement-user": user, "openstack-placement-db": account,
	} {
		for _, written := range []string{odd + "\n", ""} {
			goesOnWith(w, placement, name, written, enters)
			w.Eventually(time.Minute, "it knows what it knew", w.Prints("host-2", "resource", "provider", "list"))
		}
	}
	w.OpenStack("resource", "provider", "delete",
		w.OpenStack("resource", "provider", "list", "--name", "host-2", "-f", "value", "-c", "uuid"))
}

// goesOnWith writes into a Secret, and waits until the service goes on with the password that is there then, by which
// one enters.
func goesOnWith(w *story.World, p *servicev1.Placement, name, written string, enters func(string) error) {
	w.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: name}}
	before, pods := passwordOf(w, s), api(w, p)
	if err := enters(before); err != nil {
		w.Fatalf("%s: what it has is not good: %v", name, err)
	}
	s.Data["password"] = []byte(written)
	if err := w.Update(w.Context(), s); err != nil {
		w.Fatal(err)
	}
	w.Eventually(2*time.Minute, name+" has another password, which is good", func(context.Context) error {
		now := passwordOf(w, s)
		switch {
		case now == before || now == "":
			return errors.New("the Secret has none, or that of before")
		case written != "" && now != odd:
			return fmt.Errorf("what was written is not taken: %q", now)
		}
		return enters(now)
	})
	if err := enters(before); err == nil {
		w.Errorf("%s: the password of before is still good", name)
	}
	w.Eventually(2*time.Minute, "the API runs with it", func(context.Context) error {
		if now := api(w, p); now == pods || now == "" {
			return errors.New("not all of its pods are other ones")
		}
		return nil
	})
	w.Ready(2*time.Minute, p)
}

func passwordOf(w *story.World, s *corev1.Secret) string {
	w.Helper()
	if err := w.Get(w.Context(), client.ObjectKeyFromObject(s), s); err != nil {
		w.Fatal(err)
	}
	return string(s.Data["password"])
}

// api tells which pods the API has; nothing while there are others.
func api(w *story.World, p *servicev1.Placement) string {
	w.Helper()
	d := &appsv1.Deployment{}
	if err := w.Get(w.Context(), client.ObjectKey{Namespace: p.Namespace, Name: p.Name + "-api"}, d); err != nil {
		w.Fatal(err)
	}
	if d.Status.ObservedGeneration != d.Generation || d.Status.UpdatedReplicas != *d.Spec.Replicas {
		return ""
	}
	return d.Annotations["deployment.kubernetes.io/revision"]
}

// entersDatabase opens a connection with the name and password of an account.
func entersDatabase(w *story.World, namespace, name, password string) error {
	const enter = `umask 077; f=$(mktemp); trap 'rm -f $f' EXIT; echo %s | base64 -d >$f
mariadb --defaults-extra-file=$f -e 'SELECT 1'`
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(password)
	file := fmt.Sprintf("[client]\nhost=127.0.0.1\ndisable-ssl-verify-server-cert\nuser=%s\npassword=\"%s\"\n", name,
		quoted)
	_, err := w.Cluster.Kubectl(w.Context(), "-n", namespace, "exec", "openstack-galera-0", "--", "sh", "-c",
		fmt.Sprintf(enter, base64.StdEncoding.EncodeToString([]byte(file))))
	return err
}
