// Package chassis is what agents do on a node that is a chassis of OVN: they make Open vSwitch's database, tell it what
// ovn-controller has to know, choose the datapath, and give bridges their addresses.
//
// Facts from ovs-vswitchd(8), ovn-controller(8) and Open vSwitch's "Userspace tunneling": ovn-controller takes all of
// its settings from the table Open_vSwitch of the node's own database. A tunnel of the datapath in userspace leaves by
// a bridge of its own only, whose local port has the tunnel's address; and packets of guests whose checksums are left
// to the network, as all of virtio's TCP are, arrive only with userspace-tso-enable, which is read when ovs-vswitchd
// starts.
package chassis

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Config is what a node is to be.
type Config struct {
	// Node is its name, and that of the chassis; Set the name of the set that the chassis belongs to.
	Node, Set string
	// HostIP is the node's own address.
	HostIP string
	// Remote is how the southbound database is reached.
	Remote string
	// Datapath is Auto, Kernel or Userspace.
	Datapath string
	// Tunnel is the NIC that carries tunnels; empty takes HostIP.
	Tunnel string
	// Gateway lets the node be the gateway of routers.
	Gateway bool
	// Mappings of physical networks to bridges.
	Mappings []Mapping
	// Options that a person asks for of Open vSwitch and ovn-controller.
	Options []Option
	// RunDir has the sockets, Database is the file of Open vSwitch's, Schema that of its schema.
	RunDir, Database, Schema string
	// HealthAddr answers probes.
	HealthAddr string
}

// The datapaths.
const (
	Auto      = "Auto"
	Kernel    = "Kernel"
	Userspace = "Userspace"
)

// Mapping is a physical network, its bridge, and optionally the NIC in it and the address that the node has on it.
type Mapping struct{ Network, Bridge, Interface, Address string }

// String is the form that Flags takes.
func (m Mapping) String() string {
	return strings.Join([]string{m.Network, m.Bridge, m.Interface, m.Address}, ":")
}

func (c *Config) mapping(text string) error {
	parts := strings.SplitN(text, ":", 4)
	if len(parts) != 4 || parts[0] == "" || parts[1] == "" {
		return errors.New("want NETWORK:BRIDGE:INTERFACE:ADDRESS, of which the last two may be empty")
	}
	c.Mappings = append(c.Mappings, Mapping{parts[0], parts[1], parts[2], parts[3]})
	return nil
}

// Flags makes flags of the configuration's fields.
func (c *Config) Flags(f *flag.FlagSet) {
	f.StringVar(&c.Node, "node", os.Getenv("NODE_NAME"), "name of the node")
	f.StringVar(&c.HostIP, "host-ip", os.Getenv("HOST_IP"), "its address")
	f.StringVar(&c.Set, "set", "", "name of the set that the chassis belongs to")
	f.StringVar(&c.Remote, "remote", "", "addresses of the southbound database, such as ssl:ovn-sb-0.ovn-sb-members:6642")
	f.StringVar(&c.Datapath, "datapath", Auto, "Auto, Kernel or Userspace")
	f.StringVar(&c.Tunnel, "tunnel", "", "NIC that carries tunnels; the node's address when empty")
	f.BoolVar(&c.Gateway, "gateway", false, "the node may be the gateway of routers")
	f.Func("mapping", "NETWORK:BRIDGE:INTERFACE:ADDRESS of a physical network; may be given several times", c.mapping)
	f.Func("other-config", "KEY=VALUE of Open vSwitch; may be given several times", c.option(OtherConfig))
	f.Func("external-id", "KEY=VALUE of ovn-controller; may be given several times", c.option(ExternalIDs))
	f.StringVar(&c.RunDir, "run", "/run/openvswitch", "folder for sockets")
	f.StringVar(&c.Database, "database", "/var/lib/openvswitch/conf.db", "file of Open vSwitch's database")
	f.StringVar(&c.Schema, "schema", "/usr/share/openvswitch/vswitch.ovsschema", "file with its schema")
	f.StringVar(&c.HealthAddr, "health", "127.0.0.1:16641", "address that answers probes")
}

func (c *Config) check() error {
	if c.Node == "" || c.HostIP == "" || c.Remote == "" || c.Set == "" {
		return fmt.Errorf("NODE_NAME, HOST_IP, --set and --remote are needed; got %q, %q, %q and %q",
			c.Node, c.HostIP, c.Set, c.Remote)
	}
	if c.Datapath != Auto && c.Datapath != Kernel && c.Datapath != Userspace {
		return fmt.Errorf("--datapath is Auto, Kernel or Userspace, not %q", c.Datapath)
	}
	return nil
}

// Run runs the daemon of a node that the first argument names, as the flags after it say.
func Run(ctx context.Context, args []string) error {
	daemons := map[string]func(context.Context, Config) error{"database": Database, "switch": Switch}
	if len(args) == 0 || daemons[args[0]] == nil {
		return errors.New("say which daemon of the node to run: stackwright-agent chassis database | switch")
	}
	var c Config
	f := flag.NewFlagSet("chassis", flag.ContinueOnError)
	c.Flags(f)
	if err := f.Parse(args[1:]); err != nil {
		return fmt.Errorf("reading flags: %w", err)
	}
	return daemons[args[0]](ctx, c)
}

func (c *Config) run(name string) string { return filepath.Join(c.RunDir, name) }
