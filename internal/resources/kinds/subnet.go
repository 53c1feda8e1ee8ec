package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Subnet is a range of addresses in a network.
var Subnet = d.Kind{
	Name: "Subnet", Plural: "subnets", Service: "network", Path: "/subnets", Item: "subnet", Items: "subnets",
	Doc: "Subnet is a range of addresses in a network.", Key: append(neutronKey, "network_id"),
	Update: d.Update{Method: "PUT"}, Marker: neutronTag, Events: []string{"subnet"}, Actions: tagAction("/subnets"),
	Fields: []d.Field{
		name(255), neutronDescription, projectRef, neutronTags,
		{API: "network_id", Ref: "Network", Required: true, CreateOnly: true, Doc: "Network that it is in."},
		{API: "ip_version", Type: d.Int, Required: true, CreateOnly: true, Min: 4, HasMin: true, Max: 6,
			Doc: "Version of IP: 4 or 6."},
		{API: "cidr", CreateOnly: true, Max: 64, Normal: d.CIDR, Doc: "The range, as 192.0.2.0/24."},
		{API: "subnetpool_id", As: "subnetPoolRef", Ref: "SubnetPool", CreateOnly: true,
			Doc: "Pool that a range is taken from."},
		{API: "prefixlen", As: "prefixLength", Type: d.Int, CreateOnly: true, WriteOnly: true, HasMin: true, Max: 128,
			Doc: "Length of that range's prefix."},
		{API: "gateway_ip", Max: 64, Values: map[string]any{"none": nil},
			Doc: "Address of the router; the first of the range when empty, or none."},
		{API: "allocation_pools", Type: d.Objects, Normal: d.Set,
			Doc: "Addresses that ports get; all when empty.", Fields: []d.Field{
				{API: "start", Required: true, Max: 64, Doc: "First address."},
				{API: "end", Required: true, Max: 64, Doc: "Last address."}}},
		{API: "dns_nameservers", Type: d.Strings, Max: 64, Doc: "Servers of DNS that ports are told."},
		{API: "host_routes", Type: d.Objects, Normal: d.Set, Doc: "Routes that ports are told.", Fields: routeFields},
		{API: "enable_dhcp", Type: d.Bool, Doc: "Whether ports are told by DHCP."},
		{API: "ipv6", Type: d.Object, Flat: true, CreateOnly: true,
			Doc: "How ports get addresses of IPv6.", Fields: ipv6Fields},
		{API: "dns_publish_fixed_ip", Type: d.Bool, Doc: "Whether addresses are published in DNS."},
		{API: "service_types", Type: d.Strings, Normal: d.Set, Max: 255, Doc: "Owners of ports that get addresses here."},
		{API: "segment_id", Ref: "Segment", Doc: "Segment of the network that it is on."},
	},
	OneOf: [][]string{{"cidr", "subnetpool_id"}},
	List:  d.List{Changes: "changed_since", Page: 1000, Filters: []string{"project_id", "network_id", "ip_version"}},
	Sample: `networkRef: {name: web}
ipVersion: 4
cidr: 192.0.2.0/24`,
}
