package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// RoleAssignment gives a role to a user or group, in a project, a domain or the whole system.
var RoleAssignment = d.Kind{
	Name: "RoleAssignment", Plural: "roleassignments", Service: "identity", Shape: d.Relation,
	Doc:  "RoleAssignment gives a role to a user or group, in a project, a domain or the whole system.",
	Key:  []string{"role_id", "user_id", "group_id", "project_id", "domain_id", "system", "inherited"},
	Path: "/role_assignments", Items: "role_assignments", Create: d.Create{Method: "PUT"},
	Paths: []string{
		"/OS-INHERIT/projects/{project_id}/users/{user_id}/roles/{role_id}/{inherited}",
		"/OS-INHERIT/projects/{project_id}/groups/{group_id}/roles/{role_id}/{inherited}",
		"/OS-INHERIT/domains/{domain_id}/users/{user_id}/roles/{role_id}/{inherited}",
		"/OS-INHERIT/domains/{domain_id}/groups/{group_id}/roles/{role_id}/{inherited}",
		"/projects/{project_id}/users/{user_id}/roles/{role_id}",
		"/projects/{project_id}/groups/{group_id}/roles/{role_id}",
		"/domains/{domain_id}/users/{user_id}/roles/{role_id}", "/domains/{domain_id}/groups/{group_id}/roles/{role_id}",
		"/{system}/users/{user_id}/roles/{role_id}", "/{system}/groups/{group_id}/roles/{role_id}",
	},
	Events: []string{"identity.role_assignment"},
	OneOf:  [][]string{{"user_id", "group_id"}, {"project_id", "domain_id", "system"}},
	Fields: []d.Field{
		{API: "role_id", In: "role.id", Ref: "Role", Required: true, CreateOnly: true, Doc: "Role that is given."},
		{API: "user_id", In: "user.id", Ref: "User", CreateOnly: true, Doc: "User that gets the role."},
		{API: "group_id", In: "group.id", Ref: "Group", CreateOnly: true, Doc: "Group whose users get the role."},
		{API: "project_id", In: "scope.project.id", Ref: "Project", CreateOnly: true,
			Doc: "Project in which the role counts."},
		{API: "domain_id", In: "scope.domain.id", Ref: "Domain", CreateOnly: true, Doc: "Domain in which the role counts."},
		{API: "system", In: "scope.system", Values: map[string]any{"system": map[string]any{"all": true}},
			Enum:       []string{"system"},
			CreateOnly: true, Doc: "The word system: the role counts for the cloud as a whole."},
		{API: "inherited", In: "scope.OS-INHERIT:inherited_to", Values: map[string]any{"inherited_to_projects": "projects"},
			Enum: []string{"inherited_to_projects"}, CreateOnly: true,
			Doc: "The word inherited_to_projects: the role counts in all projects below rather than here."},
	},
	Sample: `roleRef: {external: {name: member}}
userRef: {name: shop-admin}
projectRef: {name: shop}`,
}
