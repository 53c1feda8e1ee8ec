package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// QoSBandwidthLimitRule limits how much is sent or received.
// Neutron refuses a second one for the same direction.
var QoSBandwidthLimitRule = d.Kind{
	Name: "QoSBandwidthLimitRule", Plural: "qosbandwidthlimitrules", Service: "network",
	Path: "/qos/policies/{policy_id}/bandwidth_limit_rules",
	Item: "bandwidth_limit_rule", Items: "bandwidth_limit_rules",
	Doc: "QoSBandwidthLimitRule limits how much is sent or received.",
	Key: []string{"policy_id", "direction"}, Update: d.Update{Method: "PUT"}, Marker: byKey, List: qosRules,
	Events: []string{"bandwidth_limit_rule"},
	Fields: []d.Field{
		qosPolicyRef,
		{API: "max_kbps", As: "maxKbps", Type: d.Int, Required: true, HasMin: true, Max: maxInt,
			Doc: "Kilobits in a second."},
		{API: "max_burst_kbps", As: "maxBurstKbps", Type: d.Int, HasMin: true, Max: maxInt, Doc: "Kilobits at once."},
		{API: "direction", Enum: []string{"egress", "ingress"}, Doc: "Out of the server or into it; egress when empty."},
	},
	Sample: `policyRef: {name: slow}
maxKbps: 10000`,
}
