package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Port is where a server or something else is plugged into a network. Tags are taken when it is made.
var Port = d.Kind{
	Name: "Port", Plural: "ports", Service: "network", Path: "/ports", Item: "port", Items: "ports",
	Doc: "Port is where a server or something else is plugged into a network.", Key: append(neutronKey, "network_id"),
	Update: d.Update{Method: "PUT"}, Marker: d.Marker{Channel: d.MarkByTag, Field: "tags", Single: true},
	Events: []string{"port"},
	After: []d.Sibling{{Kind: "Subnet", Of: "Network", Unless: "addresses",
		Why: "ports get addresses when they are made"}},
	Actions: tagAction("/ports"),
	Fields: append([]d.Field{
		name(255), neutronDescription, projectRef, adminStateUp, notLater(neutronTags),
		{API: "network_id", Ref: "Network", Required: true, CreateOnly: true, Doc: "Network that it is in."},
		{API: "fixed_ips", As: "addresses", Type: d.Objects, Normal: d.Set,
			Doc: "Its addresses; one of each version when empty.", Fields: addressFields},
		{API: "mac_address", Max: 32, Normal: d.MAC, Doc: "Its hardware address; only administrators change it."},
		{API: "allowed_address_pairs", Type: d.Objects, Normal: d.Set,
			Doc: "More addresses that it may send from.", Fields: []d.Field{
				{API: "ip_address", As: "ip", Required: true, Max: 64, Normal: d.CIDR, Doc: "Address or range."},
				{API: "mac_address", As: "mac", Max: 32, Normal: d.MAC, Doc: "Hardware address; that of the port when empty."}}},
		{API: "security_groups", As: "securityGroupRefs", Type: d.Strings, Normal: d.Set, Ref: "SecurityGroup",
			Doc: "What may pass."},
		{API: "port_security_enabled", As: "portSecurity", Enum: []string{"Disabled", "Enabled"},
			Doc:    "Whether it is filtered at all.",
			Values: map[string]any{"Enabled": true, "Disabled": false}},
		{API: "device_id", CreateOnly: true, Max: 255, Doc: "What it is plugged into, when that is not a server of Nova."},
		{API: "device_owner", CreateOnly: true, Max: 255, Doc: "Kind of that thing."},
		{API: "dns_name", Max: 255, Doc: "Name of the port in DNS."},
		{API: "dns_domain", Max: 255, Normal: d.DNS, Doc: "Domain of that name."},
		{API: "extra_dhcp_opts", Type: d.Objects, Normal: d.Set,
			Doc: "More that it is told by DHCP.", Fields: dhcpOptionFields},
		{API: "qos_policy_id", Ref: "QoSPolicy", Nullable: true, Doc: "Limits of the port."},
	}, portBinding...),
	State: d.State{Path: "status", Ready: []string{"ACTIVE", "DOWN", "N/A"}, Pending: []string{"BUILD"},
		Error: []string{"ERROR"}},
	List: d.List{Changes: "changed_since", Page: 1000,
		Filters: []string{"project_id", "network_id", "mac_address", "device_id"}},
	Sample: `networkRef: {name: web}
addresses: [{subnetRef: {name: web}, ip: 192.0.2.10}]`,
}
