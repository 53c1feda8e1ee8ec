package chassis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/ovs"
)

// node is what the agent does to the node that it runs on.
type node struct {
	Config
	run runner
	// nics knows the node's links.
	nics nics
	// kernel tells whether the kernel has a datapath.
	kernel func() (bool, error)
	facts  facts
}

// Switch sets the node up and runs ovs-vswitchd. It ends without taking anything away: the kernel goes on forwarding,
// and what is in userspace finds its ports again.
func Switch(ctx context.Context, c Config) error {
	if err := c.check(); err != nil {
		return err
	}
	n := &node{Config: c, run: agent.Output, nics: links{agent.Output}, kernel: kernelHas}
	if err := n.configure(ctx); err != nil {
		return fmt.Errorf("setting node %s up: %w", c.Node, err)
	}
	socket := c.run("ovs-vswitchd.ctl")
	w := &agent.Watch{Path: "ovs-vswitchd", HealthAddr: c.HealthAddr,
		Args: []string{"unix:" + c.run("db.sock"), "--unixctl=" + socket, "-vconsole:info", "-vsyslog:off"},
		Look: func(ctx context.Context) error {
			if _, err := ovs.Ask(ctx, socket, "version"); err != nil {
				return err
			}
			if err := n.keepTaps(ctx); err != nil {
				slog.Warn("bringing taps of servers up", "error", err) // the switch serves, whatever becomes of one server
			}
			return n.keepAddresses(ctx)
		}}
	return w.Run(ctx)
}

// configure finds out what the node can do and tells Open vSwitch what it is to be. The database may still be starting.
func (n *node) configure(ctx context.Context) error {
	nic, address, err := n.remembered(ctx)
	if err == nil {
		err = n.find(ctx, nic, address)
	}
	if err != nil {
		return err
	}
	slog.Info("setting the node up", "datapath", n.facts.kind(), "tunnels", n.facts.address)
	// First, as it is not remembered any longer then.
	if err := n.takeAddresses(ctx); err != nil {
		return err
	}
	if _, err := n.vsctl(ctx, n.settings(n.facts)...); err != nil {
		return err
	}
	if nic == "" || address == "" || nic == n.Tunnel && n.facts.moved != "" {
		return nil
	}
	// The bridge that had the address of this NIC has another NIC now, or is gone.
	return n.nics.give(ctx, nic, address)
}

// find gathers the facts. The NIC of the bridge for tunnels may have left its address there.
func (n *node) find(ctx context.Context, nic, address string) error {
	var err error
	if n.facts.bridges, err = n.marked(ctx, "Bridge", "bridge"); err != nil {
		return err
	}
	if n.facts.ports, err = n.plugged(ctx); err != nil {
		return err
	}
	if n.facts.addresses, err = n.given(ctx); err != nil {
		return err
	}
	if n.facts.options, err = n.asked(ctx); err != nil {
		return err
	}
	if n.facts.userspace, err = n.choose(ctx); err != nil {
		return err
	}
	if nic != n.Tunnel {
		address = ""
	}
	return n.tunnel(address)
}

func (n *node) marked(ctx context.Context, table, value string) ([]string, error) {
	out, err := n.vsctl(ctx, "--bare", "--columns=name", "find", table, "external_ids:"+mark+"="+value)
	return strings.Fields(out), err
}

// plugged are the NICs that carry our mark, each with its bridge.
func (n *node) plugged(ctx context.Context) (map[string]string, error) {
	names, err := n.marked(ctx, "Port", "nic")
	out := map[string]string{}
	for _, nic := range names {
		bridge, other := n.vsctl(ctx, "port-to-br", nic)
		out[nic], err = bridge, errors.Join(err, other)
	}
	return out, err
}

// given are the addresses that bridges were given, but for the one that a NIC for tunnels had.
func (n *node) given(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	for _, b := range n.facts.bridges {
		if b == bridgeInt || b == bridgeTunnel {
			continue
		}
		address, err := n.vsctl(ctx, "--if-exists", "get", "Bridge", b, ExternalIDs+":address")
		if err != nil {
			return nil, err
		}
		out[b] = strings.Trim(address, `"`)
	}
	return out, nil
}

// asked are the names of the options that were asked for last.
func (n *node) asked(ctx context.Context) ([]string, error) {
	out, err := n.vsctl(ctx, "--if-exists", "get", "Open_vSwitch", ".", ExternalIDs+":"+markOptions)
	return strings.Fields(strings.Trim(out, `"`)), err
}

