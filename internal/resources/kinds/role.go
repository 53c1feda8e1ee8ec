package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Role is a name for what users may do; policies of the services say what that is.
var Role = d.Kind{
	Name: "Role", Plural: "roles", Service: "identity", Path: "/roles", Item: "role", Items: "roles",
	Doc:    "Role is a name for what users may do; policies of the services say what that is.",
	Key:    []string{"name", "domain_id"},
	Update: d.Update{Method: "PATCH"}, Marker: extra, Events: []string{"identity.role"},
	Fields: []d.Field{name(255), description, domainRef},
	List:   d.List{Filters: []string{"domain_id"}},
	Sample: `description: May look at everything in a project`,
}
