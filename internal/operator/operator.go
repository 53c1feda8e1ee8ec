// Package operator wires the controllers into one process: the whole of Stackwright, one service or one component.
package operator

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"stackwright.dev/kit"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/resources"
)

// Options are the flags of the operator.
type Options struct {
	// Controllers is what runs, as --controllers says it.
	Controllers string
	// Metrics and Health are the addresses to serve on; "0" serves none.
	Metrics, Health string
	// Profiles is the loopback address of /debug/pprof; empty serves none.
	Profiles string
	// LeaderElection lets several replicas stand by for each other, with a lease in Namespace.
	LeaderElection bool
	Namespace      string
	// Workers is how many objects of a kind of OpenStack resource are worked on at a time.
	Workers int
	// LocalClouds lets clouds and their buses be at loopback and link-local addresses.
	LocalClouds bool
}

// Flags binds the options to the flags of the program.
func (o *Options) Flags(f *flag.FlagSet) {
	f.StringVar(&o.Controllers, "controllers", "",
		"controllers to run, such as keystone,galera or keystone/api for one component; empty runs all")
	f.StringVar(&o.Metrics, "metrics", "127.0.0.1:8080", `address of /metrics, without authentication; "0" for none`)
	f.StringVar(&o.Health, "health", ":8081", `address of /healthz and /readyz; "0" for none`)
	f.StringVar(&o.Profiles, "pprof", "", "loopback address of profiles and traces at /debug/pprof; empty for none")
	f.BoolVar(&o.LeaderElection, "leader-elect", false, "let several replicas stand by for each other")
	f.IntVar(&o.Workers, "workers", resources.Workers,
		"objects of each kind of OpenStack resource to work on at a time; those of one cloud take a third of them at most")
	f.BoolVar(&o.LocalClouds, "local-clouds", !inCluster(),
		"let clouds and their buses be at loopback and link-local addresses, which are the operator's own; only where "+
			"nobody else makes Clouds. True by default outside of a cluster")
	f.StringVar(&o.Namespace, "namespace", "", "namespace of the leader lease; empty is the pod's own")
}

// inCluster tells whether the process is in a pod, as client-go does: there only the pod itself, and its node, reach
// what people name who make a Cloud with a loopback or link-local address.
func inCluster() bool { return os.Getenv("KUBERNETES_SERVICE_HOST") != "" }

// Run runs the selected controllers until ctx ends.
func Run(ctx context.Context, cfg *rest.Config, o Options) error {
	manager, err := New(cfg, o)
	if err != nil {
		return err
	}
	if err := manager.Start(ctx); err != nil {
		return fmt.Errorf("running controllers: %w", err)
	}
	return nil
}

// loopback refuses addresses that more than the pod itself, and port-forward, reach: profiles ask for no password.
func loopback(address string) error {
	if address == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	if err != nil || (host != "localhost" && (ip == nil || !ip.IsLoopback())) {
		return errors.New("give a loopback address such as 127.0.0.1:6060 and reach it with kubectl port-forward")
	}
	return nil
}