// choose tells whether the datapath is the one in userspace. A node keeps what Auto chose for it first: guests that run
// on it are plugged into that one.
func (n *node) choose(ctx context.Context) (userspace bool, err error) {
	if n.Datapath == Userspace {
		return true, nil
	}
	if n.Datapath == Auto {
		was, err := n.vsctl(ctx, "--if-exists", "get", "Bridge", bridgeInt, "datapath_type")
		if err != nil || was == "netdev" {
			return true, err
		}
	}
	has, err := n.kernel()
	if err == nil && !has && n.Datapath == Kernel {
		err = errors.New("its kernel has no module openvswitch, as datapath Kernel needs; install the module on the node, " +
			"or set spec.datapath to Auto or Userspace")
	}
	return !has, err
}

// tunnel finds the node's end of tunnels: the address of their NIC, or the one that the bridge already has from it.
func (n *node) tunnel(moved string) error {
	n.facts.address = n.HostIP
	if n.Tunnel == "" {
		return nil
	}
	address, err := n.nics.address(n.Tunnel)
	if err != nil {
		return err
	}
	if address = cmp.Or(address, moved); address == "" {
		return fmt.Errorf("NIC %s has no address for tunnels; give it one on the node, or name another NIC in "+
			"spec.tunnel.interface", n.Tunnel)
	}
	n.facts.address, _, _ = strings.Cut(address, "/")
	if n.facts.userspace {
		n.facts.moved = address
	}
	return nil
}

// remembered is the NIC that the bridge for tunnels has, and the address that it has from it.
func (n *node) remembered(ctx context.Context) (nic, address string, err error) {
	out, err := n.vsctl(ctx, "--bare", "--columns=external_ids", "find", "Bridge", "name="+bridgeTunnel)
	for f := range strings.FieldsSeq(out) {
		key, value, _ := strings.Cut(f, "=")
		switch key {
		case "interface":
			nic = strings.Trim(value, `"`)
		case "address":
			address = strings.Trim(value, `"`)
		}
	}
	return nic, address, err
}

// takeAddresses takes those from bridges that they are not to have any longer: links of the kernel's datapath stay,
// with all that they have.
func (n *node) takeAddresses(ctx context.Context) error {
	wanted := map[string]string{}
	for _, m := range n.Mappings {
		wanted[m.Bridge] = m.Address
	}
	var errs []error
	for _, b := range slices.Sorted(maps.Keys(n.facts.addresses)) {
		if old := n.facts.addresses[b]; old != "" && old != wanted[b] {
			errs = append(errs, n.nics.take(ctx, b, old))
		}
	}
	return errors.Join(errs...)
}

// keepAddresses gives bridges their addresses. Their links come and go with ovs-vswitchd.
func (n *node) keepAddresses(ctx context.Context) error {
	var errs []error
	if n.facts.moved != "" {
		errs = append(errs, n.nics.give(ctx, bridgeTunnel, n.facts.moved), n.nics.take(ctx, n.Tunnel, n.facts.moved),
			n.nics.give(ctx, n.Tunnel, ""))
	}
	for _, m := range n.Mappings {
		errs = append(errs, n.nics.give(ctx, m.Bridge, m.Address))
		if m.Interface != "" {
			errs = append(errs, n.nics.give(ctx, m.Interface, ""))
		}
	}
	return errors.Join(errs...)
}

// keepTaps brings taps of servers up that are down. libvirt brings a tap up as soon as it has made it. Where packets
// are handled in userspace, ovs-vswitchd 3.5 sets a flag of the new tap about then, and with it all others as it knew
// them before (lib/netdev-linux.c update_flags), or as those of a tap were that had the name before. When that leaves
// the tap down, the kernel drops what the server sends, and nobody else looks after it.
func (n *node) keepTaps(ctx context.Context) error {
	if !n.facts.userspace {
		return nil
	}
	down, err := n.nics.down()
	if err != nil || len(down) == 0 {
		return err
	}
	// As os-vif marks the ports of servers.
	out, err := n.vsctl(ctx, "--bare", "--columns=name", "find", "Interface", "external_ids:iface-status=active")
	errs := []error{err}
	for tap := range strings.FieldsSeq(out) {
		if slices.Contains(down, tap) {
			slog.Info("bringing the tap of a server up", "tap", tap)
			errs = append(errs, n.nics.give(ctx, tap, ""))
		}
	}
	return errors.Join(errs...)
}

// vsctl gives orders to the node's database, which may still be starting.
func (n *node) vsctl(ctx context.Context, args ...string) (string, error) {
	return n.run(ctx, "ovs-vsctl", append([]string{"--retry", "--timeout=20", "--no-wait", "--db=unix:" +
		n.Config.run("db.sock")}, args...)...)
}
