package chassis

import (
	"errors"
	"strings"
)

// Columns of the table Open_vSwitch: what Open vSwitch reads, and what ovn-controller does.
const (
	OtherConfig = "other_config"
	ExternalIDs = "external_ids"
)

// Option is a key of a column, and its value.
type Option struct{ Column, Key, Value string }

// Flag is the option as Flags takes it.
func (o Option) Flag() string {
	flag := map[string]string{OtherConfig: "--other-config=", ExternalIDs: "--external-id="}[o.Column]
	return flag + o.Key + "=" + o.Value
}

func (o Option) name() string { return o.Column + ":" + o.Key }

func (c *Config) option(column string) func(string) error {
	return func(text string) error {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return errors.New("want KEY=VALUE")
		}
		c.Options = append(c.Options, Option{column, key, value})
		return nil
	}
}

// Own tells why a key of a column is the operator's alone, and empty of all others. Fields that it names are those of
// OVNConnection.
func Own(column, key string) string {
	const (
		node  = "it is the name of the node"
		nic   = "tunnel.interface says which NIC of each node has it"
		plug  = "servers are plugged into br-int"
		dpdk  = "Open vSwitch of the image has no DPDK"
		ipsec = "nothing on the nodes makes tunnels of IPsec"
	)
	return map[string]map[string]string{
		OtherConfig: {
			"userspace-tso-enable": "datapath says which one the nodes have, and what that one needs",
			"flow-restore-wait":    "nodes would forward nothing until somebody takes it back",
			"dpdk-init":            dpdk, "dpdk-lcore-mask": dpdk, "dpdk-alloc-mem": dpdk, "dpdk-socket-mem": dpdk,
			"dpdk-socket-limit": dpdk, "dpdk-hugepage-dir": dpdk, "dpdk-extra": dpdk, "vhost-sock-dir": dpdk,
			"vhost-iommu-support": dpdk, "vhost-postcopy-support": dpdk, "per-port-memory": dpdk,
			"shared-mempool-config": dpdk,
			"private_key":           ipsec, "certificate": ipsec, "ca_cert": ipsec, "ipsec_skb_mark": ipsec,
		},
		ExternalIDs: {
			"system-id": node, "hostname": node, "ovn-encap-ip": nic, "ovn-encap-ip-default": nic,
			"ovn-bridge": plug, "ovn-bridge-remote": plug,
			"ovn-remote":               "ovn says whose chassis the nodes are",
			"ovn-encap-type":           "tunnels are of Geneve, by which Neutron tells servers their MTU",
			"ovn-bridge-datapath-type": "datapath says it",
			"ovn-bridge-mappings":      "bridgeMappings has the physical networks and their bridges",
			"ovn-cms-options":          "gateway says whether routers can have their gateways on the nodes",
			"ovn-chassis-mac-mappings": "it has to differ from node to node",
			markOptions:                "it is what the agent remembers",
		},
	}[column][key]
}
