//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// The administrator's password changes within a minute and without a restart; the old one is worth nothing then.
func TestPasswordChanges(t *testing.T) {
	w := story.Start(t)
	cp := w.Cloud()
	before, pods := w.Users(cp), containers(w, cp)
	// The control plane goes back to the password that it generated before this Secret goes.
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "password-of-my-own"},
		StringData: map[string]string{"password": "correct-horse-battery-staple"}}
	w.Apply(secret)
	t.Cleanup(func() {
		if err := w.Delete(context.WithoutCancel(t.Context()), secret); err != nil {
			t.Error(err)
		}
	})
	change := w.Change(cp)
	change.Spec.Services.Keystone = &controlplanev1.KeystoneService{AdminPasswordSecret: secret.Name}
	w.Apply(change)
	w.Eventually(time.Minute, "a token by the new password", func(ctx context.Context) error {
		_, err := w.Users(cp).With(secret.StringData["password"]).Token(ctx)
		return err
	})
	if _, err := before.Token(t.Context()); err == nil {
		t.Error("the old password is still good")
	}
	if now := containers(w, cp); !maps.Equal(now, pods) {
		t.Errorf("the API's containers were %v and are %v", pods, now)
	}
	w.Eventually(time.Minute, "clouds.yaml has the new password", func(ctx context.Context) error {
		_, err := w.Users(cp).Token(ctx)
		return err
	})
	w.Apply(w.Change(cp))
	w.Eventually(time.Minute, "the first password is good again", func(ctx context.Context) error {
		_, err := before.Token(ctx)
		return err
	})
	w.Eventually(30*time.Second, "the client in the pod knows it", func(ctx context.Context) error {
		_, err := w.Cluster.Stackwright(ctx, "openstack", "token", "issue")
		return err
	})
}

// delegate makes a trust and prints its id. The command of the client sends roles as Keystone does not take them.
const delegate = `
import openstack
c = openstack.connect()
me = {"trustor_user_id": c.current_user_id, "trustee_user_id": c.current_user_id, "project_id": c.current_project_id}
print(c.identity.create_trust(**me, roles=[{"name": "admin"}], is_impersonation=False).id)`

// What the CronJob does every hour: trusts that somebody deleted are in the database until it has run, and those that
// are good stay.
func TestTrustsAreFlushed(t *testing.T) {
	w := story.Start(t)
	cp := w.Cloud()
	trust := func() string {
		id, err := inClient(t.Context(), w, cp.Namespace, "python3", "-c", delegate)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(id)
	}
	good, gone := trust(), trust()
	w.OpenStack("trust", "delete", gone)
	kept := func() string {
		return inDatabase(w, cp.Namespace, "SELECT GROUP_CONCAT(id ORDER BY id) FROM openstack_keystone.trust WHERE id IN ('"+
			good+"', '"+gone+"')")
	}
	if both := kept(); !strings.Contains(both, good) || !strings.Contains(both, gone) {
		t.Errorf("before, there are %s, of %s and %s", both, good, gone)
	}
	runsNow(w, cp.Namespace, "openstack-keystone-trust-flush")
	if left := kept(); left != good {
		t.Errorf("left is %s, want %s", left, good)
	}
	w.OpenStack("trust", "delete", good)
}

// Keys are rotated without a restart. Every token stays good, of the old key and of the new one, and what was encrypted
// with a key that is gone by then can still be read.
func TestKeysRotate(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	users, pods := w.Users(cp), containers(w, cp)
	old, err := users.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tokens := client.ObjectKey{Namespace: cp.Namespace, Name: "openstack-keystone-fernet"}
	stored := client.ObjectKey{Namespace: cp.Namespace, Name: "openstack-keystone-credential"}
	first, firstStored := primary(w, tokens), primary(w, stored)
	read := ec2(w)
	probe := w.Watch(500*time.Millisecond, 10*time.Second, func(ctx context.Context) error {
		token, err := users.Token(ctx)
		if err == nil {
			err = errors.Join(users.Validate(ctx, old), users.Validate(ctx, token))
		}
		return err
	})
	for round := range 2 {
		due(w, tokens)
		due(w, stored)
		w.Eventually(5*time.Minute, "a new key makes tokens in every pod", func(context.Context) error {
			if now := primary(w, tokens); now != first+round+1 {
				return fmt.Errorf("key %d makes tokens", now)
			}
			return nil
		})
		w.Eventually(5*time.Minute, "everything is encrypted with a new key", encrypted(w, stored, firstStored+round+1))
		// A kubelet hands a Secret on after up to 90 s; the old name of the new key goes after two minutes.
		w.Holds(150*time.Second, "tokens are good", func(context.Context) error { return probe.Err() })
		read()
	}
	w.Eventually(3*time.Minute, "the first key of credentials is gone", lacks(w, stored, firstStored))
	read()
	comesBack(w, tokens)
	comesBack(w, stored)
	// Pods get what is in a Secret by then.
	w.Holds(100*time.Second, "tokens are good", func(context.Context) error { return probe.Err() })
	read()
	if got := probe.Stop(); got.Failed > 0 {
		t.Errorf("%s, last: %v; none may fail", got, got.Last)
	}
	if now := containers(w, cp); !maps.Equal(now, pods) {
		t.Errorf("the API's containers were %v and are %v", pods, now)
	}
}

