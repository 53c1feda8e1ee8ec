// Package addon keeps the objects that a cluster is expected to have beside what Kubernetes makes itself: a default
// storage class and the cluster's DNS.
package addon

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	discoveryapply "k8s.io/client-go/applyconfigurations/discovery/v1"
	rbacapply "k8s.io/client-go/applyconfigurations/rbac/v1"
	storageapply "k8s.io/client-go/applyconfigurations/storage/v1"
	"k8s.io/client-go/kubernetes"

	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/storage"
)

const (
	dns       = "kube-dns"
	namespace = metav1.NamespaceSystem
	coreDNS   = "system:coredns"
)

// Apply makes the objects what they should be.
func Apply(ctx context.Context, client kubernetes.Interface, c *cluster.Cluster) error {
	if err := applyStorage(ctx, client); err != nil {
		return fmt.Errorf("applying storage class: %w", err)
	}
	if err := applyRights(ctx, client); err != nil {
		return fmt.Errorf("applying rights of DNS: %w", err)
	}
	if err := applyDNS(ctx, client, c); err != nil {
		return fmt.Errorf("applying DNS service: %w", err)
	}
	return nil
}

func applyStorage(ctx context.Context, client kubernetes.Interface) error {
	folder := class("devcluster").
		WithAnnotations(map[string]string{"storageclass.kubernetes.io/is-default-class": "true"})
	sized := class("devcluster-sized").WithParameters(map[string]string{storage.SizeParameter: storage.Enforced})
	for _, class := range []*storageapply.StorageClassApplyConfiguration{folder, sized} {
		if _, err := client.StorageV1().StorageClasses().Apply(ctx, class, owner()); err != nil {
			return err
		}
	}
	return nil
}

func class(name string) *storageapply.StorageClassApplyConfiguration {
	return storageapply.StorageClass(name).
		WithProvisioner(storage.Provisioner).
		WithReclaimPolicy(corev1.PersistentVolumeReclaimDelete).
		WithVolumeBindingMode(storagev1.VolumeBindingWaitForFirstConsumer)
}

func applyRights(ctx context.Context, client kubernetes.Interface) error {
	role := rbacapply.ClusterRole(coreDNS).WithRules(
		rbacapply.PolicyRule().WithAPIGroups("").WithResources("services", "pods", "namespaces").
			WithVerbs("list", "watch"),
		rbacapply.PolicyRule().WithAPIGroups(discoveryv1.GroupName).WithResources("endpointslices").
			WithVerbs("list", "watch"),
	)
	if _, err := client.RbacV1().ClusterRoles().Apply(ctx, role, owner()); err != nil {
		return err
	}
	group := "rbac.authorization.k8s.io"
	binding := rbacapply.ClusterRoleBinding(coreDNS).
		WithRoleRef(rbacapply.RoleRef().WithAPIGroup(group).WithKind("ClusterRole").WithName(coreDNS)).
		WithSubjects(rbacapply.Subject().WithAPIGroup(group).WithKind("User").WithName(coreDNS))
	_, err := client.RbacV1().ClusterRoleBindings().Apply(ctx, binding, owner())
	return err
}

// applyDNS leads the DNS service of every node to that node's own CoreDNS, so that a lost node takes no other's names
// with it.
func applyDNS(ctx context.Context, client kubernetes.Interface, c *cluster.Cluster) error {
	service := coreapply.Service(dns, namespace).
		WithLabels(map[string]string{"k8s-app": dns, "kubernetes.io/name": "CoreDNS"}).
		WithSpec(coreapply.ServiceSpec().
			WithClusterIP(c.DNSService().String()).
			WithInternalTrafficPolicy(corev1.ServiceInternalTrafficPolicyLocal).
			WithPorts(port("dns", corev1.ProtocolUDP), port("dns-tcp", corev1.ProtocolTCP)))
	if _, err := client.CoreV1().Services(namespace).Apply(ctx, service, owner()); err != nil {
		return err
	}
	slice := discoveryapply.EndpointSlice(dns, namespace).
		WithLabels(map[string]string{
			discoveryv1.LabelServiceName: dns, discoveryv1.LabelManagedBy: owner().FieldManager,
		}).
		WithAddressType(discoveryv1.AddressTypeIPv4).
		WithPorts(
			discoveryapply.EndpointPort().WithName("dns").WithProtocol(corev1.ProtocolUDP).WithPort(cluster.DNSPort),
			discoveryapply.EndpointPort().WithName("dns-tcp").WithProtocol(corev1.ProtocolTCP).WithPort(cluster.DNSPort),
		)
	for _, node := range c.Nodes {
		slice.WithEndpoints(discoveryapply.Endpoint().
			WithAddresses(c.NodeAddress(node).String()).
			WithNodeName(node.Name).
			WithConditions(discoveryapply.EndpointConditions().WithReady(true)))
	}
	_, err := client.DiscoveryV1().EndpointSlices(namespace).Apply(ctx, slice, owner())
	return err
}

func port(name string, protocol corev1.Protocol) *coreapply.ServicePortApplyConfiguration {
	return coreapply.ServicePort().WithName(name).WithProtocol(protocol).WithPort(53).
		WithTargetPort(intstr.FromInt32(cluster.DNSPort))
}

func owner() metav1.ApplyOptions { return metav1.ApplyOptions{FieldManager: "devcluster", Force: true} }
