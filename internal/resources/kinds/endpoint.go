package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Endpoint is the address of a service in a region.
var Endpoint = d.Kind{
	Name: "Endpoint", Plural: "endpoints", Service: "identity", Path: "/endpoints", Item: "endpoint", Items: "endpoints",
	Doc: "Endpoint is the address of a service in a region.", Key: []string{"service_id", "interface", "region_id"},
	Update: d.Update{Method: "PATCH"}, Marker: byKey, Events: []string{"identity.endpoint"},
	Fields: []d.Field{
		{API: "service_id", Ref: "Service", Required: true, CreateOnly: true, Doc: "Service that answers there."},
		{API: "interface", Required: true, Enum: []string{"admin", "internal", "public"}, Doc: "Who the address is for."},
		{API: "url", Required: true, Max: 225, Pattern: "^[a-zA-Z0-9+.-]+:.+", Doc: "Address of the service's API."},
		{API: "region_id", Ref: "Region", Nullable: true, Doc: "Region in which the service is."},
		{API: "enabled", Type: d.Bool, Doc: "Whether the address is shown in the catalog."},
		description,
	},
	List: d.List{Filters: []string{"service_id", "interface", "region_id"}},
	Sample: `serviceRef: {name: key-manager}
interface: public
url: https://key-manager.example.org
regionRef: {external: {name: RegionOne}}`,
}
