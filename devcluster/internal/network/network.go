// Package network joins the nodes of a cluster, its control plane and the machine by one bridge, which lives in the
// network namespace of the control plane. Pods are routed, not bridged: every node has a route to the pods of every
// other one.
package network

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/namespace"
)

const (
	bridge   = "bridge"
	nodeLink = "eth0"
)

// Ensure makes the bridge, the machine's way to it and the link of every node, and sets which nodes are cut off. What
// is there already stays.
func Ensure(c *cluster.Cluster) error {
	if err := ensureBridge(c); err != nil {
		return err
	}
	if err := ensureHostLink(c); err != nil {
		return err
	}
	for _, node := range c.Nodes {
		if err := ensureNode(c, node); err != nil {
			return fmt.Errorf("connecting %s: %w", node.Name, err)
		}
	}
	return nil
}

// Remove takes all network namespaces of the cluster away, and with them every link.
func Remove(c *cluster.Cluster) error {
	var errs []error
	// The machine's end goes first: the kernel would take it along only some time after the namespaces.
	if link, err := netlink.LinkByName(c.HostLink()); err == nil {
		errs = append(errs, netlink.LinkDel(link))
	}
	for _, node := range c.Nodes {
		errs = append(errs, namespace.Remove(namespace.Network(c.NodeNetwork(node.Name))))
	}
	return errors.Join(append(errs, namespace.Remove(namespace.Network(c.ControlNetwork())))...)
}

// RemoveNode takes the network namespace of a node away.
func RemoveNode(c *cluster.Cluster, node cluster.Node) error {
	err := in(c.ControlNetwork(), func(handle *netlink.Handle) error {
		if link, err := handle.LinkByName(port(node)); err == nil {
			return handle.LinkDel(link)
		}
		return nil
	})
	return errors.Join(err, namespace.Remove(namespace.Network(c.NodeNetwork(node.Name))))
}

func ensureBridge(c *cluster.Cluster) error {
	if _, err := namespace.EnsureNetwork(c.ControlNetwork()); err != nil {
		return err
	}
	return in(c.ControlNetwork(), func(handle *netlink.Handle) error {
		if err := loopback(handle); err != nil {
			return err
		}
		link, err := handle.LinkByName(bridge)
		if err != nil {
			attributes := netlink.NewLinkAttrs()
			attributes.Name = bridge
			attributes.HardwareAddr = hardware(c.API())
			if err := handle.LinkAdd(&netlink.Bridge{LinkAttrs: attributes}); err != nil {
				return fmt.Errorf("making bridge: %w", err)
			}
			if link, err = handle.LinkByName(bridge); err != nil {
				return fmt.Errorf("finding bridge: %w", err)
			}
		}
		return address(handle, link, c.API(), c.NodeRange())
	})
}

func ensureHostLink(c *cluster.Cluster) error {
	host, err := netlink.NewHandle()
	if err != nil {
		return fmt.Errorf("opening netlink: %w", err)
	}
	defer host.Close()
	if err := ensurePair(host, c.HostLink(), c.Host(), c.ControlNetwork(), "machine"); err != nil {
		return err
	}
	link, err := host.LinkByName(c.HostLink())
	if err != nil {
		return fmt.Errorf("finding link %s: %w", c.HostLink(), err)
	}
	if err := address(host, link, c.Host(), c.NodeRange()); err != nil {
		return err
	}
	return plug(c, "machine", false)
}

func ensureNode(c *cluster.Cluster, node cluster.Node) error {
	if _, err := namespace.EnsureNetwork(c.NodeNetwork(node.Name)); err != nil {
		return err
	}
	err := in(c.NodeNetwork(node.Name), func(handle *netlink.Handle) error {
		if err := loopback(handle); err != nil {
			return err
		}
		if err := ensurePair(handle, nodeLink, c.NodeAddress(node), c.ControlNetwork(), port(node)); err != nil {
			return err
		}
		link, err := handle.LinkByName(nodeLink)
		if err != nil {
			return fmt.Errorf("finding link: %w", err)
		}
		if err := address(handle, link, c.NodeAddress(node), c.NodeRange()); err != nil {
			return err
		}
		return routePods(handle, c, node)
	})
	if err != nil {
		return err
	}
	if err := forward(c.NodeNetwork(node.Name)); err != nil {
		return err
	}
	return plug(c, port(node), node.Cut)
}

