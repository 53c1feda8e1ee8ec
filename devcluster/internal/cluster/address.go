package cluster

import (
	"fmt"
	"net"
	"net/netip"
)

// Every cluster owns one /16: nodes in .0, load balancers in .1, nodes' second links in .2, the network outside in .3,
// Services from .64, pods of node n in .(128+n).
const (
	firstRange = 180
	ranges     = 64
	// APIPort is where the API server listens.
	APIPort = 6443
	// DNSPort is where CoreDNS listens on each node; not 53, which a host network pod may want.
	DNSPort = 10053
)

func (c *Cluster) address(third, fourth int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(firstRange + c.Index), byte(third), byte(fourth)})
}

// Range holds every address of the cluster.
func (c *Cluster) Range() netip.Prefix { return netip.PrefixFrom(c.address(0, 0), 16) }

// API is the address of the API server.
func (c *Cluster) API() netip.Addr { return c.address(0, 1) }

// Host is the address of the machine in the cluster's network.
func (c *Cluster) Host() netip.Addr { return c.address(0, 2) }

// NodeAddress is the address of a node.
func (c *Cluster) NodeAddress(n Node) netip.Addr { return c.address(0, 10+n.Number) }

// NodeRange holds the addresses of nodes, API server and machine.
func (c *Cluster) NodeRange() netip.Prefix { return netip.PrefixFrom(c.address(0, 0), 24) }

// Data is the address that the bridge of the nodes' second links has its link address from.
func (c *Cluster) Data() netip.Addr { return c.address(2, 1) }

// DataAddress is the address of a node on its second link.
func (c *Cluster) DataAddress(n Node) netip.Addr { return c.address(2, 10+n.Number) }

// Outside holds the addresses of the network that nodes' third links lead to. They are for what runs in the cluster,
// but for the machine's.
func (c *Cluster) Outside() netip.Prefix { return netip.PrefixFrom(c.address(3, 0), 24) }

// Gateway is the address of the machine in the network outside.
func (c *Cluster) Gateway() netip.Addr { return c.address(3, 1) }

// OutsideAddress is what the link address of a node in the network outside comes from. The node does not have it.
func (c *Cluster) OutsideAddress(n Node) netip.Addr { return c.address(3, 10+n.Number) }

// LoadBalancers holds the addresses that Services of type LoadBalancer get.
func (c *Cluster) LoadBalancers() netip.Prefix { return netip.PrefixFrom(c.address(1, 0), 24) }

// Services holds the addresses of Services.
func (c *Cluster) Services() netip.Prefix { return netip.PrefixFrom(c.address(64, 0), 20) }

// APIService is the address of the Service kubernetes.
func (c *Cluster) APIService() netip.Addr { return c.address(64, 1) }

// DNSService is the address of the cluster's DNS.
func (c *Cluster) DNSService() netip.Addr { return c.address(64, 10) }

// Pods holds the addresses of all pods.
func (c *Cluster) Pods() netip.Prefix { return netip.PrefixFrom(c.address(128, 0), 17) }

// NodePods holds the addresses of the pods of a node.
func (c *Cluster) NodePods(n Node) netip.Prefix {
	return netip.PrefixFrom(c.address(128+n.Number, 0), 24)
}

// HostLink names the machine's network interface into the cluster.
func (c *Cluster) HostLink() string { return fmt.Sprintf("devcluster%d", c.Index) }

// OutsideLink names the machine's network interface into the network outside.
func (c *Cluster) OutsideLink() string { return c.HostLink() + "out" }

// freeIndex picks the first address range that neither a cluster nor the machine uses.
func freeIndex(clusters []*Cluster, addresses []net.Addr) (int, error) {
	taken := map[int]bool{}
	for _, other := range clusters {
		taken[other.Index] = true
	}
	for index := range ranges {
		candidate := (&Cluster{Index: index}).Range()
		if !taken[index] && !inUse(candidate, addresses) {
			return index, nil
		}
	}
	return 0, fmt.Errorf("none of the %d address ranges from 10.%d.0.0/16 is free; remove a cluster with "+
		"`devcluster down --name NAME`", ranges, firstRange)
}

func inUse(candidate netip.Prefix, addresses []net.Addr) bool {
	for _, address := range addresses {
		if used, err := netip.ParsePrefix(address.String()); err == nil && used.Overlaps(candidate) {
			return true
		}
	}
	return false
}
