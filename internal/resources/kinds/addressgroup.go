package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// AddressGroup is a list of addresses that rules refer to.
var AddressGroup = d.Kind{
	Name: "AddressGroup", Plural: "addressgroups", Service: "network", Path: "/address-groups",
	Item: "address_group", Items: "address_groups", Doc: "AddressGroup is a list of addresses that rules refer to.",
	// It has no tags.
	Key: neutronKey, Update: d.Update{Method: "PUT"}, Marker: byKey, Events: []string{"address_group"},
	Fields: []d.Field{
		name(255), neutronDescription, projectRef,
		{API: "addresses", Type: d.Strings, Normal: d.CIDRs, Max: 64, Via: "addresses", Doc: "Addresses and ranges."},
	},
	Actions: []d.Action{{Name: "addresses",
		Request: d.Request{Method: "PUT", Path: "/address-groups/{id}/add_addresses", Body: `{"addresses": {added}}`},
		Remove: &d.Request{Method: "PUT", Path: "/address-groups/{id}/remove_addresses",
			Body: `{"addresses": {removed}}`}}},
	List:   d.List{Changes: "changed_since", Page: 1000, Filters: []string{"project_id"}},
	Sample: `addresses: [198.51.100.0/24]`,
}
