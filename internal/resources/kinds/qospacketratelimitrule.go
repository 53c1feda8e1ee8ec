package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// QoSPacketRateLimitRule limits how many packets pass.
// Neutron refuses a second one for the same direction.
var QoSPacketRateLimitRule = d.Kind{
	Name: "QoSPacketRateLimitRule", Plural: "qospacketratelimitrules", Service: "network",
	Path: "/qos/policies/{policy_id}/packet_rate_limit_rules",
	Item: "packet_rate_limit_rule", Items: "packet_rate_limit_rules",
	Doc: "QoSPacketRateLimitRule limits how many packets pass.",
	Key: []string{"policy_id", "direction"}, Update: d.Update{Method: "PUT"}, Marker: byKey, List: qosRules,
	Events: []string{"packet_rate_limit_rule"},
	Fields: []d.Field{
		qosPolicyRef,
		{API: "max_kpps", As: "maxKpps", Type: d.Int, Required: true, HasMin: true, Max: maxInt,
			Doc: "Thousand packets in a second."},
		{API: "max_burst_kpps", As: "maxBurstKpps", Type: d.Int, HasMin: true, Max: maxInt,
			Doc: "Thousand packets at once."},
		{API: "direction", Enum: []string{"egress", "ingress"}, Doc: "Out of the server or into it; egress when empty."},
	},
	Sample: `policyRef: {name: slow}
maxKpps: 100`,
}
