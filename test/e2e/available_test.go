//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// The identity API answers while the members of the database are killed one after another.
func TestAPIStaysWhileDatabaseMembersAreKilled(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.NewCloud("ha")
	cp.Spec.Services.Galera = &controlplanev1.GaleraService{Replicas: new(int32(3))}
	cp.Spec.Services.Keystone = &controlplanev1.KeystoneService{}
	cp.Spec.Services.Keystone.Replicas = new(int32(2))
	w.Apply(cp)
	w.Ready(2*story.UpToReady, cp)
	users := w.Users(cp)
	token, err := users.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	probe := w.Watch(200*time.Millisecond, 15*time.Second, func(ctx context.Context) error {
		return users.Validate(ctx, token)
	})
	for member := range 3 {
		w.Replace(story.UpToReady, w.Namespace, fmt.Sprintf("ha-galera-%d", member))
	}
	got := probe.Stop()
	t.Log(got)
	if limit := 15 * time.Second; got.Longest > limit {
		t.Errorf("%s, last: %v; the gap may be %s at most", got, got.Last, limit)
	}
}

// The identity API answers while its own pods are replaced.
func TestAPIStaysDuringRollingChange(t *testing.T) {
	story.InCI(t)
	w := story.Start(t)
	cp := w.Cloud()
	keystone := &servicev1.Keystone{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-keystone"}}
	w.Ready(story.UpToReady, keystone)
	users := w.Users(cp)
	token, err := users.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	probe := w.Watch(200*time.Millisecond, 10*time.Second, func(ctx context.Context) error {
		return users.Validate(ctx, token)
	})
	debug, err := servicev1.ValueOf(true)
	if err != nil {
		t.Fatal(err)
	}
	change := w.Change(cp)
	change.Spec.Services.Keystone = &controlplanev1.KeystoneService{API: controlplanev1.API{
		Config: map[string]servicev1.Options{"DEFAULT": {"debug": debug}}}}
	generation := keystone.Generation
	w.Apply(change)
	w.Eventually(story.UpToReady, "the change has arrived", func(ctx context.Context) error {
		if err := w.Get(ctx, w.Key(keystone), keystone); err != nil {
			return err
		}
		if keystone.Generation == generation {
			return fmt.Errorf("Keystone is still in generation %d", generation)
		}
		return nil
	})
	w.Ready(story.UpToReady, keystone)
	got := probe.Stop()
	t.Log(got)
	if got.Failed > 0 {
		t.Errorf("%s, last: %v; none may fail in a rolling change", got, got.Last)
	}
}
