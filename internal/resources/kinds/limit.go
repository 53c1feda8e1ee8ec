package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Limit is a limit for one project or domain in place of the registered one.
var Limit = d.Kind{
	Name: "Limit", Plural: "limits", Service: "identity", Path: "/limits", Item: "limit", Items: "limits",
	Doc: "Limit is a limit for one project or domain in place of the registered one.", Create: d.Create{Many: true},
	Key:    []string{"project_id", "domain_id", "service_id", "resource_name", "region_id"},
	Update: d.Update{Method: "PATCH"}, Marker: byKey, Limits: true, Events: []string{"identity.limit"},
	OneOf: [][]string{{"project_id", "domain_id"}},
	Awaits: []d.Awaited{{Says: "no corresponding registered limit", What: "RegisteredLimit",
		Until: "a RegisteredLimit is there of the same service, region and resource"}},
	Fields: []d.Field{
		{API: "project_id", Ref: "Project", CreateOnly: true, Doc: "Project that is limited."},
		{API: "domain_id", Ref: "Domain", CreateOnly: true, Doc: "Domain that is limited."},
		{API: "service_id", Ref: "Service", Required: true, CreateOnly: true, Doc: "Service that keeps the limit."},
		{API: "region_id", Ref: "Region", CreateOnly: true, Doc: "Region for which the limit is."},
		{API: "resource_name", Required: true, CreateOnly: true, Max: 255, Doc: "What is limited, such as servers."},
		{API: "resource_limit", Type: d.Int, Required: true, Min: -1, HasMin: true, Max: 1<<31 - 1,
			Doc: "How many there may be; -1 is no limit. Keystone does not change it to 0: make the object anew for that."},
		description,
	},
	List: d.List{Filters: []string{"project_id", "domain_id", "service_id", "resource_name", "region_id"}},
	Sample: `projectRef: {name: shop}
serviceRef: {name: key-manager}
resourceName: secrets
resourceLimit: 10`,
}
