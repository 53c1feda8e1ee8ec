package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// SecurityGroup has rules about what may pass a port. Neutron makes it with two rules that let everything out.
var SecurityGroup = d.Kind{
	Name: "SecurityGroup", Plural: "securitygroups", Service: "network", Path: "/security-groups",
	Item: "security_group", Items: "security_groups",
	Doc: "SecurityGroup has rules about what may pass a port: SecurityGroupRules.",
	Key: neutronKey, Update: d.Update{Method: "PUT"}, Marker: neutronTag, Events: []string{"security_group"},
	Actions: tagAction("/security-groups"),
	Fields: []d.Field{
		name(255), neutronDescription, projectRef, neutronTags,
		{API: "stateful", Type: d.Bool, Doc: "Whether answers pass without a rule; fixed once a port has the group."},
	},
	List:   d.List{Changes: "changed_since", Page: 1000, Filters: []string{"project_id", "stateful"}},
	Sample: `description: What may pass to the web servers`,
}
