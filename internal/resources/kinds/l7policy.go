package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// L7Policy says what becomes of requests that match all its rules.
var L7Policy = d.Kind{
	Name: "L7Policy", Plural: "l7policies", Service: "load-balancer", Path: "/l7policies", Item: "l7policy",
	Items: "l7policies",
	Doc:   "L7Policy says what becomes of requests that match all its rules.", Key: []string{"name", "listener_id"},
	Update: d.Update{Method: "PUT"}, Marker: octaviaTag,
	AtMostOne: [][]string{{"redirect_pool_id", "redirect_url", "redirect_prefix"}},
	Fields: []d.Field{
		name(255), octaviaDescription, adminStateUp, octaviaTags,
		{API: "listener_id", Ref: "Listener", Required: true, CreateOnly: true,
			Doc: "Listener whose requests are looked at."},
		{API: "action", Required: true, Doc: "What becomes of them.",
			Enum: []string{"REDIRECT_PREFIX", "REDIRECT_TO_POOL", "REDIRECT_TO_URL", "REJECT"}},
		{API: "redirect_pool_id", Ref: "Pool", Doc: "Pool that gets them."},
		{API: "redirect_url", Max: 2048, Pattern: "^https?://", Doc: "Where clients are sent."},
		{API: "redirect_prefix", Max: 2048, Pattern: "^https?://",
			Doc: "Where clients are sent, with the path that they asked for."},
		{API: "redirect_http_code", Type: d.Int, Min: 301, HasMin: true, Max: 308,
			Doc: "Code of the answer that sends them: 301, 302, 303, 307 or 308."},
		// Octavia counts the positions of the others up and down.
		{API: "position", Type: d.Int, WriteOnly: true, Min: 1, HasMin: true, Max: maxInt,
			Doc: "Place among the listener's policies; the last when empty."},
	},
	State: octaviaState,
	List:  d.List{Page: 1000, Filters: []string{"project_id", "listener_id", "action"}},
	Sample: `listenerRef: {name: web}
action: REDIRECT_TO_URL
redirectURL: https://www.example.org/`,
}
