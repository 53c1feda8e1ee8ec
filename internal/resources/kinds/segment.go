package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Segment is a part of a network with a wire of its own, as of a rack.
var Segment = d.Kind{
	Name: "Segment", Plural: "segments", Service: "network", Path: "/segments", Item: "segment", Items: "segments",
	Doc: "Segment is a part of a network with a wire of its own, as of a rack.", Update: d.Update{Method: "PUT"},
	// It has no tags; Neutron refuses a number that is taken.
	Key: []string{"network_id", "network_type", "physical_network", "segmentation_id"}, Marker: byKey,
	Events: []string{"segment"},
	Fields: []d.Field{
		name(255), neutronDescription,
		{API: "network_id", Ref: "Network", Required: true, CreateOnly: true, Doc: "Network that it is a part of."},
		{API: "network_type", Required: true, CreateOnly: true, Max: 32, Doc: "Type of the wire, such as vlan or flat."},
		{API: "physical_network", CreateOnly: true, Max: 64, Doc: "Network of the hosts that carries it."},
		{API: "segmentation_id", Type: d.Int, CreateOnly: true, HasMin: true, Max: maxInt,
			Doc: "Number on the wire, such as the VLAN."},
	},
	List: d.List{Page: 1000, Filters: []string{"network_id", "physical_network"}},
	Sample: `networkRef: {name: racks}
networkType: vlan
physicalNetwork: rack1
segmentationID: 101`,
}
