package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// SecurityGroupRule lets something pass the ports of a security group. Neutron refuses the same rule twice.
var SecurityGroupRule = d.Kind{
	Name: "SecurityGroupRule", Plural: "securitygrouprules", Service: "network", Path: "/security-group-rules",
	Item: "security_group_rule", Items: "security_group_rules",
	Doc: "SecurityGroupRule lets something pass the ports of a group.",
	Key: []string{"security_group_id", "direction", "ethertype", "protocol", "port_range_min", "port_range_max",
		"remote_ip_prefix",
		"remote_group_id", "remote_address_group_id"}, Marker: byKey, Events: []string{"security_group_rule"},
	AtMostOne: [][]string{{"remote_ip_prefix", "remote_group_id", "remote_address_group_id"}},
	Fields: []d.Field{
		create(neutronDescription), projectRef,
		{API: "security_group_id", Ref: "SecurityGroup", Required: true, CreateOnly: true, Doc: "Group that has the rule."},
		{API: "direction", Required: true, CreateOnly: true, Enum: []string{"egress", "ingress"},
			Doc: "Out of the server or into it."},
		{API: "ethertype", CreateOnly: true, Enum: []string{"IPv4", "IPv6"}, Doc: "Version of IP; IPv4 when empty."},
		{API: "protocol", CreateOnly: true, Max: 40, Normal: d.Fold,
			Doc: "Protocol, such as tcp, or its number; any when empty."},
		{API: "portRange", Type: d.Object, Flat: true, CreateOnly: true,
			Doc: "Ports; type and code for ICMP. Any when empty.", Fields: []d.Field{
				{API: "port_range_min", As: "min", Type: d.Int, HasMin: true, Max: 65535, Doc: "First port, or the type."},
				{API: "port_range_max", As: "max", Type: d.Int, HasMin: true, Max: 65535, Doc: "Last port, or the code."}}},
		{API: "remote_ip_prefix", CreateOnly: true, Max: 64, Normal: d.CIDR, Doc: "Addresses on the other side."},
		{API: "remote_group_id", Ref: "SecurityGroup", CreateOnly: true, Doc: "Group of the ports on the other side."},
		{API: "remote_address_group_id", Ref: "AddressGroup", CreateOnly: true, Doc: "Addresses on the other side."},
	},
	List: d.List{Changes: "changed_since", Page: 1000,
		Filters: []string{"project_id", "security_group_id", "direction"}},
	Sample: `securityGroupRef: {name: web}
direction: ingress
protocol: tcp
portRange: {min: 443, max: 443}
remoteIPPrefix: 0.0.0.0/0`,
}
