package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Router connects networks with each other and with the outside.
var Router = d.Kind{
	Name: "Router", Plural: "routers", Service: "network", Path: "/routers", Item: "router", Items: "routers",
	Doc: "Router connects networks with each other and with the outside.", Key: neutronKey,
	Update: d.Update{Method: "PUT"},
	Marker: neutronTag, Events: []string{"router"}, Actions: tagAction("/routers"),
	After: []d.Sibling{{Kind: "Subnet", Of: "Network", Unless: "externalGateway.addresses",
		Why: "routers get addresses outside when they are made"}},
	Awaits: []d.Awaited{{Says: "the nexthop is not connected with router", What: "RouterInterface",
		Until: "a RouterInterface connects the router with the network of the route's next hop"}},
	Fields: []d.Field{
		name(255), neutronDescription, projectRef, adminStateUp, neutronTags,
		{API: "external_gateway_info", As: "externalGateway", Type: d.Object, Nullable: true,
			Doc: "Way to the outside.", Fields: []d.Field{
				{API: "network_id", Ref: "Network", Required: true, Doc: "External network."},
				{API: "enable_snat", As: "enableSNAT", Type: d.Bool, Doc: "Whether addresses are translated on the way out."},
				{API: "external_fixed_ips", As: "addresses", Type: d.Objects, Normal: d.Set, Fields: addressFields,
					Doc: "The router's addresses there."},
				{API: "qos_policy_id", Ref: "QoSPolicy", Nullable: true, Doc: "Limits of the way."}}},
		// Neutron takes routes only when the router is there.
		{API: "routes", Type: d.Objects, Normal: d.Set, Later: true, Doc: "More routes.", Fields: routeFields},
		{API: "distributed", Type: d.Bool, Doc: "Whether it is on all hosts; changes only while adminStateUp is false."},
		{API: "ha", Type: d.Bool, Doc: "Whether a second host takes over; changes only while adminStateUp is false."},
		{API: "enable_ndp_proxy", As: "enableNDPProxy", Type: d.Bool,
			Doc: "Whether single addresses of IPv6 can be reached from outside."},
		{API: "availability_zone_hints", Type: d.Strings, CreateOnly: true, Normal: d.Set, Max: 255,
			Doc: "Zones in which it is."},
		{API: "flavor_id", CreateOnly: true, Max: 36, Doc: "Id of the flavor, which says how it is made."},
	},
	State:  neutronState,
	List:   d.List{Changes: "changed_since", Page: 1000, Filters: []string{"project_id"}},
	Sample: `externalGateway: {networkRef: {external: {name: public}}}`,
}
