package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Trunk lets one port of a server carry several networks, each with a VLAN.
var Trunk = d.Kind{
	Name: "Trunk", Plural: "trunks", Service: "network", Path: "/trunks", Item: "trunk", Items: "trunks",
	Doc: "Trunk lets one port of a server carry several networks, each with a VLAN.", Key: append(neutronKey, "port_id"),
	Update: d.Update{Method: "PUT"}, Marker: neutronTag, Events: []string{"trunk"},
	Fields: []d.Field{
		name(255), neutronDescription, projectRef, adminStateUp, neutronTags,
		{API: "port_id", Ref: "Port", Required: true, CreateOnly: true, Doc: "Port that the server sees."},
		{API: "sub_ports", As: "subports", Type: d.Objects, Normal: d.Set, Via: "subports",
			Doc: "Ports that are carried.", Fields: []d.Field{
				{API: "port_id", Ref: "Port", Required: true, Doc: "Port in the network that is carried."},
				{API: "segmentation_id", Type: d.Int, Min: 1, HasMin: true, Max: 4094, Doc: "VLAN that the server sees."},
				{API: "segmentation_type", Enum: []string{"inherit", "vlan"},
					Doc: "Whether the VLAN is given or that of the network."}}},
	},
	Actions: append(tagAction("/trunks"), d.Action{Name: "subports",
		Request: d.Request{Method: "PUT", Path: "/trunks/{id}/add_subports", Body: `{"sub_ports": {added}}`},
		Remove:  &d.Request{Method: "PUT", Path: "/trunks/{id}/remove_subports", Body: `{"sub_ports": {removed}}`}}),
	State: d.State{Path: "status", Ready: []string{"ACTIVE", "DOWN"}, Pending: []string{"BUILD", "DEGRADED"},
		Error: []string{"ERROR"}},
	List: d.List{Changes: "changed_since", Page: 1000, Filters: []string{"project_id", "port_id"}},
	Sample: `portRef: {name: web}
subports: [{portRef: {name: web-storage}, segmentationID: 101, segmentationType: vlan}]`,
}
