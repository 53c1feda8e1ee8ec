package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// ResourceProvider is a host, or a part of it, in Placement. Nova, Neutron and Cyborg make them.
var ResourceProvider = d.Kind{
	Name: "ResourceProvider", Plural: "resourceproviders", Service: "placement", ReadOnly: true,
	Doc:  "ResourceProvider is a host, or a part of it, in Placement. Objects only observe it.",
	Path: "/resource_providers", Item: d.None, Items: "resource_providers", ID: "uuid", Key: []string{"name"},
	Read: "1.14",
	Fields: []d.Field{
		name(200),
		{API: "parent_provider_uuid", As: "parentRef", Ref: "ResourceProvider", Since: "1.14",
			Doc: "Provider that this one is a part of."},
	},
	List:   d.List{Filters: []string{"name"}},
	Sample: `name: compute-1`,
}
