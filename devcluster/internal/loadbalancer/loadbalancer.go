// Package loadbalancer gives Services of type LoadBalancer addresses, and leads the machine and the control plane to
// them, to pods and to Services through a node that is alive. What happens there is kube-proxy's work.
package loadbalancer

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/network"
)

const retryAfter = 2 * time.Second

// Balancer keeps addresses and routes.
type Balancer struct {
	client   kubernetes.Interface
	cluster  func() *cluster.Cluster
	services corelisters.ServiceLister
	nodes    corelisters.NodeLister
	slices   discoverylisters.EndpointSliceLister
	wake     chan struct{}
}

// New listens to what factory watches. The cluster is asked for anew each time, as nodes come and go.
func New(client kubernetes.Interface, factory informers.SharedInformerFactory, c func() *cluster.Cluster) (
	*Balancer, error,
) {
	balancer := &Balancer{
		client: client, cluster: c, wake: make(chan struct{}, 1),
		services: factory.Core().V1().Services().Lister(),
		nodes:    factory.Core().V1().Nodes().Lister(),
		slices:   factory.Discovery().V1().EndpointSlices().Lister(),
	}
	for _, informer := range []cache.SharedIndexInformer{
		factory.Core().V1().Services().Informer(),
		factory.Core().V1().Nodes().Informer(),
		factory.Discovery().V1().EndpointSlices().Informer(),
	} {
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { balancer.Wake() },
			UpdateFunc: func(_, _ any) { balancer.Wake() },
			DeleteFunc: func(any) { balancer.Wake() },
		})
		if err != nil {
			return nil, fmt.Errorf("watching: %w", err)
		}
	}
	return balancer, nil
}

// Wake has everything looked at once more.
func (b *Balancer) Wake() {
	select {
	case b.wake <- struct{}{}:
	default: // it will be looked at anyway
	}
}

// Run works until ctx is done.
func (b *Balancer) Run(ctx context.Context) {
	for {
		var retry <-chan time.Time
		if err := b.sync(ctx); err != nil {
			klog.ErrorS(err, "balancing")
			retry = time.After(retryAfter)
		}
		select {
		case <-ctx.Done():
			return
		case <-b.wake:
		case <-retry:
		}
	}
}

func (b *Balancer) sync(ctx context.Context) error {
	services, err := b.services.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("listing Services: %w", err)
	}
	c := b.cluster()
	addresses := assign(c.LoadBalancers(), services)
	for _, service := range services {
		if err := b.publish(ctx, service, addresses[key(service)]); err != nil {
			return fmt.Errorf("publishing address of Service %s: %w", key(service), err)
		}
	}
	routes, err := b.routes(c, services, addresses)
	if err != nil {
		return err
	}
	return network.Routes(c, routes)
}

// publish says in the Service's status which address it has; none for one that is not ours to serve.
func (b *Balancer) publish(ctx context.Context, service *corev1.Service, address netip.Addr) error {
	status := coreapply.ServiceStatus()
	switch {
	case address.IsValid() && current(service) == address:
		return nil
	case address.IsValid():
		status.WithLoadBalancer(coreapply.LoadBalancerStatus().WithIngress(
			coreapply.LoadBalancerIngress().WithIP(address.String()).WithIPMode(corev1.LoadBalancerIPModeVIP)))
	case !b.cluster().LoadBalancers().Contains(current(service)):
		return nil
	}
	_, err := b.client.CoreV1().Services(service.Namespace).ApplyStatus(ctx,
		coreapply.Service(service.Name, service.Namespace).WithStatus(status),
		metav1.ApplyOptions{FieldManager: "devcluster", Force: true})
	return err
}

