package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// AddressScope is where addresses are unique: networks of one are routed without address translation.
var AddressScope = d.Kind{
	Name: "AddressScope", Plural: "addressscopes", Service: "network", Path: "/address-scopes",
	Item: "address_scope", Items: "address_scopes",
	Doc: "AddressScope is where addresses are unique, so that routers need not translate.",
	// It has neither tags nor a description.
	Key: append(neutronKey, "ip_version"), Update: d.Update{Method: "PUT"}, Marker: byKey,
	Events: []string{"address_scope"},
	Fields: []d.Field{
		name(255), projectRef,
		{API: "ip_version", Type: d.Int, Required: true, CreateOnly: true, Min: 4, HasMin: true, Max: 6,
			Doc: "Version of IP: 4 or 6."},
		{API: "shared", Type: d.Bool, Doc: "Whether all projects may use it; what is shared stays so."},
	},
	List:   d.List{Page: 1000, Filters: []string{"project_id", "ip_version", "shared"}},
	Sample: `ipVersion: 4`,
}