// routePods leads from a node to the pods of all others.
func routePods(handle *netlink.Handle, c *cluster.Cluster, node cluster.Node) error {
	for _, other := range c.Nodes {
		if other.Number == node.Number {
			continue
		}
		if err := handle.RouteReplace(via(c.NodePods(other), c.NodeAddress(other))); err != nil {
			return fmt.Errorf("routing to the pods of %s: %w", other.Name, err)
		}
	}
	return nil
}

// hardware is the link address that belongs to an IP address. Left to the kernel it would be random, and that of the
// bridge would follow its ports, the lowest of them: whenever a node comes or goes, the others could go on sending to
// an address that is no longer there, until they ask again.
func hardware(ip netip.Addr) net.HardwareAddr {
	return append(net.HardwareAddr{0x02, 0xdc}, ip.AsSlice()...) // 02: administered locally, for one receiver
}

// ensurePair makes a veth pair from handle's namespace, where it will have that IP address, into another.
func ensurePair(handle *netlink.Handle, name string, ip netip.Addr, peerNetwork, peer string) error {
	if _, err := handle.LinkByName(name); err == nil {
		return nil
	}
	other, err := netns.GetFromName(peerNetwork)
	if err != nil {
		return fmt.Errorf("opening namespace %s: %w", peerNetwork, err)
	}
	defer func() { _ = other.Close() }()
	attributes := netlink.NewLinkAttrs()
	attributes.Name = name
	attributes.HardwareAddr = hardware(ip)
	pair := &netlink.Veth{LinkAttrs: attributes, PeerName: peer, PeerNamespace: netlink.NsFd(other)}
	if err := handle.LinkAdd(pair); err != nil {
		return fmt.Errorf("making link %s: %w", name, err)
	}
	return nil
}

// plug puts a port into the bridge, up or down.
func plug(c *cluster.Cluster, port string, down bool) error {
	return in(c.ControlNetwork(), func(handle *netlink.Handle) error {
		link, err := handle.LinkByName(port)
		if err != nil {
			return fmt.Errorf("finding port %s: %w", port, err)
		}
		master, err := handle.LinkByName(bridge)
		if err != nil {
			return fmt.Errorf("finding bridge: %w", err)
		}
		if err := handle.LinkSetMaster(link, master); err != nil {
			return fmt.Errorf("plugging port %s: %w", port, err)
		}
		if down {
			return handle.LinkSetDown(link)
		}
		return handle.LinkSetUp(link)
	})
}

func address(handle *netlink.Handle, link netlink.Link, ip netip.Addr, network netip.Prefix) error {
	wanted := &netlink.Addr{IPNet: &net.IPNet{IP: ip.AsSlice(), Mask: net.CIDRMask(network.Bits(), 32)}}
	if err := handle.AddrReplace(link, wanted); err != nil {
		return fmt.Errorf("setting address %s: %w", ip, err)
	}
	if err := handle.LinkSetUp(link); err != nil {
		return fmt.Errorf("setting link %s up: %w", link.Attrs().Name, err)
	}
	return nil
}

func loopback(handle *netlink.Handle) error {
	link, err := handle.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("finding loopback: %w", err)
	}
	return handle.LinkSetUp(link)
}

func via(destination netip.Prefix, gateway netip.Addr) *netlink.Route {
	network := &net.IPNet{IP: destination.Addr().AsSlice(), Mask: net.CIDRMask(destination.Bits(), 32)}
	return &netlink.Route{Dst: network, Gw: gateway.AsSlice(), Protocol: unix.RTPROT_STATIC}
}

// in runs f with a netlink handle of the named network namespace.
func in(network string, f func(*netlink.Handle) error) error {
	file, err := netns.GetFromName(network)
	if err != nil {
		return fmt.Errorf("opening namespace %s: %w", network, err)
	}
	defer func() { _ = file.Close() }()
	handle, err := netlink.NewHandleAt(file)
	if err != nil {
		return fmt.Errorf("opening netlink in %s: %w", network, err)
	}
	defer handle.Close()
	return f(handle)
}

func port(node cluster.Node) string { return node.Name }
