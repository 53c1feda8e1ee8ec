package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// RegisteredLimit is the default of a limit for all projects.
var RegisteredLimit = d.Kind{
	Name: "RegisteredLimit", Plural: "registeredlimits", Service: "identity", Path: "/registered_limits",
	Item: "registered_limit", Items: "registered_limits", Create: d.Create{Many: true},
	Doc:    "RegisteredLimit is the default of a limit for all projects.",
	Key:    []string{"service_id", "resource_name", "region_id"},
	Update: d.Update{Method: "PATCH"}, Marker: byKey, Limits: true, Events: []string{"identity.registered_limit"},
	Fields: []d.Field{
		{API: "service_id", Ref: "Service", Required: true, CreateOnly: true, Doc: "Service that keeps the limit."},
		{API: "region_id", Ref: "Region", CreateOnly: true, Doc: "Region for which the limit is."},
		{API: "resource_name", Required: true, CreateOnly: true, Max: 255, Doc: "What is limited, such as servers."},
		{API: "default_limit", Type: d.Int, Required: true, Min: -1, HasMin: true, Max: 1<<31 - 1,
			Doc: "How many a project may have; -1 is no limit."},
		description,
	},
	List: d.List{Filters: []string{"service_id", "resource_name", "region_id"}},
	Sample: `serviceRef: {name: key-manager}
resourceName: secrets
defaultLimit: 100`,
}
