package chassis

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Bridges that every chassis has, and that those have whose tunnels are in userspace.
const (
	bridgeInt    = "br-int"
	bridgeTunnel = "br-tunnel"
)

// mark is the external id of bridges and of NICs' ports that the agent has made, and takes away when nobody wants them.
const mark = "stackwright"

// markOptions is the external id of the node with the names of all options that were asked for last. They are taken
// out when nobody asks for them any more; those that somebody else has set are left alone.
const markOptions = "stackwright-options"

// facts are what a node has been found to be.
type facts struct {
	// userspace tells the datapath.
	userspace bool
	// address is the node's end of tunnels.
	address string
	// moved is that address with its prefix length, when it is that of the bridge rather than of the NIC.
	moved string
	// bridges are those that carry our mark, ports the NICs that do, each with the bridge that it is in.
	bridges []string
	ports   map[string]string
	// addresses are those that bridges of mappings were given.
	addresses map[string]string
	// options are the names of those that were asked for last.
	options []string
}

func (f *facts) kind() string {
	if f.userspace {
		return "netdev"
	}
	return "system"
}

// settings are the arguments of the one ovs-vsctl that makes the node what it is to be, in one transaction.
func (c *Config) settings(f facts) []string {
	v := &vsctl{}
	c.forget(v, f)
	v.add("set", "Open_vSwitch", ".", id("system-id", c.Node), id("hostname", c.Node), id("ovn-remote", c.Remote),
		id("ovn-encap-type", "geneve"), id("ovn-encap-ip", f.address), id("ovn-bridge", bridgeInt),
		id("ovn-bridge-datapath-type", f.kind()), id("ovn-monitor-all", "true"), id("ovn-cms-options", c.options()))
	if f.userspace {
		v.add("set", "Open_vSwitch", ".", "other_config:userspace-tso-enable=true")
	} else {
		v.add("remove", "Open_vSwitch", ".", "other_config", "userspace-tso-enable")
	}
	if len(c.Mappings) > 0 {
		v.add("set", "Open_vSwitch", ".", id("ovn-bridge-mappings", c.mappings()))
	} else {
		v.add("remove", "Open_vSwitch", ".", "external_ids", "ovn-bridge-mappings")
	}
	c.ask(v, f)
	c.remove(v, f)
	v.bridge(bridgeInt, f.kind(), "secure")
	if f.moved != "" {
		v.bridge(bridgeTunnel, f.kind(), "standalone")
		v.add("set", "Bridge", bridgeTunnel, id("address", f.moved), id("interface", c.Tunnel))
		v.port(bridgeTunnel, c.Tunnel)
	}
	for _, m := range c.Mappings {
		v.bridge(m.Bridge, f.kind(), "standalone")
		switch {
		case m.Address != "":
			v.add("set", "Bridge", m.Bridge, id("address", m.Address))
		case f.addresses[m.Bridge] != "":
			v.add("remove", "Bridge", m.Bridge, ExternalIDs, "address")
		}
		if m.Interface != "" {
			v.port(m.Bridge, m.Interface)
		}
	}
	return *v
}

// forget takes out options that were asked for and are no more. What the agent itself says instead comes after that.
func (c *Config) forget(v *vsctl, f facts) {
	for _, name := range f.options {
		if !slices.ContainsFunc(c.Options, func(o Option) bool { return o.name() == name }) {
			column, key, _ := strings.Cut(name, ":")
			v.add("remove", "Open_vSwitch", ".", column, key)
		}
	}
}

// ask sets the options that are asked for, and remembers which these are.
func (c *Config) ask(v *vsctl, f facts) {
	if len(c.Options) == 0 {
		if len(f.options) > 0 {
			v.add("remove", "Open_vSwitch", ".", ExternalIDs, markOptions)
		}
		return
	}
	set, names := []string{"set", "Open_vSwitch", "."}, []string{}
	for _, o := range c.Options {
		set, names = append(set, pair(o.Column, o.Key, o.Value)), append(names, o.name())
	}
	v.add(append(set, id(markOptions, strings.Join(names, " ")))...)
}

// remove takes the bridges and NICs away that a former configuration had. A NIC that has another bridge now leaves the
// one that it is in: add-port refuses to move a port, also with --may-exist.
func (c *Config) remove(v *vsctl, f facts) {
	bridges, ports := map[string]bool{bridgeInt: true, bridgeTunnel: f.moved != ""}, map[string]string{}
	if f.moved != "" {
		ports[c.Tunnel] = bridgeTunnel
	}
	for _, m := range c.Mappings {
		bridges[m.Bridge], ports[m.Interface] = true, m.Bridge
	}
	for _, b := range f.bridges {
		if !bridges[b] {
			v.add("--if-exists", "del-br", b)
		}
	}
	for _, nic := range slices.Sorted(maps.Keys(f.ports)) {
		if ports[nic] != f.ports[nic] {
			v.add("--if-exists", "del-port", nic)
		}
	}
}

// options are those that the cloud's management reads: Neutron whether it may put gateways here, our operator which of
// its objects the chassis belongs to.
func (c *Config) options() string {
	out := OptionSet + c.Set
	if c.Gateway {
		out = "enable-chassis-as-gw," + out
	}
	return out
}

// OptionSet begins the option of a chassis that names its set.
const OptionSet = "stackwright-set="

func (c *Config) mappings() string {
	var out []string
	for _, m := range c.Mappings {
		out = append(out, m.Network+":"+m.Bridge)
	}
	return strings.Join(out, ",")
}

// vsctl collects the commands of one transaction.
type vsctl []string

func (v *vsctl) add(args ...string) {
	if len(*v) > 0 {
		*v = append(*v, "--")
	}
	*v = append(*v, args...)
}

// bridge makes a bridge. In fail mode secure it forwards nothing on its own account.
func (v *vsctl) bridge(name, kind, mode string) {
	v.add("--may-exist", "add-br", name)
	v.add("set", "Bridge", name, "datapath_type="+kind, "fail_mode="+mode, "other_config:disable-in-band=true",
		id(mark, "bridge"))
}

// port puts a NIC of the node into a bridge.
func (v *vsctl) port(bridge, nic string) {
	v.add("--may-exist", "add-port", bridge, nic)
	v.add("set", "Port", nic, id(mark, "nic"))
}

func id(key, value string) string { return pair(ExternalIDs, key, value) }

// pair is a key of a column with its value. Quotes keep what is in that from being taken apart.
func pair(column, key, value string) string {
	b, _ := json.Marshal(value)
	return column + ":" + key + "=" + string(b)
}
