package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// HealthMonitor watches the members of a pool.
var HealthMonitor = d.Kind{
	Name: "HealthMonitor", Plural: "healthmonitors", Service: "load-balancer", Path: "/healthmonitors",
	Item: "healthmonitor", Items: "healthmonitors",
	Doc: "HealthMonitor watches the members of a pool, which has at most one.",
	Key: []string{"pool_id"}, Update: d.Update{Method: "PUT"}, Marker: octaviaTag,
	Fields: []d.Field{
		name(255), adminStateUp, octaviaTags,
		{API: "pool_id", In: "pools.0.id", Ref: "Pool", Required: true, CreateOnly: true,
			Doc: "Pool whose members are watched."},
		{API: "type", Required: true, CreateOnly: true, Doc: "How they are watched.",
			Enum: []string{"HTTP", "HTTPS", "PING", "SCTP", "TCP", "TLS-HELLO", "UDP-CONNECT"}},
		{API: "delay", Type: d.Int, Required: true, HasMin: true, Max: maxInt, Doc: "Seconds between two looks."},
		{API: "timeout", Type: d.Int, Required: true, HasMin: true, Max: maxInt, Doc: "Seconds that an answer may take."},
		{API: "max_retries", Type: d.Int, Required: true, Min: 1, HasMin: true, Max: 10,
			Doc: "Answers after which a member works."},
		{API: "max_retries_down", Type: d.Int, Min: 1, HasMin: true, Max: 10, Doc: "Misses after which a member does not."},
		{API: "http_method", Doc: "Method of the request.",
			Enum: []string{"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"}},
		{API: "http_version", Enum: []string{"1.0", "1.1"}, Values: map[string]any{"1.0": 1.0, "1.1": 1.1},
			Doc: "Version of HTTP."},
		{API: "url_path", Max: 2048, Pattern: "^/", Doc: "Path of the request."},
		{API: "expected_codes", Max: 255, Pattern: "^[0-9]{3}(-[0-9]{3}|( *, *[0-9]{3})*)$",
			Doc: "Codes of a good answer, as 200-204."},
		{API: "domain_name", Max: 255, Doc: "Name in the request's Host header."},
	},
	State: octaviaState,
	List:  d.List{Page: 1000, Filters: []string{"project_id", "type"}},
	Sample: `poolRef: {name: web}
type: HTTP
delay: 5
timeout: 3
maxRetries: 2
urlPath: /healthy`,
}