// assign gives every Service that asks for one an address of the range: the one it has, the one it wishes for, or the
// lowest that is free. Older Services choose first.
func assign(from netip.Prefix, services []*corev1.Service) map[string]netip.Addr {
	given, taken := map[string]netip.Addr{}, map[netip.Addr]bool{from.Addr(): true}
	ours := slices.DeleteFunc(slices.Clone(services), func(s *corev1.Service) bool { return !wanted(s) })
	slices.SortFunc(ours, func(a, b *corev1.Service) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	for _, choose := range []func(*corev1.Service) netip.Addr{current, wish} {
		for _, service := range ours {
			address := choose(service)
			if !given[key(service)].IsValid() && from.Contains(address) && !taken[address] {
				given[key(service)], taken[address] = address, true
			}
		}
	}
	next := from.Addr()
	for _, service := range ours {
		if given[key(service)].IsValid() {
			continue
		}
		for taken[next] {
			next = next.Next()
		}
		if !from.Contains(next) {
			break // the range is used up: the Service stays pending, as on any cluster
		}
		given[key(service)], taken[next] = next, true
	}
	return given
}

// routes leads to all that nodes answer for.
func (b *Balancer) routes(c *cluster.Cluster, services []*corev1.Service, addresses map[string]netip.Addr) (
	[]network.Route, error,
) {
	var routes []network.Route
	for _, node := range c.Nodes {
		routes = append(routes, network.Route{To: c.NodePods(node), Via: c.NodeAddress(node)})
	}
	alive := b.alive(c)
	if len(alive) == 0 {
		return routes, nil
	}
	routes = append(routes, network.Route{To: c.Services(), Via: c.NodeAddress(alive[0])})
	for _, service := range services {
		address := addresses[key(service)]
		if !address.IsValid() {
			continue
		}
		node, err := b.entrance(service, alive)
		if err != nil {
			return nil, err
		}
		routes = append(routes, network.Route{To: netip.PrefixFrom(address, 32), Via: c.NodeAddress(node)})
	}
	return routes, nil
}

// entrance picks the node that traffic to the Service enters by: any, or, where it must not be passed on to another
// node, one that has an endpoint.
func (b *Balancer) entrance(service *corev1.Service, alive []cluster.Node) (cluster.Node, error) {
	if service.Spec.ExternalTrafficPolicy != corev1.ServiceExternalTrafficPolicyLocal {
		return alive[0], nil
	}
	selector := labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: service.Name})
	found, err := b.slices.EndpointSlices(service.Namespace).List(selector)
	if err != nil {
		return cluster.Node{}, fmt.Errorf("listing endpoints of Service %s: %w", key(service), err)
	}
	for _, node := range alive {
		if slices.ContainsFunc(found, func(s *discoveryv1.EndpointSlice) bool { return serves(s, node.Name) }) {
			return node, nil
		}
	}
	return alive[0], nil
}

func (b *Balancer) alive(c *cluster.Cluster) []cluster.Node {
	var alive []cluster.Node
	for _, node := range c.Nodes {
		if object, err := b.nodes.Get(node.Name); err == nil && !node.Cut && Ready(object) {
			alive = append(alive, node)
		}
	}
	return alive
}

// Ready tells whether a node is.
func Ready(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func serves(slice *discoveryv1.EndpointSlice, node string) bool {
	return slices.ContainsFunc(slice.Endpoints, func(e discoveryv1.Endpoint) bool {
		ready := e.Conditions.Ready == nil || *e.Conditions.Ready
		return ready && e.NodeName != nil && *e.NodeName == node
	})
}

func wanted(service *corev1.Service) bool {
	return service.Spec.Type == corev1.ServiceTypeLoadBalancer && service.Spec.LoadBalancerClass == nil &&
		service.DeletionTimestamp == nil
}

func current(service *corev1.Service) netip.Addr {
	for _, ingress := range service.Status.LoadBalancer.Ingress {
		if address, err := netip.ParseAddr(ingress.IP); err == nil {
			return address
		}
	}
	return netip.Addr{}
}

func wish(service *corev1.Service) netip.Addr {
	address, err := netip.ParseAddr(service.Spec.LoadBalancerIP)
	if err != nil {
		return netip.Addr{}
	}
	return address
}

func key(service *corev1.Service) string { return service.Namespace + "/" + service.Name }
