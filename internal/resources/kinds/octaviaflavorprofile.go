package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// OctaviaFlavorProfile is what a provider is told about how to make load balancers. Only flavors see it.
var OctaviaFlavorProfile = d.Kind{
	Name: "OctaviaFlavorProfile", Plural: "octaviaflavorprofiles", Service: "load-balancer", Path: "/flavorprofiles",
	Item: "flavorprofile", Items: "flavorprofiles",
	Doc: "OctaviaFlavorProfile is what a provider is told about how to make load balancers.",
	// Names may be taken twice, and there is no place for a marker.
	Key: []string{"name"}, Update: d.Update{Method: "PUT"}, Marker: byKey,
	Fields: []d.Field{
		name(255),
		{API: "provider_name", As: "provider", Required: true, Max: 255,
			Doc: "Provider, such as amphora. Fixed once a load balancer has it."},
		{API: "flavor_data", Required: true, Max: 4096, Normal: d.JSONText,
			Doc: "What it is told, as JSON. Fixed once a load balancer has it."},
	},
	List: d.List{Page: 1000},
	Sample: `provider: amphora
flavorData: '{"loadbalancer_topology": "ACTIVE_STANDBY"}'`,
}
