//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Services tell of changes behind our back, each over a virtual host of its own, and these are corrected within seconds
// although lists are far apart. Turning notifications on rolls the APIs.
func TestServicesNotify(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	change := w.Change(cp)
	change.Spec.Notifications = true
	change.Spec.Services.Placement = &controlplanev1.PlacementService{}
	change.Spec.Services.Glance = &controlplanev1.GlanceService{}
	change.Spec.Services.Neutron = &controlplanev1.NeutronService{}
	change.Spec.Services.Nova = &controlplanev1.NovaService{}
	w.Apply(change)
	neutron := &servicev1.Neutron{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-neutron"}}
	nova := &servicev1.Nova{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-nova"}}
	w.Ready(story.UpToReady, neutron)
	w.Ready(story.UpToReady, nova)
	cloud := listener(w, cp)
	of := &openstackv1.CloudReference{Kind: "ClusterCloud", Name: cloud.Name}
	declared := described(w, of)
	for _, o := range declared {
		w.Apply(o)
	}
	for _, o := range declared {
		w.Ready(story.UpToReady, o)
	}
	w.Eventually(time.Minute, "all are heard", func(ctx context.Context) error { return hears(ctx, w, cloud) })
	corrected(w, "project")
	corrected(w, "network")
	corrected(w, "--os-compute-api-version=2.55", "flavor")
	w.OpenStack("router", "remove", "subnet", w.Namespace, w.Namespace)
	w.Eventually(10*time.Second, "the router is connected again", func(ctx context.Context) error {
		out, err := w.Cluster.Stackwright(ctx, "openstack", "port", "list", "--router", w.Namespace, "-f", "value")
		if err == nil && strings.TrimSpace(out) == "" {
			err = errors.New("it is not")
		}
		return err
	})
	// Those of the control plane's own Cloud, which it lets listen by itself.
	own := &openstackv1.Cloud{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-keystone"}}
	w.Eventually(time.Minute, "the control plane's own Cloud listens", func(ctx context.Context) error {
		return listening(w.Get(ctx, client.ObjectKeyFromObject(own), own), own.Status.Conditions)
	})
	for _, o := range slices.Backward(declared) {
		if err := w.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		w.Gone(time.Minute, o)
	}
	w.Apply(w.Change(cp))
	w.Gone(2*time.Minute, neutron)
	w.Gone(2*time.Minute, nova)
	w.Ready(story.UpToReady, cp)
}

// listener makes a ClusterCloud that hears what the services of a control plane tell.
func listener(w *story.World, cp *controlplanev1.OpenStackControlPlane) *openstackv1.ClusterCloud {
	w.Helper()
	cloud := &openstackv1.ClusterCloud{ObjectMeta: metav1.ObjectMeta{Name: "notifying"}}
	cloud.Spec.SecretRef = openstackv1.CloudSecret{Name: "openstack-keystone-clouds", Namespace: cp.Namespace}
	cloud.Spec.Entry, cloud.Spec.SyncPeriod.Duration = "internal", time.Hour
	cloud.Spec.NamespaceSelector.MatchLabels = map[string]string{corev1.LabelMetadataName: w.Namespace}
	cloud.Spec.Notifications = &openstackv1.CloudNotifications{
		SecretRef: openstackv1.CloudSecret{Name: "openstack-notifications", Namespace: cp.Namespace}}
	w.Apply(cloud)
	w.Cleanup(func() {
		if err := client.IgnoreNotFound(w.Delete(context.WithoutCancel(w.Context()), cloud)); err != nil {
			w.Error(err)
		}
	})
	return cloud
}

// described are objects with the name of the namespace, in the order of their references.
func described(w *story.World, of *openstackv1.CloudReference) []client.Object {
	at, text := metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Namespace}, new("as declared")
	same := openstackv1.Reference{Name: w.Namespace}
	project, flavor := &openstackv1.Project{ObjectMeta: at}, &openstackv1.Flavor{ObjectMeta: at}
	project.Spec.CloudRef, project.Spec.Resource = of, &openstackv1.ProjectResource{Description: text}
	flavor.Spec.CloudRef, flavor.Spec.Resource = of, &openstackv1.FlavorResource{Description: text, RAM: 64, VCPUs: 1}
	network, subnet := &openstackv1.Network{ObjectMeta: at}, &openstackv1.Subnet{ObjectMeta: at}
	network.Spec.CloudRef, network.Spec.Resource = of, &openstackv1.NetworkResource{Description: text}
	subnet.Spec.CloudRef, subnet.Spec.Resource = of, &openstackv1.SubnetResource{NetworkRef: same, IPVersion: 4,
		CIDR: new("192.0.2.0/24")}
	router, connected := &openstackv1.Router{ObjectMeta: at}, &openstackv1.RouterInterface{ObjectMeta: at}
	router.Spec.CloudRef, router.Spec.Resource = of, &openstackv1.RouterResource{}
	connected.Spec.CloudRef, connected.Spec.Resource = of, &openstackv1.RouterInterfaceResource{RouterRef: same,
		SubnetRef: &same}
	return []client.Object{project, flavor, network, subnet, router, connected}
}

// corrected changes the description of a resource behind our back and waits until it is as declared again.
func corrected(w *story.World, kind ...string) {
	w.Helper()
	of := func(verb ...string) []string { return append(slices.Concat(kind, verb), w.Namespace) }
	w.OpenStack(of("set", "--description", "changed")...)
	w.Eventually(10*time.Second, fmt.Sprint("the change of a ", kind, " is corrected"), func(ctx context.Context) error {
		out, err := w.Cluster.Stackwright(ctx, append([]string{"openstack"},
			of("show", "-f", "value", "-c", "description")...)...)
		if err == nil && strings.TrimSpace(out) != "as declared" {
			err = fmt.Errorf("the description is %q", out)
		}
		return err
	})
}

// hears tells whether notifications of all services come in.
func hears(ctx context.Context, w *story.World, cloud *openstackv1.ClusterCloud) error {
	err := listening(w.Get(ctx, client.ObjectKeyFromObject(cloud), cloud), cloud.Status.Conditions)
	if err != nil {
		return err
	}
	c := meta.FindStatusCondition(cloud.Status.Conditions, "Listening")
	for _, exchange := range []string{"keystone", "neutron", "nova"} {
		if !strings.Contains(c.Message, exchange) {
			err = errors.New(c.Message)
		}
	}
	return err
}

func listening(err error, conditions []metav1.Condition) error {
	if err == nil && !meta.IsStatusConditionTrue(conditions, "Listening") {
		err = fmt.Errorf("it does not listen: %v", conditions)
	}
	return err
}
