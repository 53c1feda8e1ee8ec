package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Pool is a set of servers among which a load balancer chooses.
var Pool = d.Kind{
	Name: "Pool", Plural: "pools", Service: "load-balancer", Path: "/pools", Item: "pool", Items: "pools",
	Doc:    "Pool is a set of servers among which a load balancer chooses: its members.",
	Key:    []string{"name", "loadbalancer_id"},
	Update: d.Update{Method: "PUT"}, Marker: octaviaTag, OneOf: [][]string{{"loadbalancer_id", "listener_id"}},
	Fields: []d.Field{
		name(255), octaviaDescription, adminStateUp, octaviaTags,
		{API: "loadbalancer_id", As: "loadBalancerRef", In: "loadbalancers.0.id", Ref: "LoadBalancer", CreateOnly: true,
			Doc: "Load balancer that has the pool; listeners and policies name it."},
		{API: "listener_id", In: "listeners.0.id", Ref: "Listener", CreateOnly: true,
			Doc: "Listener whose default pool it becomes."},
		{API: "protocol", Required: true, CreateOnly: true, Doc: "What members speak.",
			Enum: []string{"HTTP", "HTTPS", "PROXY", "PROXYV2", "SCTP", "TCP", "UDP"}},
		{API: "lb_algorithm", Required: true, Doc: "How a member is chosen.",
			Enum: []string{"LEAST_CONNECTIONS", "ROUND_ROBIN", "SOURCE_IP", "SOURCE_IP_PORT"}},
		{API: "session_persistence", Type: d.Object, Nullable: true,
			Doc: "How a client comes to the same member again.", Fields: persistence},
		{API: "tls_enabled", Type: d.Bool, Doc: "Whether members speak TLS."},
		{API: "tls_container_ref", Ref: "KeyManagerSecret", By: "secret_ref", As: "tlsContainerRef",
			Nullable: true, Doc: "Certificate for members, as PKCS12."},
		{API: "ca_tls_container_ref", Ref: "KeyManagerSecret", By: "secret_ref", As: "caContainerRef",
			Nullable: true, Doc: "Who signs members."},
		{API: "crl_container_ref", Ref: "KeyManagerSecret", By: "secret_ref", As: "crlContainerRef",
			Nullable: true, Doc: "Members that are void."},
		tlsCiphers, tlsVersions, alpnProtocols,
	},
	State: octaviaState,
	List:  d.List{Page: 1000, Filters: []string{"project_id", "protocol", "lb_algorithm"}},
	Sample: `loadBalancerRef: {name: web}
protocol: HTTP
lbAlgorithm: ROUND_ROBIN`,
}
