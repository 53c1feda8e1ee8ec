package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Listener is a port on which a load balancer takes connections.
var Listener = d.Kind{
	Name: "Listener", Plural: "listeners", Service: "load-balancer", Path: "/listeners", Item: "listener",
	Items: "listeners",
	Doc:   "Listener is a port on which a load balancer takes connections.", Update: d.Update{Method: "PUT"},
	Marker: octaviaTag,
	Key:    []string{"loadbalancer_id", "protocol", "protocol_port"},
	Fields: append([]d.Field{
		name(255), octaviaDescription, adminStateUp, octaviaTags,
		{API: "loadbalancer_id", As: "loadBalancerRef", In: "loadbalancers.0.id", Ref: "LoadBalancer", Required: true,
			CreateOnly: true,
			Doc:        "Load balancer that has the port."},
		{API: "protocol", Required: true, CreateOnly: true, Doc: "What is spoken.",
			Enum: []string{"HTTP", "HTTPS", "PROMETHEUS", "SCTP", "TCP", "TERMINATED_HTTPS", "UDP"}},
		{API: "protocol_port", Type: d.Int, Required: true, CreateOnly: true, Min: 1, HasMin: true, Max: 65535,
			Doc: "Number of the port."},
		{API: "default_pool_id", Ref: "Pool", Nullable: true, Doc: "Pool that gets connections no L7Policy takes."},
		{API: "connection_limit", Type: d.Int, Min: -1, HasMin: true, Max: maxInt,
			Doc: "Connections at a time; -1 is no limit."},
		{API: "insert_headers", Type: d.Map, Doc: "Headers that are added to requests, such as X-Forwarded-For."},
		{API: "allowed_cidrs", As: "allowedCIDRs", Type: d.Strings, Normal: d.CIDRs, Max: 64,
			Doc: "Who may connect; all when empty."},
		milliseconds("timeout_client_data", "Milliseconds that clients may be silent."),
		milliseconds("timeout_member_connect", "Milliseconds that connecting to a member may take."),
		milliseconds("timeout_member_data", "Milliseconds that members may be silent."),
		milliseconds("timeout_tcp_inspect", "Milliseconds to wait for more of a request."),
	}, listenerTLS...),
	State: octaviaState,
	List:  d.List{Page: 1000, Filters: []string{"project_id", "protocol", "protocol_port"}},
	Sample: `loadBalancerRef: {name: web}
protocol: HTTP
protocolPort: 80`,
}
