package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// QoSDSCPMarkingRule marks packets so that switches know how urgent they are.
// Neutron refuses a second one in a policy.
var QoSDSCPMarkingRule = d.Kind{
	Name: "QoSDSCPMarkingRule", Plural: "qosdscpmarkingrules", Service: "network",
	Path: "/qos/policies/{policy_id}/dscp_marking_rules",
	Item: "dscp_marking_rule", Items: "dscp_marking_rules",
	Doc: "QoSDSCPMarkingRule marks packets so that switches know how urgent they are.",
	Key: []string{"policy_id"}, Update: d.Update{Method: "PUT"}, Marker: byKey,
	Events: []string{"dscp_marking_rule"}, List: qosRules,
	Fields: []d.Field{
		qosPolicyRef,
		{API: "dscp_mark", Type: d.Int, Required: true, HasMin: true, Max: 56,
			Doc: "Mark of the packets, such as 46; odd ones are refused."},
	},
	Sample: `policyRef: {name: slow}
dscpMark: 26`,
}
