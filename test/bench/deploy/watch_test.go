//go:build bench

package deploy

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/cli/proof"
	"stackwright.dev/stackwright/test/bench/contender/token"
	"stackwright.dev/stackwright/test/e2e/story"
)

const (
	// namespace and name of the control plane that stackwright up makes.
	namespace, name = "openstack", "openstack"
	// pace at which the cloud is looked at. It is one small request.
	pace = 100 * time.Millisecond
)

// watcher notes how long after the control plane was applied something was so.
type watcher struct {
	cluster story.Cluster
	client  client.Client
	began   time.Time
	seen    map[string]time.Duration
}

// watch waits for one mark after the other.
func (w *watcher) watch(ctx context.Context) error {
	if err := w.until(ctx, w.connect); err != nil {
		return fmt.Errorf("connecting to the cluster: %w", err)
	}
	plane := &controlplanev1.OpenStackControlPlane{}
	plane.Namespace, plane.Name = namespace, name
	err := w.until(ctx, func(ctx context.Context) error {
		return w.client.Get(ctx, client.ObjectKeyFromObject(plane), plane)
	})
	if err != nil {
		return fmt.Errorf("waiting for the control plane to be applied: %w", err)
	}
	w.began = time.Now()
	server := &openstackv1.Server{}
	server.Namespace, server.Name = proof.Namespace, "web"
	for i, check := range []func(context.Context) error{w.token, w.ready(plane), w.ready(server)} {
		if err := w.until(ctx, check); err != nil {
			return fmt.Errorf("waiting for %s: %w", marks[i], err)
		}
		w.seen[marks[i]] = time.Since(w.began)
	}
	return nil
}

// until asks until there is no error.
func (w *watcher) until(ctx context.Context, check func(context.Context) error) error {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-tick.C:
		}
	}
}

func (w *watcher) connect(context.Context) error {
	cfg, err := clientcmd.BuildConfigFromFlags("", w.cluster.Kubeconfig())
	if err != nil {
		return err
	}
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, controlplanev1.AddToScheme,
		openstackv1.AddToScheme} {
		if err := add(s); err != nil {
			return err
		}
	}
	w.client, err = client.New(cfg, client.Options{Scheme: s})
	return err
}

func (w *watcher) ready(obj client.Object) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := w.client.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
			return err
		}
		if ok, why := gate.For(obj)(obj); !ok {
			return errors.New(why)
		}
		return nil
	}
}

// token asks for one at the address that users have.
func (w *watcher) token(ctx context.Context) error {
	admin, service := &corev1.Secret{}, &corev1.Service{}
	err := w.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name + "-keystone-admin"}, admin)
	if err == nil {
		err = w.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name + "-keystone-public"}, service)
	}
	if err != nil {
		return err
	}
	for _, i := range service.Status.LoadBalancer.Ingress {
		return token.Issue(ctx, "https://"+i.IP+":5000/v3", string(admin.Data["password"]))
	}
	return errors.New("Keystone has no address")
}
