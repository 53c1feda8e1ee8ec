package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Region is a region of the service catalog. The id is its name.
var Region = d.Kind{
	Name: "Region", Plural: "regions", Service: "identity", Path: "/regions", Item: "region", Items: "regions",
	Doc: "Region is a region of the service catalog; its id is its name.", Key: []string{"id"},
	Update: d.Update{Method: "PATCH"}, Marker: extra, Events: []string{"identity.region"},
	Fields: []d.Field{
		{API: "id", As: "name", Named: true, CreateOnly: true, Max: 255, Doc: "Name of the region in the catalog."},
		description,
		{API: "parent_region_id", As: "parentRef", Ref: "Region", Nullable: true, Doc: "Region that this one is a part of."},
	},
	List:   d.List{Filters: []string{"parent_region_id"}},
	Sample: `description: The north of the country`,
}
