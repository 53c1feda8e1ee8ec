package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// OctaviaFlavor is a way in which load balancers are made, which people can choose.
var OctaviaFlavor = d.Kind{
	Name: "OctaviaFlavor", Plural: "octaviaflavors", Service: "load-balancer", Path: "/flavors", Item: "flavor",
	Items: "flavors",
	Doc:   "OctaviaFlavor is a way in which load balancers are made, which people can choose.", Key: []string{"name"},
	Update: d.Update{Method: "PUT"}, Marker: byKey,
	Fields: []d.Field{
		name(255), octaviaDescription,
		{API: "enabled", Type: d.Bool, Doc: "Whether it can be chosen."},
		{API: "flavor_profile_id", Ref: "OctaviaFlavorProfile", Required: true, CreateOnly: true,
			Doc: "What the provider is told."},
	},
	List:   d.List{Page: 1000},
	Sample: `flavorProfileRef: {name: pair}`,
}
