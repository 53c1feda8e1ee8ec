//go:build e2e

package e2e

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// shop is what somebody has in a control plane of the story's own: hosts that only pretend to run servers, and objects.
type shop struct {
	fleet
	cp      *controlplanev1.OpenStackControlPlane
	objects []*unstructured.Unstructured
}

// shopIn is a shop, not yet applied, with what shop.yaml has, and more.
func shopIn(w *story.World, cp *controlplanev1.OpenStackControlPlane, more ...*unstructured.Unstructured) *shop {
	w.Helper()
	objects := append(manifest(w, "testdata/shop.yaml"), more...)
	within(w, cp, objects)
	return &shop{fleet{w, cp.Namespace}, cp, objects}
}

// within puts objects into the namespace and the cloud of a control plane.
func within(w *story.World, cp *controlplanev1.OpenStackControlPlane, objects []*unstructured.Unstructured) {
	w.Helper()
	for _, o := range objects {
		o.SetNamespace(cp.Namespace)
		if o.GetKind() == "Secret" {
			continue
		}
		if err := unstructured.SetNestedField(o.Object, cp.Name+"-keystone", "spec", "cloudRef", "name"); err != nil {
			w.Fatal(err)
		}
	}
}

// hosts is the block of the hosts.
func (s *shop) hosts() *fleetv1.BuildingBlock {
	crowd := s.block("crowd")
	crowd.Spec.Cell, crowd.Spec.Driver, crowd.Spec.Fake = s.cp.Name+"-nova-cell1", fleetv1.DriverFake,
		&fleetv1.Fake{Hosts: fakeHosts}
	return crowd
}

// opens applies everything, in no order.
func (s *shop) opens() {
	s.Helper()
	s.Apply(s.hosts())
	for _, o := range s.objects {
		s.Apply(o.DeepCopy())
	}
}

// serves waits until everything is ready.
func (s *shop) serves() {
	s.Helper()
	s.Ready(3*time.Minute, s.hosts())
	s.Eventually(2*time.Minute, "the image is given its data", s.uploads)
	s.Eventually(3*time.Minute, "all that somebody has there is ready", func(ctx context.Context) error {
		return allReady(ctx, s.World, s.objects)
	})
}

// uploads gives the image its data. What an earlier look has staged, Glance does not take again.
func (s *shop) uploads(ctx context.Context) error {
	_, err := s.Cluster.Kubectl(ctx, "-n", s.namespace, "exec", "deployment/"+s.cp.Name+"-client", "--", "sh", "-ec",
		"openstack image stage --file "+some+" shop || true; openstack image import --method glance-direct shop")
	return err
}
