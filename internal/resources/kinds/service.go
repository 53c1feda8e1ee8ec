package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Service is an entry of the service catalog.
var Service = d.Kind{
	Name: "Service", Plural: "services", Service: "identity", Path: "/services", Item: "service", Items: "services",
	Doc: "Service is an entry of the service catalog; its endpoints say where it is.", Key: []string{"type", "name"},
	Update: d.Update{Method: "PATCH"}, Marker: extra, Events: []string{"identity.service"},
	Fields: []d.Field{
		name(255), description,
		{API: "type", Required: true, Max: 255, Doc: "Type of the service by which clients find it, such as compute."},
		{API: "enabled", Type: d.Bool, Doc: "Whether the service is shown in the catalog."},
	},
	List:   d.List{Filters: []string{"type"}},
	Sample: `type: key-manager`,
}
