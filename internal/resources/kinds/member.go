package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Member is a server of a pool.
var Member = d.Kind{
	Name: "Member", Plural: "members", Service: "load-balancer", Path: "/pools/{pool_id}/members", Item: "member",
	Items: "members",
	Doc:   "Member is a server of a pool.", Key: []string{"pool_id", "address", "protocol_port"},
	Update: d.Update{Method: "PUT"}, Marker: octaviaTag,
	Fields: []d.Field{
		name(255), adminStateUp, octaviaTags,
		{API: "pool_id", Ref: "Pool", Required: true, CreateOnly: true, Doc: "Pool that it is in."},
		{API: "address", Required: true, CreateOnly: true, Max: 64, Doc: "Address of the server."},
		{API: "protocol_port", Type: d.Int, Required: true, CreateOnly: true, Min: 1, HasMin: true, Max: 65535,
			Doc: "Port of the server."},
		{API: "subnet_id", Ref: "Subnet", CreateOnly: true, Doc: "Subnet by which it is reached."},
		{API: "weight", Type: d.Int, HasMin: true, Max: 256, Doc: "Share of the connections; 0 takes no new ones."},
		{API: "backup", Type: d.Bool, Doc: "Whether it is used only when no other works."},
		{API: "monitor_address", Max: 64, Doc: "Address that is watched in place of its own."},
		{API: "monitor_port", Type: d.Int, Min: 1, HasMin: true, Max: 65535,
			Doc: "Port that is watched in place of its own."},
		{API: "request_sriov", As: "requestSRIOV", Type: d.Bool, CreateOnly: true, WriteOnly: true,
			Doc: "Whether it is reached by SR-IOV."},
	},
	State: octaviaState,
	List: d.List{Page: 1000, Filters: []string{"address", "protocol_port"},
		Survey: octaviaSurvey("pools", "members")},
	Sample: `poolRef: {name: web}
address: 192.0.2.10
protocolPort: 8080`,
}
