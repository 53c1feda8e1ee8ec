package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// FloatingIP is an address of an external network that leads to a port.
var FloatingIP = d.Kind{
	Name: "FloatingIP", Plural: "floatingips", Service: "network", Path: "/floatingips", Item: "floatingip",
	Items: "floatingips",
	Doc:   "FloatingIP is an address of an external network that leads to a port.", Update: d.Update{Method: "PUT"},
	Key:    []string{"floating_network_id", "floating_ip_address", "project_id"},
	Marker: neutronTag, Events: []string{"floatingip"}, Actions: tagAction("/floatingips"), Awaits: reached,
	After: []d.Sibling{{Kind: "Subnet", Of: "Network", Unless: "floatingSubnetRef",
		Why: "Neutron takes addresses from subnets"}},
	Fields: []d.Field{
		neutronDescription, projectRef, neutronTags,
		{API: "floating_network_id", Ref: "Network", Required: true, CreateOnly: true,
			Doc: "External network that it is of."},
		{API: "subnet_id", As: "floatingSubnetRef", Ref: "Subnet", CreateOnly: true, WriteOnly: true,
			Doc: "Subnet of that network that it is from."},
		{API: "floating_ip_address", As: "floatingIP", CreateOnly: true, Max: 64,
			Doc: "A certain address; for administrators."},
		{API: "port_id", Ref: "Port", Nullable: true, Doc: "Port that it leads to; another one can be named at any time."},
		{API: "fixed_ip_address", As: "fixedIP", Max: 64, Doc: "Address of the port, when it has several."},
		{API: "qos_policy_id", Ref: "QoSPolicy", Nullable: true, Doc: "Limits of the address."},
		{API: "dns_name", CreateOnly: true, Max: 255, Doc: "Name of the address in DNS."},
		{API: "dns_domain", CreateOnly: true, Max: 255, Normal: d.DNS, Doc: "Domain of that name."},
		{API: "distributed", Type: d.Bool, Doc: "Whether it is on the server's host; for OVN."},
	},
	State: d.State{Path: "status", Ready: []string{"ACTIVE", "DOWN"}, Error: []string{"ERROR"}},
	List: d.List{Changes: "changed_since", Page: 1000,
		Filters: []string{"project_id", "floating_network_id", "port_id", "floating_ip_address"}},
	Sample: `floatingNetworkRef: {external: {name: public}}
portRef: {name: web}`,
}
