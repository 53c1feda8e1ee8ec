package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// User is somebody, or some program, who can log in.
var User = d.Kind{
	Name: "User", Plural: "users", Service: "identity", Path: "/users", Item: "user", Items: "users",
	Doc: "User is somebody, or some program, who can log in.", Key: []string{"name", "domain_id"},
	Update: d.Update{Method: "PATCH"}, Marker: extra, Events: []string{"identity.user"},
	Fields: []d.Field{
		name(255), description, domainRef,
		{API: "default_project_id", Ref: "Project", Nullable: true, Doc: "Project of a login that names none."},
		{API: "enabled", Type: d.Bool, Doc: "Whether the user can log in."},
		{API: "email", Max: 255, Doc: "Address of the user; Keystone keeps it and sends nothing."},
		{API: "password", Type: d.Secret, WriteOnly: true,
			Doc: "Password of the user. A changed Secret changes the password."},
		{API: "options", Type: d.JSON, Normal: d.Subset, Doc: "Options of Keystone for the user, such as lock_password."},
	},
	List: d.List{Filters: []string{"domain_id", "enabled"}},
	Sample: `defaultProjectRef: {name: shop}
passwordRef: {name: shop-admin, key: password}`,
}
