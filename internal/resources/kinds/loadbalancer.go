package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// LoadBalancer spreads connections over servers.
var LoadBalancer = d.Kind{
	Name: "LoadBalancer", Plural: "loadbalancers", Service: "load-balancer", Path: "/loadbalancers",
	Item: "loadbalancer", Items: "loadbalancers", Doc: "LoadBalancer spreads connections over servers.", Key: neutronKey,
	Update: d.Update{Method: "PUT"}, Marker: octaviaTag, Events: []string{"octavia.loadbalancer"},
	Fields: []d.Field{
		name(255), octaviaDescription, projectRef, adminStateUp, octaviaTags,
		{API: "vip_network_id", Ref: "Network", CreateOnly: true, Doc: "Network of its address."},
		{API: "vip_subnet_id", Ref: "Subnet", CreateOnly: true, Doc: "Subnet of its address."},
		{API: "vip_port_id", Ref: "Port", CreateOnly: true, Doc: "Port that has its address."},
		{API: "vip_address", CreateOnly: true, Max: 64, Doc: "Its address; a free one when empty."},
		{API: "vip_qos_policy_id", As: "vipQoSPolicyRef", Ref: "QoSPolicy", Nullable: true, Doc: "Limits of its address."},
		{API: "vip_sg_ids", As: "vipSecurityGroupRefs", Type: d.Strings, Normal: d.Set, Ref: "SecurityGroup",
			Doc: "What may pass to it."},
		{API: "additional_vips", As: "additionalVIPs", Type: d.Objects, CreateOnly: true, Normal: d.Set,
			Doc: "More addresses.", Fields: []d.Field{
				{API: "subnet_id", Ref: "Subnet", Required: true, Doc: "Subnet of the address."},
				{API: "ip_address", As: "ip", Max: 64, Doc: "The address; a free one when empty."}}},
		{API: "provider", CreateOnly: true, Max: 64, Doc: "Who makes it, such as amphora or ovn."},
		{API: "flavor_id", Ref: "OctaviaFlavor", CreateOnly: true, Doc: "How it is made."},
		{API: "availability_zone", CreateOnly: true, Max: 255, Doc: "Zone in which it is."},
	},
	State:  octaviaState,
	List:   d.List{Page: 1000, Filters: []string{"project_id", "vip_address", "vip_port_id"}},
	Sample: `vipSubnetRef: {name: web}`,
}
