package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Network is a network that ports are in.
var Network = d.Kind{
	Name: "Network", Plural: "networks", Service: "network", Path: "/networks", Item: "network", Items: "networks",
	Doc: "Network is a network that ports are in.", Key: neutronKey, Update: d.Update{Method: "PUT"},
	Marker: neutronTag, Events: []string{"network"}, Actions: tagAction("/networks"),
	Fields: []d.Field{
		name(255), neutronDescription, projectRef, adminStateUp, neutronTags,
		{API: "shared", Type: d.Bool, Doc: "Whether all projects may use it; RBACPolicy says it for some."},
		{API: "router:external", As: "external", Type: d.Bool,
			Doc: "Whether routers and floating IPs reach the outside by it."},
		{API: "mtu", Type: d.Int, Min: 68, HasMin: true, Max: 65535, Doc: "Largest packet."},
		{API: "port_security_enabled", Type: d.Bool,
			Doc: "Whether ports are filtered by security groups unless they say otherwise."},
		{API: "dns_domain", Max: 255, Normal: d.DNS, Doc: "Domain of its ports' names, which ends in a dot."},
		{API: "qos_policy_id", Ref: "QoSPolicy", Nullable: true, Doc: "Limits of its ports."},
		{API: "availability_zone_hints", Type: d.Strings, CreateOnly: true, Normal: d.Set, Max: 255,
			Doc: "Zones in which it is."},
		{API: "is_default", Type: d.Bool, Doc: "Whether it is the external network of networks that Neutron makes itself."},
		{API: "vlan_transparent", Type: d.Bool, CreateOnly: true, Doc: "Whether servers may use VLANs in it."},
		// Neutron shows them to administrators, and of networks that have one segment.
		{API: "provider:network_type", CreateOnly: true, Sometimes: true, Max: 32,
			Doc: "Type below it, such as vlan or flat; for administrators."},
		{API: "provider:physical_network", CreateOnly: true, Sometimes: true, Max: 64,
			Doc: "Network of the hosts that carries it."},
		{API: "provider:segmentation_id", Type: d.Int, Sometimes: true, HasMin: true, Max: maxInt,
			Doc: "Number on the wire, such as the VLAN."},
	},
	State: neutronState,
	List:  d.List{Changes: "changed_since", Page: 1000, Filters: []string{"project_id", "shared", "router:external"}},
	Sample: `providerNetworkType: vlan
providerPhysicalNetwork: physnet1
providerSegmentationID: 100
external: true`,
}
