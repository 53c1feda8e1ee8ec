package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// ApplicationCredential lets a program log in as a user, in one project and with some of the roles.
var ApplicationCredential = d.Kind{
	Name: "ApplicationCredential", Plural: "applicationcredentials", Service: "identity",
	Path: "/users/{user_id}/application_credentials", Item: "application_credential", Items: "application_credentials",
	Doc: "ApplicationCredential lets a program log in as a user, in one project and with some of the roles.",
	Key: []string{"name", "user_id"}, Marker: byKey, Events: []string{"identity.application_credential"},
	Fields: []d.Field{
		{API: "user_id", Ref: "User", Own: true, CreateOnly: true,
			Doc: "User as whom programs log in; that of the cloud's credentials, whom Keystone wants it to be."},
		create(name(255)), create(description),
		{API: "secret", Type: d.Secret, Required: true, CreateOnly: true, WriteOnly: true,
			Doc: "Word by which programs log in."},
		{API: "expires_at", CreateOnly: true, Max: 64, Normal: d.Time,
			Doc: "Time after which it is void, as 2030-01-01T00:00:00Z."},
		{API: "unrestricted", Type: d.Bool, CreateOnly: true, Doc: "Whether it may make other credentials and trusts."},
		{API: "roles", Type: d.Objects, CreateOnly: true, Normal: d.Subset,
			Doc: "Roles that it has; all of the user's when empty.",
			Fields: []d.Field{{API: "id", As: "roleRef", Ref: "Role", Required: true,
				Doc: "Role of the user in the project."}}},
		{API: "access_rules", Type: d.Objects, CreateOnly: true, Normal: d.Subset,
			Doc: "Requests that it may be used for.", Fields: []d.Field{
				{API: "path", Required: true, Max: 225, Doc: "Path below the service's endpoint, such as /v2.1/servers."},
				{API: "method", Required: true, Enum: []string{"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"},
					Doc: "Method of HTTP."},
				{API: "service", Required: true, Max: 64, Doc: "Type of the service."},
			}},
	},
	Sample: `secretRef: {name: robot, key: secret}
roles: [{roleRef: {external: {name: reader}}}]`,
}