// New makes the manager with the selected controllers and does not start it.
func New(cfg *rest.Config, o Options) (ctrl.Manager, error) {
	if o.Workers < 0 {
		return nil, fmt.Errorf("--workers is %d; give 1 or more", o.Workers)
	}
	if err := loopback(o.Profiles); err != nil {
		return nil, fmt.Errorf("--pprof is %q: %w", o.Profiles, err)
	}
	releases := &releases{}
	gateway, err := servesGateway(cfg)
	if err != nil {
		return nil, err
	}
	served, err := servesKinds(cfg)
	if err != nil {
		return nil, err
	}
	may, err := mayList(cfg)
	if err != nil {
		return nil, err
	}
	rights := newRights(may)
	known := Registry(Environment{Releases: releases.Names, Gateway: gateway, Metrics: metrics.Registry, Served: served,
		Cluster: func() (string, error) { return identity(cfg) }, Unseen: rights.unseen,
		Workers: o.Workers, LocalClouds: o.LocalClouds, Lookup: net.DefaultResolver.LookupHost})
	selection, err := Select(o.Controllers, known.Components())
	if err != nil {
		return nil, err
	}
	controllers, err := known.Build(selection)
	if err != nil {
		return nil, err
	}
	controllers = rights.allow(context.Background(), controllers)
	manager, err := kit.NewManager(cfg, ctrl.Options{
		Scheme:                        Scheme(),
		Metrics:                       server.Options{BindAddress: o.Metrics},
		HealthProbeBindAddress:        o.Health,
		PprofBindAddress:              o.Profiles,
		LeaderElection:                o.LeaderElection,
		LeaderElectionID:              selection.Lease(len(known)),
		LeaderElectionNamespace:       o.Namespace,
		LeaderElectionReleaseOnCancel: true,
		// The database's writer fails over by the operator: one that stands by takes over 10 s after its leader was lost.
		LeaseDuration: new(10 * time.Second),
		RenewDeadline: new(7 * time.Second),
		RetryPeriod:   new(2 * time.Second),
	}, controllers...)
	if err != nil {
		return nil, fmt.Errorf("making the manager: %w", err)
	}
	releases.reader = manager.GetClient()
	if len(rights.missing) > 0 {
		metrics.Registry.MustRegister(rights)
		if err := manager.Add(rights); err != nil {
			return nil, fmt.Errorf("adding the watch over rights: %w", err)
		}
	}
	return manager, probes(manager)
}

// servesGateway asks once: a cluster that gets the Gateway API later needs a restart of the operator.
func servesGateway(cfg *rest.Config) (bool, error) {
	d, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return false, fmt.Errorf("connecting to the cluster: %w", err)
	}
	err = discovery.ServerSupportsVersion(d, schema.GroupVersion{Group: "gateway.networking.k8s.io", Version: "v1"})
	if err == nil {
		return true, nil
	}
	if _, reachable := d.ServerVersion(); reachable != nil {
		return false, fmt.Errorf("asking the cluster for its APIs: %w", reachable)
	}
	return false, nil
}

// servesKinds asks once which kinds that ask OpenStack are installed: people may install those of some services
// only. A cluster that gets more of them later needs a restart of the operator.
func servesKinds(cfg *rest.Config) (func(kind string) bool, error) {
	d, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	served := map[string]bool{}
	for _, group := range []schema.GroupVersion{openstackv1.GroupVersion, fleetv1.GroupVersion} {
		list, err := d.ServerResourcesForGroupVersion(group.String())
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("asking the cluster for its kinds: %w", err)
		}
		if list != nil {
			for _, r := range list.APIResources {
				served[r.Kind] = true
			}
		}
	}
	return func(kind string) bool { return served[kind] }, nil
}

// identity names the cluster by its namespace kube-system, which lives as long as it does. An operator that may not see
// the namespace, or a cluster without, leaves resources with a marker that names no cluster.
func identity(cfg *rest.Config) (string, error) {
	c, err := client.New(cfg, client.Options{Scheme: Scheme()})
	if err != nil {
		return "", fmt.Errorf("connecting to the cluster: %w", err)
	}
	var ns corev1.Namespace
	err = c.Get(context.Background(), client.ObjectKey{Name: metav1.NamespaceSystem}, &ns)
	switch {
	case apierrors.IsForbidden(err):
		ctrl.Log.WithName("operator").Error(err, "resources of OpenStack do not tell which cluster they are of; "+
			"let the operator get namespaces, as the roles of its chart do")
		return "", nil
	case apierrors.IsNotFound(err):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("reading the identity of the cluster: %w", err)
	}
	return resources.ClusterID(ns.UID), nil
}

func probes(manager ctrl.Manager) error {
	if err := manager.AddHealthzCheck("alive", healthz.Ping); err != nil {
		return fmt.Errorf("adding health check: %w", err)
	}
	if err := manager.AddReadyzCheck("alive", healthz.Ping); err != nil {
		return fmt.Errorf("adding readiness check: %w", err)
	}
	return nil
}
