package network

import (
	"fmt"
	"net/netip"
	"os"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/namespace"
)

// Route is a way to addresses that some node answers for.
type Route struct {
	To  netip.Prefix
	Via netip.Addr
}

// Routes makes exactly these routes into the cluster's range lead from the machine and from the control plane.
func Routes(c *cluster.Cluster, wanted []Route) error {
	machine, err := netlink.NewHandle()
	if err != nil {
		return fmt.Errorf("opening netlink: %w", err)
	}
	defer machine.Close()
	if err := apply(machine, c, wanted); err != nil {
		return err
	}
	return in(c.ControlNetwork(), func(handle *netlink.Handle) error { return apply(handle, c, wanted) })
}

func apply(handle *netlink.Handle, c *cluster.Cluster, wanted []Route) error {
	stale, err := ours(handle, c)
	if err != nil {
		return err
	}
	for _, route := range wanted {
		if stale[route.To] != route.Via {
			if err := handle.RouteReplace(via(route.To, route.Via)); err != nil {
				return fmt.Errorf("routing %s via %s: %w", route.To, route.Via, err)
			}
		}
		delete(stale, route.To)
	}
	for to, gateway := range stale {
		if err := handle.RouteDel(via(to, gateway)); err != nil {
			return fmt.Errorf("removing route to %s: %w", to, err)
		}
	}
	return nil
}

func ours(handle *netlink.Handle, c *cluster.Cluster) (map[netip.Prefix]netip.Addr, error) {
	filter := &netlink.Route{Protocol: unix.RTPROT_STATIC}
	routes, err := handle.RouteListFiltered(netlink.FAMILY_V4, filter, netlink.RT_FILTER_PROTOCOL)
	if err != nil {
		return nil, fmt.Errorf("listing routes: %w", err)
	}
	found := map[netip.Prefix]netip.Addr{}
	for _, route := range routes {
		if route.Dst == nil {
			continue
		}
		address, _ := netip.AddrFromSlice(route.Dst.IP.To4())
		gateway, _ := netip.AddrFromSlice(route.Gw.To4())
		if c.Range().Contains(address) {
			bits, _ := route.Dst.Mask.Size()
			found[netip.PrefixFrom(address, bits)] = gateway
		}
	}
	return found, nil
}

// forward lets a node pass packets between its pods and the network.
func forward(network string) error {
	return namespace.Set{Network: namespace.Network(network)}.Do(func() error {
		if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644); err != nil {
			return fmt.Errorf("allowing forwarding: %w", err)
		}
		return nil
	})
}
