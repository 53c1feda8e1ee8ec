package supervisor

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"stackwright.dev/devcluster/internal/addon"
	"stackwright.dev/devcluster/internal/apiserver"
	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/loadbalancer"
	"stackwright.dev/devcluster/internal/policy"
	"stackwright.dev/devcluster/internal/storage"
)

const (
	lookEvery  = 200 * time.Millisecond
	retryAfter = 2 * time.Second
	dialAfter  = 100 * time.Millisecond
	askAfter   = 5 * time.Second // a request that was not answered is made again
)

// view is what the supervisor sees of the cluster through its API.
type view struct {
	API   bool
	Addon bool
	Ready map[string]bool // nodes that can run pods that resolve names
}

// control runs the controllers once there is an API to control.
func (s *Supervisor) control(ctx context.Context) {
	for ctx.Err() == nil {
		if err := s.runControllers(ctx); err != nil {
			klog.ErrorS(err, "controlling")
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryAfter):
		}
	}
}

func (s *Supervisor) runControllers(ctx context.Context) error {
	if err := apiserver.WaitReady(ctx, s.Cluster().Kubeconfig()); err != nil {
		return err
	}
	s.journal.mark("API server ready")
	s.see(func(v *view) { v.API = true })
	config, err := clientcmd.BuildConfigFromFlags("", s.Cluster().Kubeconfig())
	if err != nil {
		return fmt.Errorf("reading kubeconfig: %w", err)
	}
	config.QPS, config.Burst = 50, 100
	// client-go notices only after 45 s that nothing comes back on its one connection, and requests that are given up do
	// not make it take another; see SetTransportDefaults of k8s.io/apimachinery/pkg/util/net.
	for name, seconds := range map[string]string{
		"HTTP2_READ_IDLE_TIMEOUT_SECONDS": "5", "HTTP2_PING_TIMEOUT_SECONDS": "3",
	} {
		if err := os.Setenv(name, seconds); err != nil {
			return fmt.Errorf("setting timeouts: %w", err)
		}
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("building client: %w", err)
	}
	if err := addon.Apply(ctx, client, s.Cluster()); err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(strip))
	balancer, err := loadbalancer.New(client, factory, s.Cluster)
	if err != nil {
		return err
	}
	enforcer, err := policy.New(factory, s.Cluster)
	if err != nil {
		return err
	}
	nodes := factory.Core().V1().Nodes().Lister()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if err := waitAccount(ctx, client); err != nil {
		return err
	}
	s.see(func(v *view) { v.Addon = true })
	go balancer.Run(ctx)
	go enforcer.Run(ctx)
	go storage.Run(ctx, client, s.Cluster())
	go s.follow(ctx, client, balancer.Wake, enforcer.Wake)
	s.watch(ctx, client, nodes)
	return nil
}

// strip drops from watched objects what nobody here looks at and what is a third of their size.
func strip(object any) (any, error) {
	if object, ok := object.(metav1.Object); ok {
		object.SetManagedFields(nil)
	}
	return object, nil
}

// waitAccount returns when pods can be made: the controller manager makes the account they run as.
func waitAccount(ctx context.Context, client kubernetes.Interface) error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		_, err := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the default service account: %w", err)
		case <-ticker.C:
		}
	}
}

// follow brings changes of the cluster's description to its objects.
func (s *Supervisor) follow(ctx context.Context, client kubernetes.Interface, wake ...func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		}
		for _, controller := range wake {
			controller()
		}
		if err := addon.Apply(ctx, client, s.Cluster()); err != nil {
			klog.ErrorS(err, "following the description")
		}
	}
}

// watch looks at the nodes: which are ready, which lack the address range of their pods, which are no longer ours.
func (s *Supervisor) watch(ctx context.Context, client kubernetes.Interface, nodes corelisters.NodeLister) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		s.lookAt(ctx, client, nodes)
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

func (s *Supervisor) lookAt(ctx context.Context, client kubernetes.Interface, nodes corelisters.NodeLister) {
	ctx, cancel := context.WithTimeout(ctx, askAfter)
	defer cancel()
	c := s.Cluster()
	ready := map[string]bool{}
	for _, member := range c.Nodes {
		ready[member.Name] = s.look(ctx, client, nodes, member)
	}
	s.see(func(v *view) { v.Ready = ready })
	if err := forget(ctx, client, nodes, c); err != nil {
		klog.ErrorS(err, "forgetting nodes")
	}
}

func (s *Supervisor) look(
	ctx context.Context, client kubernetes.Interface, nodes corelisters.NodeLister, member cluster.Node,
) bool {
	object, err := nodes.Get(member.Name)
	if err != nil {
		return false
	}
	c := s.Cluster()
	if object.Spec.PodCIDR == "" {
		patch := fmt.Sprintf(`{"spec":{"podCIDR":%q,"podCIDRs":[%[1]q]}}`, c.NodePods(member))
		_, err := client.CoreV1().Nodes().
			Patch(ctx, member.Name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
		if err != nil {
			klog.ErrorS(err, "setting pod range", "node", member.Name)
		}
	}
	ready := loadbalancer.Ready(object) && (member.Cut || s.sees(member.Name) || resolves(c.NodeAddress(member)))
	if ready {
		s.journal.mark(member.Name + " Ready")
	}
	return ready
}

// forget deletes the objects of nodes that were removed.
func forget(ctx context.Context, client kubernetes.Interface, nodes corelisters.NodeLister, c *cluster.Cluster) error {
	objects, err := nodes.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	for _, object := range objects {
		known := slices.ContainsFunc(c.Nodes, func(n cluster.Node) bool { return n.Name == object.Name })
		if known || !ours(c, object) {
			continue
		}
		err := client.CoreV1().Nodes().Delete(ctx, object.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("deleting node %s: %w", object.Name, err)
		}
	}
	return nil
}

// ours tells our nodes from those that a test made up.
func ours(c *cluster.Cluster, node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Addresses, func(a corev1.NodeAddress) bool {
		address, err := netip.ParseAddr(a.Address)
		return err == nil && c.NodeRange().Contains(address)
	})
}

// resolves tells whether a node's CoreDNS listens, which it does once it has read the cluster's Services.
func resolves(node netip.Addr) bool {
	address := net.JoinHostPort(node.String(), strconv.Itoa(cluster.DNSPort))
	connection, err := net.DialTimeout("tcp", address, dialAfter)
	if err != nil {
		return false
	}
	connection.Close()
	return true
}

func (s *Supervisor) sees(node string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view.Ready[node]
}

func (s *Supervisor) see(change func(*view)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.view)
}
