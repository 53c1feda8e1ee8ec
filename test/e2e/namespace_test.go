//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// A namespace goes with the control plane that is in it, with hosts and their servers, and with objects in that cloud:
// Kubernetes ends Nova and Keystone while what is known there still waits to be deleted.
func TestNamespaceGoesWithItsCloud(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.NewCloud("leaving")
	core(&cp.Spec.Services)
	w.Apply(cp.DeepCopy())
	w.Ready(story.UpToReady, cp)
	there := shopIn(w, cp)
	there.opens()
	there.serves()
	project := &openstackv1.Project{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "shop"}}
	project.Spec.CloudRef = &openstackv1.CloudReference{Name: "leaving-keystone"}
	project.Spec.Resource = &openstackv1.ProjectResource{}
	w.Apply(project.DeepCopy())
	w.Ready(time.Minute, project)

	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
	if err := w.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	w.Gone(5*time.Minute, namespace)
}

// together is how many namespaces go at a time.
const together = 4

// Namespaces go in whatever order what is in them is deleted: control planes, what these have made down to Secrets and
// pods' volumes, and what people have declared in their clouds. Of those that go together the first has a whole core
// with hosts, a server, its image and a network; the very first one has all services, a Ceph of its own, and something
// in each. NAMESPACE_SEEDS sets in how many orders.
func TestNamespacesGoInAnyOrder(t *testing.T) {
	story.Slow(t)
	// As many clouds ask for more processors than one node of a small machine has; nodes of a devcluster share them.
	w := story.Own(t, story.Cluster{Name: "orders", Nodes: 3})
	seeds := 20
	if n, err := strconv.Atoi(os.Getenv("NAMESPACE_SEEDS")); err == nil {
		seeds = n
	}
	for first := 0; first < seeds; first += together {
		var all []*corev1.Namespace
		for seed := first; seed < min(first+together, seeds); seed++ {
			namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", w.Namespace, seed)}}
			t.Cleanup(func() { _ = w.Delete(context.WithoutCancel(t.Context()), namespace) })
			all = append(all, namespace)
		}
		inhabit(w, all, first == 0)
		for i, namespace := range all {
			n := scatter(w, namespace.Name, uint64(first+i))
			t.Logf("seed %d: %d objects are deleted one by one", first+i, n)
		}
		for _, namespace := range all {
			w.Gone(5*time.Minute, namespace)
		}
	}
}

// inhabit makes namespaces, each with a control plane and all kinds of identity in its cloud, the first with hosts and
// perhaps with all services, and waits until all are ready.
func inhabit(w *story.World, all []*corev1.Namespace, whole bool) {
	w.Helper()
	planes := make([]*controlplanev1.OpenStackControlPlane, 0, len(all))
	for i, namespace := range all {
		w.Apply(namespace.DeepCopy())
		cp := w.NewCloud("leaving")
		cp.Namespace = namespace.Name
		if i == 0 {
			core(&cp.Spec.Services)
			if whole {
				everything(w, cp)
			}
		}
		w.Apply(cp.DeepCopy())
		planes = append(planes, cp)
	}
	var objects []*unstructured.Unstructured
	for i, cp := range planes {
		w.Ready(2*story.UpToReady, cp)
		known := manifest(w, "testdata/identity.yaml")
		if i == 0 && whole { // it has a key manager, for which those of the file would be taken
			known = slices.DeleteFunc(known, func(o *unstructured.Unstructured) bool {
				return strings.Contains(fmt.Sprint(o.Object), "key-manager")
			})
		}
		within(w, cp, known)
		objects = append(objects, known...)
	}
	for _, o := range objects {
		w.Apply(o.DeepCopy())
	}
	there := shopIn(w, planes[0])
	if whole {
		there = shopIn(w, planes[0], slices.Concat(manifest(w, "testdata/stack.yaml"),
			manifest(w, "testdata/keymanager.yaml"), decoded(w, volumeOfShop))...)
	}
	there.opens()
	ready := func(ctx context.Context) error { return allReady(ctx, w, objects) }
	w.Eventually(2*time.Minute, "everything is ready", ready)
	there.serves()
}

// volumeOfShop is a volume that the shop has where there are volumes.
const volumeOfShop = `{apiVersion: openstack.stackwright.dev/v1alpha1, kind: Volume, metadata: {name: shop},
spec: {resource: {size: 1}}}`

// everything gives a control plane that has a core all other services, and a Ceph for images and volumes.
func everything(w *story.World, cp *controlplanev1.OpenStackControlPlane) {
	w.Helper()
	w.Apply(newCeph(w, cp.Namespace, infrav1.DevCephClient{Name: "glance", Pools: []string{"images"}},
		infrav1.DevCephClient{Name: "cinder", Pools: []string{"volumes"}, ReadOnlyPools: []string{"images"}}))
	s := &cp.Spec.Services
	onCeph(s)
	s.Heat, s.Barbican, s.Horizon = &controlplanev1.HeatService{}, &controlplanev1.BarbicanService{},
		&controlplanev1.HorizonService{}
}

// parts are the kinds of objects that a control plane is made of.
const parts = "stackwright,deployments,statefulsets,jobs,cronjobs,services,serviceaccounts,secrets,configmaps," +
	"persistentvolumeclaims,poddisruptionbudgets,networkpolicies,roles,rolebindings"

// scatter deletes everything in a namespace, and the namespace somewhere between, in an order that the seed decides. It
// returns how much there was.
func scatter(w *story.World, namespace string, seed uint64) int {
	w.Helper()
	list, err := w.Cluster.Kubectl(w.Context(), "-n", namespace, "get", parts+",openstack", "-o", "name")
	if err != nil {
		w.Fatal(err)
	}
	// What belongs to the cluster stays: releases, and clouds of all.
	names := slices.DeleteFunc(strings.Fields(list), func(name string) bool {
		return strings.HasPrefix(name, "openstackrelease.") || strings.HasPrefix(name, "clustercloud.")
	})
	names = append(names, "namespace/"+namespace)
	random := rand.New(rand.NewPCG(seed, seed))
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	if _, err := w.Cluster.Kubectl(w.Context(), append([]string{"-n", namespace, "delete", "--wait=false",
		"--ignore-not-found"}, names...)...); err != nil && !blockAlone(err) {
		w.Fatal(err)
	}
	return len(names)
}

// blockAlone tells whether all that was refused is to delete a block with a server on it; it goes with the namespace.
func blockAlone(err error) bool {
	said := err.Error()
	return strings.Count(said, "Error from server") == 1 && strings.Contains(said, "building block crowd has 1 server")
}
