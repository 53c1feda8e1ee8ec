package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Domain is a namespace of users, groups and projects.
var Domain = d.Kind{
	Name: "Domain", Plural: "domains", Service: "identity", Path: "/domains", Item: "domain", Items: "domains",
	Doc: "Domain is a namespace of users, groups and projects.", Key: []string{"name"},
	Update: d.Update{Method: "PATCH"}, Events: []string{"identity.domain"},
	Marker: d.Marker{Channel: d.MarkByID, Field: "explicit_domain_id"},
	// Keystone refuses to delete a domain that is enabled.
	BeforeDelete: map[string]any{"enabled": false},
	Fields: []d.Field{
		name(64), description,
		{API: "enabled", Type: d.Bool, Doc: "Whether its users can log in."},
	},
	List:   d.List{Filters: []string{"enabled"}},
	Sample: `description: Customers of the north`,
}
