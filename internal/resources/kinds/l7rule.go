package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// L7Rule is a condition of a policy.
var L7Rule = d.Kind{
	Name: "L7Rule", Plural: "l7rules", Service: "load-balancer", Path: "/l7policies/{l7policy_id}/rules", Item: "rule",
	Items:  "rules",
	Doc:    "L7Rule is a condition of an L7Policy.",
	Key:    []string{"l7policy_id", "type", "compare_type", "key", "value", "invert"},
	Update: d.Update{Method: "PUT"}, Marker: octaviaTag,
	Fields: []d.Field{
		adminStateUp, octaviaTags,
		{API: "l7policy_id", As: "l7PolicyRef", Ref: "L7Policy", Required: true, CreateOnly: true,
			Doc: "Policy that has the condition."},
		{API: "type", Required: true,
			Doc: "What is looked at.", Enum: []string{"COOKIE", "FILE_TYPE", "HEADER", "HOST_NAME", "PATH",
				"SSL_CONN_HAS_CERT", "SSL_DN_FIELD", "SSL_VERIFY_RESULT"}},
		{API: "compare_type", Required: true, Doc: "How it is compared.",
			Enum: []string{"CONTAINS", "ENDS_WITH", "EQUAL_TO", "REGEX", "STARTS_WITH"}},
		{API: "key", Max: 255, Doc: "Name of the header, cookie or field."},
		{API: "value", Required: true, Max: 255, Doc: "What it is compared with."},
		{API: "invert", Type: d.Bool, Doc: "Whether the opposite is the condition."},
	},
	State: octaviaState,
	List:  d.List{Page: 1000, Survey: octaviaSurvey("l7policies", "rules")},
	Sample: `l7PolicyRef: {name: web-to-https}
type: PATH
compareType: STARTS_WITH
value: /shop`,
}
