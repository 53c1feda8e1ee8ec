//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

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

// Keys are rotated without a restart, and every token stays good, of the old key and of the new one.
func TestKeysRotate(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	users, pods := w.Users(cp), containers(w, cp)
	old, err := users.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKey{Namespace: cp.Namespace, Name: "openstack-keystone-fernet"}
	first := primary(w, key)
	probe := w.Watch(500*time.Millisecond, 10*time.Second, func(ctx context.Context) error {
		token, err := users.Token(ctx)
		if err == nil {
			err = errors.Join(users.Validate(ctx, old), users.Validate(ctx, token))
		}
		return err
	})
	for round := range 2 {
		// The Secret says when keys were made; older ones are due at once.
		past := time.Now().Add(-1000 * time.Hour).UTC().Format(time.RFC3339)
		due := fmt.Appendf(nil, `{"stringData":{"rotated":%q,"staged":%q}}`, past, past)
		ring := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
		if err := w.Patch(t.Context(), ring, client.RawPatch(types.MergePatchType, due)); err != nil {
			t.Fatal(err)
		}
		w.Eventually(5*time.Minute, "a new key makes tokens in every pod", func(context.Context) error {
			if now := primary(w, key); now != first+round+1 {
				return fmt.Errorf("key %d makes tokens", now)
			}
			return nil
		})
		// A kubelet hands a Secret on after up to 90 s; the old name of the new key goes after two minutes.
		w.Holds(150*time.Second, "tokens are good", func(context.Context) error { return probe.Err() })
	}
	if got := probe.Stop(); got.Failed > 0 {
		t.Errorf("%s, last: %v; none may fail", got, got.Last)
	}
	if now := containers(w, cp); !maps.Equal(now, pods) {
		t.Errorf("the API's containers were %v and are %v", pods, now)
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
