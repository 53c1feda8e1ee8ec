package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Project owns the resources of other services.
var Project = d.Kind{
	Name: "Project", Plural: "projects", Service: "identity", Path: "/projects", Item: "project", Items: "projects",
	Doc: "Project owns the resources of other services.", Key: []string{"name", "domain_id"},
	Update: d.Update{Method: "PATCH"}, Marker: extra, Events: []string{"identity.project"},
	Fields: []d.Field{
		name(64), description, domainRef,
		{API: "parent_id", As: "parentRef", Ref: "Project", CreateOnly: true, Doc: "Project that this one is a part of."},
		{API: "enabled", Type: d.Bool, Doc: "Whether people can work in the project."},
		{API: "tags", Type: d.Strings, Normal: d.Set, Max: 255, Doc: "Words by which projects are found, at most 80."},
	},
	List:   d.List{Filters: []string{"domain_id", "parent_id", "enabled"}},
	Sample: `description: Web shop`,
}