// due lets a ring of keys be rotated at once: its Secret says when keys were made.
func due(w *story.World, ring client.ObjectKey) {
	w.Helper()
	past := time.Now().Add(-1000 * time.Hour).UTC().Format(time.RFC3339)
	patch := fmt.Appendf(nil, `{"stringData":{"rotated":%q,"staged":%q}}`, past, past)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ring.Namespace, Name: ring.Name}}
	if err := w.Patch(w.Context(), secret, client.RawPatch(types.MergePatchType, patch)); err != nil {
		w.Fatal(err)
	}
}

// comesBack deletes the Secret of a ring and waits until it is there again with the same keys.
func comesBack(w *story.World, ring client.ObjectKey) {
	w.Helper()
	before := &corev1.Secret{}
	if err := w.Get(w.Context(), ring, before); err != nil {
		w.Fatal(err)
	}
	if err := w.Delete(w.Context(), before.DeepCopy()); err != nil {
		w.Fatal(err)
	}
	w.Eventually(10*time.Second, "the keys are back", func(ctx context.Context) error {
		now := &corev1.Secret{}
		if err := w.Get(ctx, ring, now); err != nil {
			return err
		}
		if now.UID == before.UID || !maps.EqualFunc(now.Data, before.Data, bytes.Equal) {
			return fmt.Errorf("Secret %s has other keys than before it was deleted", ring.Name)
		}
		return nil
	})
}

// ec2 makes a credential of the administrator, which Keystone keeps encrypted, and returns a check that it can be read.
func ec2(w *story.World) (read func()) {
	w.Helper()
	access, secret, ok := strings.Cut(w.OpenStack("ec2", "credentials", "create", "-f", "value", "-c", "access", "-c",
		"secret"), "\n")
	if !ok || access == "" || secret == "" {
		w.Fatal("a new credential for EC2 has no access or no secret")
	}
	w.Cleanup(func() {
		if _, err := w.Cluster.Stackwright(context.Background(), "openstack", "ec2", "credentials", "delete",
			access); err != nil {
			w.Error(err)
		}
	})
	return func() {
		w.Helper()
		if w.OpenStack("ec2", "credentials", "show", access, "-f", "value", "-c", "secret") != secret {
			w.Error("the secret of a credential for EC2 is not what it was")
		}
	}
}

// encrypted checks that a Job has encrypted all credentials with the key of that number, and that the operator knows.
func encrypted(w *story.World, ring client.ObjectKey, number int) func(context.Context) error {
	return func(ctx context.Context) error {
		w.Helper()
		if now := primary(w, ring); now != number {
			return fmt.Errorf("the newest key is %d, want %d", now, number)
		}
		job, known := &batchv1.Job{}, &corev1.ConfigMap{}
		name := client.ObjectKey{Namespace: ring.Namespace, Name: fmt.Sprintf("%s-migrate-%d", ring.Name, number)}
		if err := w.Get(ctx, name, job); err != nil {
			return err
		}
		name.Name = ring.Name + "-migrated"
		if err := w.Get(ctx, name, known); err != nil {
			return err
		}
		if job.Status.Succeeded == 0 || known.Data["primary"] != strconv.Itoa(number) {
			return fmt.Errorf("%d pods of Job %s have done it, and the operator knows of key %s", job.Status.Succeeded,
				job.Name, known.Data["primary"])
		}
		return nil
	}
}

// lacks checks that a ring has no key of that number any more.
func lacks(w *story.World, ring client.ObjectKey, number int) func(context.Context) error {
	return func(ctx context.Context) error {
		secret := &corev1.Secret{}
		err := w.Get(ctx, ring, secret)
		if err == nil && secret.Data[strconv.Itoa(number)] != nil {
			err = fmt.Errorf("key %d is there", number)
		}
		return err
	}
}

// primary is the number of the key that makes tokens.
func primary(w *story.World, key client.ObjectKey) int {
	w.Helper()
	ring := &corev1.Secret{}
	if err := w.Get(w.Context(), key, ring); err != nil {
		w.Fatal(err)
	}
	var numbers []int
	for name := range ring.Data {
		if n, err := strconv.Atoi(name); err == nil {
			numbers = append(numbers, n)
		}
	}
	return slices.Max(numbers)
}

// containers are those of the identity API, each with how often it was restarted.
func containers(w *story.World, cp *controlplanev1.OpenStackControlPlane) map[string]int32 {
	w.Helper()
	pods := &corev1.PodList{}
	if err := w.List(w.Context(), pods, client.InNamespace(cp.Namespace), client.MatchingLabels{
		"app.kubernetes.io/name": "keystone", "app.kubernetes.io/component": "api"}); err != nil {
		w.Fatal(err)
	}
	out := map[string]int32{}
	for _, p := range pods.Items {
		for _, c := range p.Status.ContainerStatuses {
			out[c.ContainerID] = c.RestartCount
		}
	}
	if len(out) == 0 {
		w.Fatal("there is no pod of the identity API")
	}
	return out
}
