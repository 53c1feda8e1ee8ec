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
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// An option changes while rows are written and messages are published. One member after the other gets it, two of three
// serve all the time, and nothing that was acknowledged is lost.
func TestMembersChangeOneAtATime(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	g := newGalera(t, w)
	r, b := newRabbitMQ(w)
	rows, messages := startWriter(w, "app", memberHosts(w)...), startPublisher(w, b.Status.SecretName)

	database := &infrav1.Galera{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: g.Name}, Spec: g.Spec}
	database.Spec.Config = map[string]infrav1.Line{"max_connections": "777"}
	rolls(w, "db-", database)
	broker := &infrav1.RabbitMQ{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: r.Name}, Spec: r.Spec}
	broker.Spec.Config = map[string]infrav1.Line{"consumer_timeout": "3600000"}
	rolls(w, "mq-", broker)

	for what, wrote := range map[string]*writer{"rows": rows, "messages": messages} {
		wrote.grows(time.Minute)
		pause, why := wrote.longest()
		t.Logf("longest pause between two %s: %s (%s)", what, pause, why)
		if limit := 15 * time.Second; pause > limit {
			t.Errorf("%s were not written for %s, want at most %s", what, pause, limit)
		}
		wrote.check()
	}
}

// rolls changes a cluster of three and waits until all of its pods are new. Two of them are ready all the time.
func rolls(w *story.World, prefix string, change client.Object) {
	w.Helper()
	old := map[types.UID]bool{}
	for _, p := range pods(w.Context(), w, prefix) {
		old[p.UID] = true
	}
	probe := w.Watch(100*time.Millisecond, 5*time.Second, func(ctx context.Context) error {
		if n := serving(pods(ctx, w, prefix)); n < 2 {
			return fmt.Errorf("%d members are ready", n)
		}
		return nil
	})
	w.Apply(change)
	took := w.Eventually(5*time.Minute, "all pods of "+prefix+" are new", func(ctx context.Context) error {
		now := pods(ctx, w, prefix)
		for _, p := range now {
			if old[p.UID] {
				return errors.New(p.Name + " is an old one")
			}
		}
		if n := serving(now); n != 3 {
			return fmt.Errorf("%d are ready", n)
		}
		return nil
	})
	w.Ready(time.Minute, change)
	got := probe.Stop()
	w.Logf("all members of %s are new after %s; %d of %d looks saw fewer than two", prefix, took.Round(time.Second),
		got.Failed, got.Total)
	if got.Failed > 0 {
		w.Errorf("fewer than two members of %s were ready: %s", prefix, got.Reasons())
	}
}

// pods are those of the story whose names begin with prefix.
func pods(ctx context.Context, w *story.World, prefix string) []corev1.Pod {
	w.Helper()
	list := &corev1.PodList{}
	if err := w.List(ctx, list, client.InNamespace(w.Namespace)); err != nil {
		return nil
	}
	var out []corev1.Pod
	for i := range list.Items {
		if strings.HasPrefix(list.Items[i].Name, prefix) {
			out = append(out, list.Items[i])
		}
	}
	return out
}

// serving is how many pods are ready.
func serving(list []corev1.Pod) (n int) {
	for i := range list {
		if ok, _ := gate.For(&list[i])(&list[i]); ok {
			n++
		}
	}
	return n
}
