package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// QoSMinimumBandwidthRule promises how much can be sent or received.
// Neutron refuses a second one for the same direction. Ports have a resource_request then, whether or not Placement
// knows any bandwidth (services/qos/qos_plugin.py), and Nova finds no host for a server with such a port.
var QoSMinimumBandwidthRule = d.Kind{
	Name: "QoSMinimumBandwidthRule", Plural: "qosminimumbandwidthrules", Service: "network",
	Path: "/qos/policies/{policy_id}/minimum_bandwidth_rules",
	Item: "minimum_bandwidth_rule", Items: "minimum_bandwidth_rules",
	Doc: "QoSMinimumBandwidthRule promises how much can be sent or received. A server that begins with it needs a host " +
		"whose bandwidth Placement knows, and that of hosts of a control plane it does not.",
	Key: []string{"policy_id", "direction"}, Update: d.Update{Method: "PUT"}, Marker: byKey, List: qosRules,
	Events: []string{"minimum_bandwidth_rule"},
	Fields: []d.Field{
		qosPolicyRef,
		{API: "min_kbps", As: "minKbps", Type: d.Int, Required: true, HasMin: true, Max: maxInt,
			Doc: "Kilobits in a second."},
		{API: "direction", Enum: []string{"egress", "ingress"}, Doc: "Out of the server or into it; egress when empty."},
	},
	Sample: `policyRef: {name: slow}
minKbps: 10000`,
}
