package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Group is a set of users that roles are given to.
var Group = d.Kind{
	Name: "Group", Plural: "groups", Service: "identity", Path: "/groups", Item: "group", Items: "groups",
	Doc: "Group is a set of users that roles are given to.", Key: []string{"name", "domain_id"},
	Update: d.Update{Method: "PATCH"}, Marker: extra, Events: []string{"identity.group"},
	Fields: []d.Field{name(255), description, domainRef},
	List:   d.List{Filters: []string{"domain_id"}},
	Sample: `description: People who may work on the web shop`,
}
