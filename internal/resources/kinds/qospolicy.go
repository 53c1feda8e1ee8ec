package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// QoSPolicy is a set of limits for ports, networks and addresses; its rules are objects of their own.
var QoSPolicy = d.Kind{
	Name: "QoSPolicy", Plural: "qospolicies", Service: "network", Path: "/qos/policies", Item: "policy",
	Items: "policies",
	Doc:   "QoSPolicy is a set of limits for ports, networks and addresses.", Key: neutronKey,
	Update: d.Update{Method: "PUT"}, Marker: neutronTag, Events: []string{"policy"}, Actions: tagAction("/policies"),
	Fields: []d.Field{
		name(255), neutronDescription, projectRef, neutronTags,
		{API: "shared", Type: d.Bool, Doc: "Whether all projects may use it."},
		{API: "is_default", Type: d.Bool, Doc: "Whether new networks of the project get it."},
	},
	List:   d.List{Changes: "changed_since", Page: 1000, Filters: []string{"project_id", "shared"}},
	Sample: `description: Slow and cheap`,
}
