package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// QoSMinimumPacketRateRule promises how many packets pass.
// Neutron refuses a second one for the same direction.
var QoSMinimumPacketRateRule = d.Kind{
	Name: "QoSMinimumPacketRateRule", Plural: "qosminimumpacketraterules", Service: "network",
	Path: "/qos/policies/{policy_id}/minimum_packet_rate_rules",
	Item: "minimum_packet_rate_rule", Items: "minimum_packet_rate_rules",
	Doc: "QoSMinimumPacketRateRule promises how many packets pass.",
	Key: []string{"policy_id", "direction"}, Update: d.Update{Method: "PUT"}, Marker: byKey, List: qosRules,
	Events: []string{"minimum_packet_rate_rule"},
	Fields: []d.Field{
		qosPolicyRef,
		{API: "min_kpps", As: "minKpps", Type: d.Int, Required: true, HasMin: true, Max: maxInt,
			Doc: "Thousand packets in a second."},
		{API: "direction", Enum: []string{"any", "egress", "ingress"},
			Doc: "Out of the server or into it; egress when empty."},
	},
	Sample: `policyRef: {name: slow}
minKpps: 100`,
}
