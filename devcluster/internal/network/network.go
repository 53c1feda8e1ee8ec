// Package network joins the nodes of a cluster, its control plane and the machine by one bridge, which lives in the
// network namespace of the control plane. Pods are routed, not bridged: every node has a route to the pods of every
// other one. Two more links of every node are left to what runs in the cluster: the second leads to a bridge that joins
// the nodes only, for tunnels, the third to one that the machine is on, too, as the network outside of a data centre.
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
	bridge        = "bridge"
	dataBridge    = "data"
	outsideBridge = "outside"
	nodeLink      = "eth0"
	dataLink      = "eth1"
)

// OutsideLink is the link of every node that leads to the network outside. It has no address.
const OutsideLink = "eth2"

// Ensure makes the bridge, the machine's way to it and the link of every node, and sets which nodes are cut off. What
// is there already stays.
func Ensure(c *cluster.Cluster) error {
	if err := ensureBridge(c); err != nil {
		return err
	}
	if err := ensureHostLink(c, c.HostLink(), bridge, c.Host(), c.NodeRange()); err != nil {
		return err
	}
	if err := ensureHostLink(c, c.OutsideLink(), outsideBridge, c.Gateway(), c.Outside()); err != nil {
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
	// The machine's ends go first: the kernel would take them along only some time after the namespaces.
	for _, name := range []string{c.HostLink(), c.OutsideLink()} {
		if link, err := netlink.LinkByName(name); err == nil {
			errs = append(errs, netlink.LinkDel(link))
		}
	}
	for _, node := range c.Nodes {
		errs = append(errs, namespace.RemoveNetwork(c.NodeNetwork(node.Name)))
	}
	return errors.Join(append(errs, namespace.RemoveNetwork(c.ControlNetwork()))...)
}

// RemoveNode takes the network namespace of a node away.
func RemoveNode(c *cluster.Cluster, node cluster.Node) error {
	err := in(c.ControlNetwork(), func(handle *netlink.Handle) error {
		var errs []error
		for _, name := range []string{port(node), dataPort(node), outsidePort(node)} {
			if link, err := handle.LinkByName(name); err == nil {
				errs = append(errs, handle.LinkDel(link))
			}
		}
		return errors.Join(errs...)
	})
	return errors.Join(err, namespace.RemoveNetwork(c.NodeNetwork(node.Name)))
}

func ensureBridge(c *cluster.Cluster) error {
	if _, err := namespace.EnsureNetwork(c.ControlNetwork()); err != nil {
		return err
	}
	return in(c.ControlNetwork(), func(handle *netlink.Handle) error {
		if err := loopback(handle); err != nil {
			return err
		}
		for name, ip := range map[string]netip.Addr{dataBridge: c.Data(), outsideBridge: c.Outside().Addr()} {
			link, err := ensureMaster(handle, name, ip)
			if err != nil {
				return err
			}
			if err := handle.LinkSetUp(link); err != nil {
				return fmt.Errorf("setting bridge %s up: %w", name, err)
			}
		}
		link, err := ensureMaster(handle, bridge, c.API())
		if err != nil {
			return err
		}
		return address(handle, link, c.API(), c.NodeRange())
	})
}

// ensureMaster makes a bridge with the link address that belongs to an IP address.
func ensureMaster(handle *netlink.Handle, name string, ip netip.Addr) (netlink.Link, error) {
	if link, err := handle.LinkByName(name); err == nil {
		return link, nil
	}
	attributes := netlink.NewLinkAttrs()
	attributes.Name = name
	attributes.HardwareAddr = hardware(ip)
	if err := handle.LinkAdd(&netlink.Bridge{LinkAttrs: attributes}); err != nil {
		return nil, fmt.Errorf("making bridge %s: %w", name, err)
	}
	link, err := handle.LinkByName(name)
	if err != nil {
		return nil, fmt.Errorf("finding bridge %s: %w", name, err)
	}
	return link, nil
}

// ensureHostLink puts the machine on a bridge, with that address in a network.
func ensureHostLink(c *cluster.Cluster, name, bridge string, ip netip.Addr, network netip.Prefix) error {
	host, err := netlink.NewHandle()
	if err != nil {
		return fmt.Errorf("opening netlink: %w", err)
	}
	defer host.Close()
	port := "machine-" + bridge
	if err := dropHalf(host, name, c.ControlNetwork(), port); err != nil {
		return err
	}
	if err := ensurePair(host, name, ip, c.ControlNetwork(), port); err != nil {
		return err
	}
	link, err := host.LinkByName(name)
	if err != nil {
		return fmt.Errorf("finding link %s: %w", name, err)
	}
	if err := address(host, link, ip, network); err != nil {
		return err
	}
	return plug(c, bridge, port, false)
}

// dropHalf deletes the machine's end of a link whose other end is not in the namespace: that of a namespace that was
// there before. The kernel takes such an end away by itself, but some time later.
func dropHalf(host *netlink.Handle, name, network, port string) error {
	link, err := host.LinkByName(name)
	if err != nil {
		return nil //nolint:nilerr // it is not there, and neither is half of it
	}
	whole := false
	err = in(network, func(handle *netlink.Handle) error {
		_, missing := handle.LinkByName(port)
		whole = missing == nil
		return nil
	})
	if err != nil || whole {
		return err
	}
	if err := host.LinkDel(link); err != nil && !errors.Is(err, unix.ENODEV) {
		return fmt.Errorf("deleting half of link %s: %w", name, err)
	}
	return nil
}

func ensureNode(c *cluster.Cluster, node cluster.Node) error {
	if _, err := namespace.EnsureNetwork(c.NodeNetwork(node.Name)); err != nil {
		return err
	}
	err := in(c.NodeNetwork(node.Name), func(handle *netlink.Handle) error {
		if err := loopback(handle); err != nil {
			return err
		}
		return ensureLinks(handle, c, node)
	})
	if err != nil {
		return err
	}
	if err := forward(c.NodeNetwork(node.Name)); err != nil {
		return err
	}
	for bridge, port := range map[string]string{dataBridge: dataPort(node), outsideBridge: outsidePort(node)} {
		if err := plug(c, bridge, port, node.Cut); err != nil {
			return err
		}
	}
	return plug(c, bridge, port(node), node.Cut)
}

func ensureLinks(handle *netlink.Handle, c *cluster.Cluster, node cluster.Node) error {
	// Its address may have been taken from it for a bridge of the node's own: that is not put back.
	if _, err := handle.LinkByName(dataLink); err != nil {
		if err := ensureLink(handle, c, dataLink, dataPort(node), c.DataAddress(node)); err != nil {
			return err
		}
	}
	if err := ensurePair(handle, OutsideLink, c.OutsideAddress(node), c.ControlNetwork(), outsidePort(node)); err != nil {
		return err
	}
	if err := ensureLink(handle, c, nodeLink, port(node), c.NodeAddress(node)); err != nil {
		return err
	}
	if err := routeServices(handle, c); err != nil {
		return err
	}
	return routePods(handle, c, node)
}

func ensureLink(handle *netlink.Handle, c *cluster.Cluster, name, port string, ip netip.Addr) error {
	if err := ensurePair(handle, name, ip, c.ControlNetwork(), port); err != nil {
		return err
	}
	link, err := handle.LinkByName(name)
	if err != nil {
		return fmt.Errorf("finding link: %w", err)
	}
	return address(handle, link, ip, netip.PrefixFrom(ip, c.NodeRange().Bits()))
}

// routeServices lets programs of the node itself, and pods in its network, send to Services. kube-proxy gives what they
// send another destination, but without a route nothing is sent.
func routeServices(handle *netlink.Handle, c *cluster.Cluster) error {
	link, err := handle.LinkByName(nodeLink)
	if err != nil {
		return fmt.Errorf("finding link: %w", err)
	}
	services := c.Services()
	route := &netlink.Route{LinkIndex: link.Attrs().Index, Scope: unix.RT_SCOPE_LINK, Protocol: unix.RTPROT_STATIC,
		Dst: &net.IPNet{IP: services.Addr().AsSlice(), Mask: net.CIDRMask(services.Bits(), 32)}}
	if err := handle.RouteReplace(route); err != nil {
		return fmt.Errorf("routing to Services: %w", err)
	}
	return nil
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

// plug puts a port into a bridge, up or down.
func plug(c *cluster.Cluster, bridge, port string, down bool) error {
	return in(c.ControlNetwork(), func(handle *netlink.Handle) error {
		link, err := handle.LinkByName(port)
		if err != nil {
			return fmt.Errorf("finding port %s: %w", port, err)
		}
		master, err := handle.LinkByName(bridge)
		if err != nil {
			return fmt.Errorf("finding bridge %s: %w", bridge, err)
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

func dataPort(node cluster.Node) string { return node.Name + "-data" }

func outsidePort(node cluster.Node) string { return node.Name + "-out" }
