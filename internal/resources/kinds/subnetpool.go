package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// SubnetPool has ranges of addresses that subnets are cut from.
var SubnetPool = d.Kind{
	Name: "SubnetPool", Plural: "subnetpools", Service: "network", Path: "/subnetpools", Item: "subnetpool",
	Items: "subnetpools",
	Doc:   "SubnetPool has ranges of addresses that subnets are cut from.", Key: neutronKey,
	Update: d.Update{Method: "PUT"},
	Marker: neutronTag, Events: []string{"subnetpool"}, Actions: tagAction("/subnetpools"),
	Fields: []d.Field{
		name(255), neutronDescription, projectRef, neutronTags,
		{API: "prefixes", Type: d.Strings, Required: true, Normal: d.CIDRs, Max: 64,
			Doc: "The ranges. They can only grow."},
		{API: "address_scope_id", Ref: "AddressScope", Nullable: true, Doc: "Scope in which addresses are unique."},
		{API: "default_prefixlen", As: "defaultPrefixLength", Type: d.Int, HasMin: true, Max: 128,
			Doc: "Prefix of subnets that ask for none."},
		{API: "min_prefixlen", As: "minPrefixLength", Type: d.Int, HasMin: true, Max: 128,
			Doc: "Shortest prefix of a subnet."},
		{API: "max_prefixlen", As: "maxPrefixLength", Type: d.Int, HasMin: true, Max: 128,
			Doc: "Longest prefix of a subnet."},
		{API: "default_quota", Type: d.Int, HasMin: true, Max: maxInt,
			Doc: "Addresses (in IPv6 networks of /64) for a project."},
		{API: "is_default", Type: d.Bool, Doc: "Whether subnets that name no pool are cut from it."},
		{API: "shared", Type: d.Bool, CreateOnly: true, Doc: "Whether all projects may use it."},
	},
	List: d.List{Changes: "changed_since", Page: 1000, Filters: []string{"project_id", "shared", "address_scope_id"}},
	Sample: `prefixes: [10.0.0.0/16]
defaultPrefixLength: 24`,
}
