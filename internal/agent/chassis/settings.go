package chassis

import (
	"encoding/json"
	"strings"
)

// Bridges that every chassis has, and that those have whose tunnels are in userspace.
const (
	bridgeInt    = "br-int"
	bridgeTunnel = "br-tunnel"
)

// mark is the external id of bridges and of NICs' ports that the agent has made, and takes away when nobody wants them.
const mark = "stackwright"

// facts are what a node has been found to be.
type facts struct {
	// userspace tells the datapath.
	userspace bool
	// address is the node's end of tunnels.
	address string
	// moved is that address with its prefix length, when it is that of the bridge rather than of the NIC.
	moved string
	// bridges and ports are those that carry our mark.
	bridges, ports []string
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
	c.remove(v, f)
	v.bridge(bridgeInt, f.kind(), "secure")
	if f.moved != "" {
		v.bridge(bridgeTunnel, f.kind(), "standalone")
		v.add("set", "Bridge", bridgeTunnel, id("address", f.moved), id("interface", c.Tunnel))
		v.port(bridgeTunnel, c.Tunnel)
	}
	for _, m := range c.Mappings {
		v.bridge(m.Bridge, f.kind(), "standalone")
		if m.Interface != "" {
			v.port(m.Bridge, m.Interface)
		}
	}
	return *v
}

// remove takes the bridges and NICs away that a former configuration had.
func (c *Config) remove(v *vsctl, f facts) {
	wanted := map[string]bool{bridgeInt: true, bridgeTunnel: f.moved != "", c.Tunnel: f.moved != ""}
	for _, m := range c.Mappings {
		wanted[m.Bridge], wanted[m.Interface] = true, true
	}
	for _, b := range f.bridges {
		if !wanted[b] {
			v.add("--if-exists", "del-br", b)
		}
	}
	for _, p := range f.ports {
		if !wanted[p] {
			v.add("--if-exists", "del-port", p)
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

// id is an external id. Quotes keep what is in it from being taken apart.
func id(key, value string) string {
	b, _ := json.Marshal(value)
	return "external_ids:" + key + "=" + string(b)
}
