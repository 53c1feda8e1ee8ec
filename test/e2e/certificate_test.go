//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Secrets with certificates that somebody deletes come back with new ones, which reach the API and the servers behind
// it without one failed request, and let Neutron write into OVN.
func TestCertificatesComeBack(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	users := w.Users(cp)
	token, err := users.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	old, err := users.Serial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	servers := map[string]string{"openstack-galera-tls": "openstack-galera-0",
		"openstack-rabbitmq-tls": "openstack-rabbitmq-0", "openstack-memcached-tls": "openstack-memcached-0"}
	before := map[string]int{}
	for _, pod := range servers {
		before[pod] = reloads(w, cp, pod)
	}
	probe := w.Watch(200*time.Millisecond, 10*time.Second, users.Mix(token))
	for _, name := range append(slices.Sorted(maps.Keys(servers)), "openstack-keystone-tls") {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: name}}
		if err := w.Delete(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		w.Eventually(30*time.Second, name+" is back", func(ctx context.Context) error {
			return w.Get(ctx, w.Key(secret), secret)
		})
	}
	w.Eventually(story.UpToReady, "the API shows a new certificate", func(ctx context.Context) error {
		now, err := users.Serial(ctx)
		if err == nil && now == old {
			err = errors.New("it shows the old one")
		}
		return err
	})
	for _, pod := range servers {
		w.Eventually(3*time.Minute, pod+" has read its new certificate", func(context.Context) error {
			if n := reloads(w, cp, pod); n <= before[pod] {
				return fmt.Errorf("it has read certificates anew %d times", n)
			}
			return nil
		})
	}
	w.Ready(story.UpToReady, cp)
	if got := probe.Stop(); got.Failed > 0 {
		t.Errorf("%s, last: %v; none may fail", got, got.Last)
	}
	ofNetworks(w)
}

// ofNetworks has OVN's certificates made anew: programs of Neutron that begin then come in by theirs.
func ofNetworks(w *story.World) {
	w.Helper()
	cp, neutron := withNeutron(w)
	now := map[string]string{}
	for _, name := range []string{"openstack-ovn-tls", "openstack-ovn-client"} {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: name}}
		if err := errors.Join(w.Get(w.Context(), w.Key(secret), secret), w.Delete(w.Context(), secret)); err != nil {
			w.Fatal(err)
		}
		old := string(secret.Data["tls.crt"])
		w.Eventually(30*time.Second, name+" is another one", func(ctx context.Context) error {
			err := w.Get(ctx, w.Key(secret), secret)
			if now[name] = string(secret.Data["tls.crt"]); err == nil && now[name] == old {
				err = errors.New("it has the old certificate")
			}
			return err
		})
	}
	w.Eventually(3*time.Minute, "the database has its new certificate", func(ctx context.Context) error {
		has, err := w.Cluster.Kubectl(ctx, "-n", cp.Namespace, "exec", "openstack-ovn-nb-0", "--", "cat",
			"/etc/stackwright/tls/tls.crt")
		if err == nil && strings.TrimSpace(has) != strings.TrimSpace(now["openstack-ovn-tls"]) {
			err = errors.New("it has the old one")
		}
		return err
	})
	w.KillAll(2*time.Minute, cp.Namespace, "openstack-neutron-")
	w.Ready(time.Minute, neutron)
	late := []*unstructured.Unstructured{netOf(w, "late")}
	w.Apply(late[0])
	w.Eventually(time.Minute, "a network is made", func(ctx context.Context) error { return allReady(ctx, w, late) })
	w.Eventually(time.Minute, "OVN has it", inNorthbound(w, "neutron:network_name=late", "list", "logical_switch"))
	removeAll(w, late)
	w.Apply(w.Change(cp))
	w.Gone(2*time.Minute, neutron)
}

// reloads is how often an agent says that its server has read certificates anew.
func reloads(w *story.World, cp *controlplanev1.OpenStackControlPlane, pod string) int {
	w.Helper()
	text, err := w.Cluster.Kubectl(w.Context(), "-n", cp.Namespace, "logs", pod)
	if err != nil {
		w.Fatal(err)
	}
	return strings.Count(text, agent.Renewed)
}
