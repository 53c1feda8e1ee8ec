package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// ServerGroup keeps servers together or apart.
var ServerGroup = d.Kind{
	Name: "ServerGroup", Plural: "servergroups", Service: "compute", Path: "/os-server-groups",
	Item: "server_group", Items: "server_groups",
	Doc: "ServerGroup keeps servers on the same host or on different hosts.",
	// Names may be taken twice, and there is no place for a marker.
	Key: []string{"name"}, Read: "2.64", Marker: byKey, Events: []string{"server_group", "servergroup"},
	Fields: []d.Field{
		create(name(255)),
		{API: "policy", Required: true, CreateOnly: true, Since: "2.64",
			Doc:  "Rule by which hosts are chosen; soft ones may be broken.",
			Enum: []string{"affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity"}},
		{API: "rules", Type: d.Object, CreateOnly: true, Since: "2.64", Doc: "Limits of the rule.", Fields: []d.Field{
			{API: "max_server_per_host", Type: d.Int, Min: 1, HasMin: true, Max: maxInt,
				Doc: "Servers of the group on one host; for anti-affinity."},
		}},
	},
	List:   d.List{AllProjects: "all_projects=True"},
	Sample: `policy: soft-anti-affinity`,
}
