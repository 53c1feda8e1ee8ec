//go:build e2e

// Package node tests what users of the cloud see when a node of its cluster is lost.
package node

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// What users may see while a node is away: a third of the requests fail until Kubernetes takes the node out of its
// Services, which is after 20 s, and all of them until the database has another writer. That takes longest when the
// leading operator was on the node too: 18.7 s were seen, and 16 of a hundred requests failed.
const (
	mostFailed = 30 // of a hundred requests in less than two minutes: what mostGap without a writer is
	mostGap    = 30 * time.Second
)

// Each node in turn is cut off from the network and comes back, first the one of the database's writer. Then one does
// not come back. Users ask for tokens and validate them all the time, five times a second.
func TestNodeIsCutOffAndHealed(t *testing.T) {
	story.Slow(t)
	file, err := filepath.Abs("testdata/three.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := story.Own(t, story.Cluster{Name: "three", Nodes: 3}, "--file", file)
	cp := w.Cloud()
	users := w.Users(cp)
	token, err := users.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list := nodes(w, writer(w))
	for _, node := range list {
		t.Run(node, func(t *testing.T) {
			probe := w.Watch(200*time.Millisecond, 10*time.Second, users.Mix(token))
			t.Cleanup(func() { link(w, "heal", node) })
			began := time.Now()
			link(w, "cut", node)
			w.Eventually(2*time.Minute, node+" is lost", nodeIs(w, node, corev1.ConditionUnknown))
			w.Eventually(2*time.Minute, "the database has a writer on another node", func(context.Context) error {
				if writer(w) == node {
					return errors.New("the writer is on the lost node")
				}
				return nil
			})
			w.Holds(time.Until(began.Add(90*time.Second)), "the node stays away", nodeIs(w, node, corev1.ConditionUnknown))
			link(w, "heal", node)
			w.Eventually(2*time.Minute, node+" is back", nodeIs(w, node, corev1.ConditionTrue))
			w.Eventually(time.Minute, "all members serve", members(w))
			w.Ready(story.UpToReady, cp)
			judge(t, node, probe.Stop())
		})
	}
	t.Run("gone for good", func(t *testing.T) {
		w := story.Join(t, w.Cluster)
		probe := w.Watch(200*time.Millisecond, 10*time.Second, users.Mix(token))
		lose(w, list[len(list)-1])
		judge(t, "a lost node", probe.Stop())
		probe = w.Watch(200*time.Millisecond, 10*time.Second, users.Mix(token))
		replace(w, file)
		judge(t, "a new node", probe.Stop())
	})
}

// judge fails the test if users saw more than they may.
func judge(t *testing.T, node string, got story.Result) {
	t.Helper()
	t.Logf("%s: %s; failed by second: %v; %s", node, got, got.Bad, got.Reasons())
	if got.Failed*100 > mostFailed*got.Total || got.Longest > mostGap {
		t.Errorf("%s, last: %v; at most %d %% and %s", got, got.Last, mostFailed, mostGap)
	}
}

// advice is what why says about a claim whose node is gone.
var advice = regexp.MustCompile(
	`kubectl (-n openstack delete --wait=false pvc/data-openstack-\S+ pod/openstack-[a-z0-9-]+)`)

// lose takes a node away with the volumes on it and does what why says: members are made on the nodes that are left.
func lose(w *story.World, node string) {
	w.Helper()
	link(w, "remove", node)
	began, orders := time.Now(), map[string]bool{}
	// One member of the database and one of the bus were there.
	w.Eventually(5*time.Minute, "why says what to do about both volumes", func(ctx context.Context) error {
		// It ends with an exit code that says what it found.
		said, _ := w.Cluster.Stackwright(ctx, "why", "-A")
		for _, m := range advice.FindAllStringSubmatch(said, -1) {
			orders[m[1]] = true
		}
		if len(orders) < 2 {
			return fmt.Errorf("it advises %v in\n%s", slices.Collect(maps.Keys(orders)), said)
		}
		return nil
	})
	w.Logf("it is known what to do after %s: %v", time.Since(began).Round(time.Second), slices.Sorted(maps.Keys(orders)))
	for order := range orders {
		if _, err := w.Cluster.Kubectl(w.Context(), strings.Fields(order)...); err != nil {
			w.Fatal(err)
		}
	}
	w.Eventually(5*time.Minute, "all members serve", members(w))
	w.Ready(story.UpToReady, w.Cloud())
	w.Logf("all serve again after %s", time.Since(began).Round(time.Second))
}

// replace gives the cluster as many nodes as it had.
func replace(w *story.World, file string) {
	w.Helper()
	began := time.Now()
	if err := w.Cluster.Install(w.Context(), "--file", file); err != nil {
		w.Fatal(err)
	}
	w.Eventually(5*time.Minute, "all members serve", members(w))
	w.Ready(story.UpToReady, w.Cloud())
	w.Logf("all is as before after %s", time.Since(began).Round(time.Second))
}

func link(w *story.World, verb, node string) {
	w.Helper()
	if _, err := w.Cluster.Run(context.WithoutCancel(w.Context()), "devcluster", "node", verb, node, "--name",
		w.Cluster.Name); err != nil {
		w.Errorf("node %s: %v", verb, err)
	}
}

// nodes returns all nodes, first before the others.
func nodes(w *story.World, first string) []string {
	w.Helper()
	list := &corev1.NodeList{}
	if err := w.List(w.Context(), list); err != nil {
		w.Fatal(err)
	}
	names := []string{first}
	for _, n := range list.Items {
		if n.Name != first {
			names = append(names, n.Name)
		}
	}
	return names
}

func galera(w *story.World) *infrav1.Galera {
	w.Helper()
	g := &infrav1.Galera{ObjectMeta: metav1.ObjectMeta{Namespace: "openstack", Name: "openstack-galera"}}
	if err := w.Get(w.Context(), w.Key(g), g); err != nil {
		w.Fatal(err)
	}
	return g
}

// writer is the node of the member that takes the database's writes.
func writer(w *story.World) string {
	w.Helper()
	pod := &corev1.Pod{}
	key := client.ObjectKey{Namespace: "openstack", Name: galera(w).Status.Writer}
	if err := w.Get(w.Context(), key, pod); err != nil {
		w.Fatal(err)
	}
	return pod.Spec.NodeName
}

func nodeIs(w *story.World, name string, want corev1.ConditionStatus) func(context.Context) error {
	return func(ctx context.Context) error {
		node := &corev1.Node{}
		if err := w.Get(ctx, client.ObjectKey{Name: name}, node); err != nil {
			return err
		}
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == want {
				return nil
			}
		}
		return fmt.Errorf("node %s is not Ready=%s", name, want)
	}
}

// members wants all members of database and bus back.
func members(w *story.World) func(context.Context) error {
	return func(ctx context.Context) error {
		bus := &infrav1.RabbitMQ{ObjectMeta: metav1.ObjectMeta{Namespace: "openstack", Name: "openstack-rabbitmq"}}
		if err := w.Get(ctx, w.Key(bus), bus); err != nil {
			return err
		}
		if g := galera(w); g.Status.ReadyMembers != 3 || bus.Status.ReadyMembers != 3 {
			return fmt.Errorf("%d members of Galera and %d of RabbitMQ serve", g.Status.ReadyMembers, bus.Status.ReadyMembers)
		}
		return nil
	}
}
